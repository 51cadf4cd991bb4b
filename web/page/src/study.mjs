// Games evaluated, position by position, as the program that analyses games does it
// (analyse/src/analyst.rs, analyse/src/findings.rs): with the same limits it finds the same.

import { Game, sanLine } from './game.mjs';
import { accuracies, chances, judge, JUDGEMENTS } from './judgement.mjs';
import { isPass, quote } from './lexer.mjs';
import { lineOf, problem, tag, textOf } from './pgn.mjs';
import { Position } from './rules.mjs';
import { atOnce } from './slices.mjs';
import { valueOf, valueOfVerdict, whiteWdl } from './values.mjs';

/** How many positions are studied one after the other before the engine forgets them. */
const STRETCH = 8;

/** The longest line that is kept, in plies. */
const MAX_LINE = 12;

/** Names of the two variants that are known, without what is no letter or digit. */
const STANDARD = ['', 'standard', 'chess', 'normal', 'fromposition'];
const CHESS960 = ['960', 'fischer', 'frc', 'freestyle'];

/** Values of the tag FEN that name no position. */
const NO_FEN = ['', '?', '-', '*', 'startpos'];

/**
 * Plays a game that was read from PGN; its moves are written as SAN from then on, those of
 * its variations as far as they are legal. Throws an Error, with its line, at a move that is not.
 */
export function replay(pgn) {
  return atOnce(replaying(pgn));
}

/** The generator behind `replay`. */
export function* replaying(pgn) {
  const wrong = (name, reason) => problem(lineOf(pgn.tags.find(([key]) => key === name)), reason);
  const variant = (tag(pgn, 'Variant') ?? '').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  if (!STANDARD.includes(variant) && !CHESS960.some((part) => variant.includes(part))) {
    throw wrong('Variant', `the variant ${quote(tag(pgn, 'Variant'))} is not supported`);
  }
  const fen = tag(pgn, 'SetUp') === '0' ? '' : (tag(pgn, 'FEN') ?? '').trim();
  let start;
  try {
    start = NO_FEN.includes(fen) ? new Position() : new Position(fen);
  } catch (error) {
    throw wrong('FEN', `FEN ${JSON.stringify(quote(fen))}: ${error.message}`);
  }
  const game = new Game(start);
  yield* playLine(pgn, start, (move, position) => game.add(move, position));
  return game;
}

/** Plays moves from a position on. `onStep` takes each (undefined for a pass) and the position after it. */
function* playLine({ moves }, position, onStep = () => {}) {
  for (const ply of moves) {
    const before = position;
    let move;
    try {
      if (isPass(ply.text)) {
        position = before.passed();
      } else {
        move = before.find(ply.text);
        position = move && before.after(move);
      }
    } catch (error) {
      throw problem(lineOf(ply), `move ${before.label} ${ply.text}: ${error.message}`);
    }
    if (!position) {
      throw problem(lineOf(ply), `move ${before.label} ${ply.text} is not legal`);
    }
    ply.text = move?.san ?? '--';
    onStep(move, position);
    yield;
    for (const { variation } of ply.after) {
      if (variation) {
        yield* playVariation(variation, before);
      }
    }
  }
}

/** Plays what people wrote beside the game, which may be wrong. */
function* playVariation(variation, position) {
  try {
    yield* playLine(variation, position);
  } catch {
    variation.verbatim = textOf(variation);
  }
}

/**
 * Evaluates all positions of a game: `[{ value, wdl, depth, line }]`, with lines in UCI's
 * notation. Resolves with undefined if another search has taken its place, or if `signal`, an
 * AbortSignal, says so. `onProgress` hears how many are done.
 */
export async function study(mind, game, limit, { onProgress = () => {}, signal } = {}) {
  const evaluations = [];
  let done = 0;
  for (let first = 0; first <= game.length; first += STRETCH) {
    if (signal?.aborted) {
      return undefined;
    }
    await mind.forget();
    // From the end: then what is found about a position helps with those before it.
    for (let ply = Math.min(first + STRETCH - 1, game.length); ply >= first; ply--) {
      const found = signal?.aborted ? undefined : await evaluate(mind, game, ply, first, limit);
      if (!found) {
        return undefined;
      }
      evaluations[ply] = found;
      onProgress(++done);
    }
  }
  return evaluations;
}

/** Evaluates a position of the stretch that begins after `first` plies. */
async function evaluate(mind, game, ply, first, limit) {
  const position = game.positions[ply];
  const { verdict, turn } = position;
  if (verdict) {
    const value = valueOfVerdict(verdict);
    const wdl = value.won ? (value.won === 'w' ? [1000, 0, 0] : [0, 0, 1000]) : [0, 1000, 0];
    return { value, wdl, depth: 0, line: [] };
  }
  let last;
  const best = await mind.search(game.forEngine(ply, first), limit, {}, (info) => {
    // A search that is stopped may end with a bound, of use only if there is nothing better.
    if (info.score && (!last || !info.score.bound)) {
      last = info;
    }
  });
  if (!best) {
    return undefined;
  }
  last ??= { score: { cp: 0 }, wdl: [0, 1000, 0], depth: 0, pv: [] };
  return { value: valueOf(last, turn), wdl: whiteWdl(last, turn), depth: last.depth, line: last.pv.slice(0, MAX_LINE) };
}

/**
 * What evaluations come to: about each move `{ value, judgement?, line }`, with the value after
 * it and what would have been better in SAN, and both sides' accuracies and mistakes.
 */
export function findings(game, evaluations) {
  return atOnce(finding(game, evaluations));
}

/** The generator behind `findings`. */
export function* finding(game, evaluations) {
  const lines = [];
  for (const [ply, { line }] of evaluations.entries()) {
    lines.push(sanLine(game.positions[ply], line));
    yield;
  }
  const none = () => Object.fromEntries(JUDGEMENTS.map(({ name }) => [name, 0]));
  const counts = { w: none(), b: none() };
  const about = [];
  for (const [at, move] of game.moves.entries()) {
    const [before, after] = [evaluations[at], evaluations[at + 1]];
    const { turn } = game.positions[at];
    // The mover could have claimed a draw with this move.
    const isLower = turn === 'w' ? chances(after.value) < 0 : chances(after.value) > 0;
    const value = isLower && game.claimAfter(at + 1) ? { cp: 0 } : after.value;
    // If the best move loses something, the search has learnt, not the mover erred.
    const isBest = !move || move.uci === before.line[0];
    const judgement = isBest ? undefined : judge(before.value, value, turn);
    if (judgement) {
      counts[turn][judgement.name] += 1;
    }
    about.push({ value: after.value, judgement, line: lines[at].map((step) => step.move.san) });
    yield;
  }
  const values = evaluations.map(({ value }) => value);
  return { about, lines, accuracies: accuracies(values, game.start.turn), counts };
}
