// Games evaluated, position by position, as the program that analyses games does it
// (analyse/src/analyst.rs, analyse/src/findings.rs): with the same limits it finds the same.

import { Game, sanLine } from './game.mjs';
import { accuracies, judge, JUDGEMENTS } from './judgement.mjs';
import { tag } from './pgn.mjs';
import { isPass, Position } from './rules.mjs';
import { valueOf, valueOfVerdict, whiteWdl } from './values.mjs';

/** How many positions are studied one after the other before the engine forgets them. */
const STRETCH = 8;

/** The longest line that is kept, in plies. */
const MAX_LINE = 12;

/** Names of the two variants that are known, without what is no letter or digit. */
const STANDARD = ['', 'standard', 'chess', 'normal', 'fromposition'];
const CHESS960 = ['960', 'fischer', 'frc', 'freestyle'];

/**
 * Plays a game that was read from PGN; its moves are written as SAN from then on, those of
 * its variations as far as they are legal. Throws an Error at a move that is not.
 */
export function replay(pgn) {
  const variant = (tag(pgn, 'Variant') ?? '').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  if (!STANDARD.includes(variant) && !CHESS960.some((part) => variant.includes(part))) {
    throw new Error(`the variant ${tag(pgn, 'Variant')} is not supported`);
  }
  const fen = tag(pgn, 'SetUp') === '0' ? undefined : tag(pgn, 'FEN');
  const game = new Game(new Position(fen));
  playLine(pgn, game);
  return game;
}

function playLine({ moves }, game) {
  for (const ply of moves) {
    const before = game.length;
    if (isPass(ply.text)) {
      game.pass();
    } else {
      const move = game.last.find(ply.text);
      if (!move) {
        throw new Error(`move ${game.label(before)} ${ply.text} is not legal`);
      }
      ply.text = move.san;
      game.play(move);
    }
    for (const { variation } of ply.after) {
      if (variation) {
        playVariation(variation, game.until(before));
      }
    }
  }
}

/** Plays what people wrote beside the game, which may be wrong. */
function playVariation(variation, game) {
  try {
    playLine(variation, game);
  } catch {
    // It stays as it is written.
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
      const found = signal?.aborted ? undefined : await evaluate(mind, game, ply, limit);
      if (!found) {
        return undefined;
      }
      evaluations[ply] = found;
      onProgress(++done);
    }
  }
  return evaluations;
}

async function evaluate(mind, game, ply, limit) {
  const position = game.positions[ply];
  const { verdict, turn } = position;
  if (verdict) {
    const value = valueOfVerdict(verdict);
    const wdl = value.won ? (value.won === 'w' ? [1000, 0, 0] : [0, 0, 1000]) : [0, 1000, 0];
    return { value, wdl, depth: 0, line: [] };
  }
  let last;
  const best = await mind.search(game.forEngine(ply), limit, {}, (info) => {
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
  const lines = evaluations.map(({ line }, ply) => sanLine(game.positions[ply], line));
  const about = game.moves.map((move, at) => {
    const [before, after] = [evaluations[at], evaluations[at + 1]];
    // If the best move loses something, the search has learnt, not the mover erred.
    const isBest = !move || move.uci === before.line[0];
    const judgement = isBest ? undefined : judge(before.value, after.value, game.positions[at].turn);
    return { value: after.value, judgement, line: lines[at].map((step) => step.move.san) };
  });
  const count = (color, { name }) =>
    about.filter(({ judgement }, at) => judgement?.name === name && game.positions[at].turn === color).length;
  const counts = (color) => Object.fromEntries(JUDGEMENTS.map((judgement) => [judgement.name, count(color, judgement)]));
  return {
    about,
    lines,
    accuracies: accuracies(evaluations.map(({ value }) => value), game.start.turn),
    counts: { w: counts('w'), b: counts('b') },
  };
}
