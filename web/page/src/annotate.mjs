// Findings written into a game, in the form that the program that analyses games writes
// (analyse/src/annotate.rs): `[%eval 0.35]` behind each move, marks and words on mistakes,
// and the better line as a variation. What was there stays, but for earlier evaluations.

import { setTag, tag } from './pgn.mjs';

/** The commands of comments that are written anew. */
const COMMANDS = /\[%(?:eval|wdl) [^\]]*\]\s*/g;

/** The glyphs that praise or blame a move: a second one would contradict the first. */
const isQuality = (nag) => nag >= 1 && nag <= 6;

/**
 * Writes findings about each move, `{ value, judgement?, line }`, into the game: the value
 * after it, what is to be said, and the better moves in SAN.
 */
export function annotate(game, findings, annotator) {
  findings.forEach(({ value, judgement, line }, at) => {
    const ply = game.moves[at];
    setEval(ply, evalText(value));
    if (judgement) {
      blame(ply, judgement, line);
    }
  });
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
  ply.after = ply.after.flatMap((remark) => {
    const rest = remark.comment?.replace(COMMANDS, '');
    if (rest === undefined || rest === remark.comment) {
      return [remark];
    }
    return rest.trim() === '' ? [] : [{ comment: rest.trim() }];
  });
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
  if (!ply.nags.some(isQuality)) {
    ply.nags.unshift(judgement.nag);
  }
  const [best] = line;
  if (best === undefined) {
    return;
  }
  const words = `${judgement.name}. ${best} was best.`;
  if (!ply.after.some(({ comment }) => comment?.includes(words))) {
    // Behind the comment with the evaluation.
    ply.after.splice(Math.min(1, ply.after.length), 0, { comment: words });
  }
  if (!ply.after.some(({ variation }) => variation?.moves[0]?.text === best)) {
    const moves = line.map((text) => ({ text, nags: [], after: [] }));
    ply.after.push({ variation: { before: [], moves } });
  }
}
