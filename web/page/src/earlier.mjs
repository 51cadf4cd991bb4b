// Removes the parts of a game that an earlier analysis has written, as the program does
// (analyse/src/earlier.rs says which): evaluations, sentences such as `Mistake. Nf3 was
// best.`, the glyphs that follow from them, and the lines that they name.

import { INITIAL, JUDGEMENTS, judge } from './judgement.mjs';
import { tag } from './pgn.mjs';

/**
 * A command of a comment, with the text of one that is written anew. One without `]` takes the
 * rest: to look for `]` from each of many commands would take quadratic time.
 */
const COMMANDS = /\[%(?:(eval|wdl) )?([^\]]*)(\]\s*)?/g;

/** The value of an evaluation in pawns or to a mate. ChessBase writes centipawns: no point. */
const EVAL = /^\s*(?:#([+-]?\d{1,9})|([+-]?(?:\d{1,9}\.\d*|\.\d+)))\s*(?:,|$)/;

/** The scores that Lichess puts in front of its sentences: `(0.23 → -0.71)`. */
const SCORE = String.raw`(?:Mate in )?[+-]?\d[\d.]*`;
const SCORES = new RegExp(String.raw`^\(${SCORE} → ${SCORE}\)\s*`);

/** A sentence: its words, and the better move, in the order of today or of older versions. */
const SENTENCE = new RegExp(
  String.raw`^(${JUDGEMENTS.map(({ name }) => name).join('|')}|Checkmate is now unavoidable|`
  + String.raw`Lost forced checkmate sequence|Not the best checkmate sequence)\.\s*`
  // A move in SAN has a digit, unless it castles.
  + String.raw`(?:(?=\S*\d|O-O)(\S+) was best\.\s*|(?:The best|Best) move was (?=[^ .]*\d|O-O)([^ .]+)\.\s*)?`,
);

/** A generator that removes an earlier analysis from a game that White or Black (`w`, `b`) begins. */
export function* removing(game, side) {
  const removed = [];
  for (const ply of game.moves) {
    removed.push(removeFromComments(ply));
    yield;
  }
  const isOurs = tag(game, 'Annotator')?.startsWith('Carrybit ');
  const hasSentences = isOurs || removed.some(({ named }) => named.size > 0);
  let before = INITIAL;
  for (const [at, ply] of game.moves.entries()) {
    const { value, named, best } = removed[at];
    const mover = (at % 2 === 0) === (side === 'w') ? 'w' : 'b';
    ply.nags = ply.nags.filter((nag) => {
      const judgement = JUDGEMENTS.find((one) => one.nag === nag);
      return !judgement || !(named.has(undefined) || named.has(judgement.name)
        || (!hasSentences && before && value && follows(judgement, before, value, mover)));
    });
    if (best !== undefined) {
      removeLine(ply, best);
    }
    before = value;
    yield;
  }
}

/** Removes an earlier analysis from the comments on a move, and tells of it. */
function removeFromComments(ply) {
  const hasEval = ply.after.some(({ comment }) => comment?.includes('[%eval '));
  const removed = { value: undefined, named: new Set(), best: undefined };
  ply.after = ply.after.flatMap((remark) => {
    if (remark.comment === undefined) {
      return [remark];
    }
    let rest = remark.comment.replace(COMMANDS, (command, name, text, close) => {
      if (name === undefined || close === undefined) {
        return command;
      }
      if (name === 'eval') {
        removed.value ??= evalValue(text);
      }
      return '';
    });
    rest = rest === remark.comment ? rest : rest.trim();
    const scores = SCORES.exec(rest)?.[0] ?? '';
    const sentence = SENTENCE.exec(rest.slice(scores.length));
    const best = sentence?.[2] ?? sentence?.[3];
    // Without scores or a better move these may be the words of a person.
    if (sentence && (scores || (hasEval && best !== undefined))) {
      removed.named.add(JUDGEMENTS.find(({ name }) => name === sentence[1])?.name);
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

/** The value of the text of an `[%eval]`; undefined if it cannot be read. */
function evalValue(text) {
  const [, mate, pawns] = EVAL.exec(text) ?? [];
  if (mate !== undefined) {
    return { mate: Number(mate) };
  }
  return pawns === undefined ? undefined : { cp: Math.round(100 * Number(pawns)) };
}

/** Whether a program has given this judgement to a move between these values. */
function follows(judgement, before, after, mover) {
  // Lichess has rules of its own for mates that the mover loses or allows.
  const change = Math.sign(after.mate ?? 0) - Math.sign(before.mate ?? 0);
  const isMateLost = mover === 'w' ? change < 0 : change > 0;
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
export function isBare({ before, moves, verbatim }) {
  return verbatim === undefined && before.length === 0 && moves.every(({ nags, after }) => nags.length === 0 && after.length === 0);
}
