// Removes the parts of a game that an earlier analysis has written, as the program does
// (analyse/src/earlier.rs says which): evaluations, sentences such as `Mistake. Nf3 was
// best.`, the glyphs that follow from them, and the lines that they name.

import { INITIAL, JUDGEMENTS, judge } from './judgement.mjs';
import { tag } from './pgn.mjs';

/** The commands of comments that are written anew. */
const COMMANDS = /\[%(?:eval|wdl) [^\]]*\]\s*/g;

/** The value of an evaluation in pawns or to a mate. ChessBase writes centipawns: no point. */
const EVAL = /\[%eval (?:#([+-]?\d+)|([+-]?\d*\.\d+))[^\]]*\]/;

/** The scores that Lichess puts in front of its sentences: `(0.23 → -0.71)`. */
const SCORE = String.raw`(?:Mate in )?[+-]?\d[\d.]*`;
const SCORES = new RegExp(String.raw`^\(${SCORE} → (?:Mate in )?[+-]?[\d.]+\)\s*`);

/** A sentence: its words, and the better move, in the order of today or of older versions. */
const SENTENCE = new RegExp(
  String.raw`^(${JUDGEMENTS.map(({ name }) => name).join('|')}|Checkmate is now unavoidable|`
  + String.raw`Lost forced checkmate sequence|Not the best checkmate sequence)\.\s*`
  + String.raw`(?:(\S+) was best\.\s*|(?:The best|Best) move was ([^ .]+)\.\s*)?`,
);

/** Removes an earlier analysis from a game that White or Black (`w`, `b`) begins. */
export function removeEarlier(game, side) {
  const removed = game.moves.map(removeFromComments);
  const isOurs = tag(game, 'Annotator')?.startsWith('Carrybit ');
  const hasSentences = isOurs || removed.some(({ named }) => named.length > 0);
  let before = INITIAL;
  game.moves.forEach((ply, at) => {
    const { value, named, best } = removed[at];
    const mover = (at % 2 === 0) === (side === 'w') ? 'w' : 'b';
    ply.nags = ply.nags.filter((nag) => {
      const judgement = JUDGEMENTS.find((one) => one.nag === nag);
      return !judgement || !(named.some((name) => name === undefined || name === judgement.name)
        || (!hasSentences && before && value && follows(judgement, before, value, mover)));
    });
    if (best !== undefined) {
      removeLine(ply, best);
    }
    before = value;
  });
}

/** Removes an earlier analysis from the comments on a move, and tells of it. */
function removeFromComments(ply) {
  const hasEval = ply.after.some(({ comment }) => comment?.includes('[%eval '));
  const removed = { value: undefined, named: [], best: undefined };
  ply.after = ply.after.flatMap((remark) => {
    if (remark.comment === undefined) {
      return [remark];
    }
    const [, mate, pawns] = EVAL.exec(remark.comment) ?? [];
    removed.value ??= mate !== undefined ? { mate: Number(mate) }
      : pawns !== undefined ? { cp: Math.round(100 * Number(pawns)) } : undefined;
    let rest = remark.comment.replace(COMMANDS, '');
    rest = rest === remark.comment ? rest : rest.trim();
    const scores = SCORES.exec(rest)?.[0] ?? '';
    const sentence = SENTENCE.exec(rest.slice(scores.length));
    const best = sentence?.[2] ?? sentence?.[3];
    // Without scores or a better move these may be the words of a person.
    if (sentence && (scores || (hasEval && best !== undefined))) {
      removed.named.push(JUDGEMENTS.find(({ name }) => name === sentence[1])?.name);
      removed.best ??= best;
      rest = rest.slice(scores.length + sentence[0].length);
    }
    if (rest === remark.comment) {
      return [remark];
    }
    return rest === '' ? [] : [{ comment: rest }];
  });
  return removed;
}

/** Whether a program has given this judgement to a move between these values. */
function follows(judgement, before, after, mover) {
  const isSame = before.cp === after.cp && before.mate === after.mate;
  // Lichess has rules of its own for mates.
  const isMateLost = !isSame && [before, after].some(({ mate }) => mate !== undefined);
  return isMateLost || judge(before, after, mover)?.name === judgement.name;
}

/** Removes the first variation if it is the line of an earlier analysis. */
function removeLine(ply, best) {
  const at = ply.after.findIndex(({ variation }) => variation);
  const bare = (text) => text.replace(/[+#!?]+$/, '');
  const variation = ply.after[at]?.variation;
  const first = variation?.moves?.[0];
  if (first && isBare(variation) && bare(first.text) === bare(best)) {
    ply.after.splice(at, 1);
  }
}

/** Whether a variation consists of moves only. */
export function isBare({ before, moves }) {
  return before.length === 0 && moves.every(({ nags, after }) => nags.length === 0 && after.length === 0);
}
