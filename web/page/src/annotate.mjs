// Findings written into a game, in the form that the program that analyses games writes
// (analyse/src/annotate.rs): `[%eval 0.35]` behind each move, marks and words on mistakes,
// and the better line as a variation. What was there stays, but for earlier evaluations.

import { isBare, removing } from './earlier.mjs';
import { setTag, tag } from './pgn.mjs';
import { atOnce } from './slices.mjs';

/** The glyphs that praise or blame a move: a second one would contradict the first. */
const isQuality = (nag) => nag >= 1 && nag <= 6;

/**
 * Writes findings about each move, `{ value, judgement?, line }`, into the game: the value
 * after it, what is to be said, and the better moves in SAN. An earlier analysis goes.
 * `side` (`w`, `b`) begins.
 */
export function annotate(game, findings, annotator, side) {
  atOnce(annotating(game, findings, annotator, side));
}

/** The generator behind `annotate`. */
export function* annotating(game, findings, annotator, side) {
  yield* removing(game, side);
  for (const [at, { value, judgement, line }] of findings.entries()) {
    const ply = game.moves[at];
    setEval(ply, evalText(value));
    if (judgement) {
      blame(ply, judgement, line);
    }
    yield;
  }
  if (tag(game, 'Annotator') === undefined && game.moves.length > 0) {
    setTag(game, 'Annotator', annotator);
  }
}

/** The command that tells a value; undefined where the game is won. */
function evalText({ cp, mate }) {
  if (cp !== undefined) {
    return `[%eval ${(cp / 100).toFixed(2)}]`;
  }
  return mate === undefined ? undefined : `[%eval #${mate}]`;
}

/** Puts a command in front of those that a comment has, or in front of the comments. */
function setEval(ply, command) {
  if (command === undefined) {
    return;
  }
  const commands = ply.after.find(({ comment }) => comment?.startsWith('[%'));
  if (commands) {
    commands.comment = `${command} ${commands.comment}`;
  } else {
    ply.after.unshift({ comment: command });
  }
}

/** Marks a move that was not good, and shows the better line. */
function blame(ply, judgement, line) {
  const [best] = line;
  // A glyph without words would be taken for a person's by an analysis that follows.
  if (best === undefined) {
    return;
  }
  if (!ply.nags.some((nag) => isQuality(nag) && nag !== judgement.nag)) {
    ply.nags = [judgement.nag, ...ply.nags.filter((nag) => nag !== judgement.nag)];
  }
  const words = `${judgement.name}. ${best} was best.`;
  if (!ply.after.some(({ comment }) => comment === words)) {
    // Behind the comment with the evaluation.
    ply.after.splice(Math.min(1, ply.after.length), 0, { comment: words });
  }
  // In front of the variations of people: there an analysis that follows finds it.
  const found = ply.after.findIndex(({ variation }) => variation);
  const at = found === -1 ? ply.after.length : found;
  const first = ply.after[at]?.variation;
  if (!(first?.moves?.[0]?.text === best && !isBare(first))) {
    const moves = line.map((text) => ({ text, nags: [], after: [] }));
    ply.after.splice(at, 0, { variation: { before: [], moves } });
  }
}
