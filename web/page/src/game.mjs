// A line of play: where it began, the moves since, and what the rules say of it.

import { Position } from './rules.mjs';

/** Plies without capture or pawn's move after which a game is drawn. */
const QUIET_PLIES = 100;

export class Game {
  /** The positions, from the first; `moves[i]` leads from the one to the next, undefined where somebody passed. */
  positions;
  moves = [];

  constructor(start = new Position()) {
    this.positions = [start];
  }

  get start() {
    return this.positions[0];
  }

  get last() {
    return this.positions.at(-1);
  }

  /** The plies played. */
  get length() {
    return this.moves.length;
  }

  play(move) {
    this.moves.push(move);
    this.positions.push(this.last.after(move));
  }

  pass() {
    this.positions.push(this.last.passed());
    this.moves.push(undefined);
  }

  /** Forgets all after so many plies. */
  cut(plies) {
    this.moves.length = plies;
    this.positions.length = plies + 1;
  }

  /** The game as it was after so many plies. */
  until(plies) {
    const game = new Game(this.start);
    game.positions = this.positions.slice(0, plies + 1);
    game.moves = this.moves.slice(0, plies);
    return game;
  }

  /** The position after so many plies, for the engine: with the moves before, which may repeat. */
  forEngine(plies = this.length) {
    const since = this.moves.slice(0, plies).lastIndexOf(undefined) + 1;
    return { fen: this.positions[since].fen, moves: this.moves.slice(since, plies).map((move) => move.uci) };
  }

  /** How the game has ended, and why; undefined if it goes on. */
  get verdict() {
    const { last } = this;
    if (last.verdict) {
      return last.verdict;
    }
    if (last.clock >= QUIET_PLIES) {
      return { result: '1/2-1/2', reason: 'fifty moves without capture or pawn move' };
    }
    const isRepeated = this.positions.filter(({ key }) => key === last.key).length >= 3;
    return isRepeated ? { result: '1/2-1/2', reason: 'threefold repetition' } : undefined;
  }

  /** How the game ends if a side's time is up: nobody loses to a king alone. */
  verdictOnTime(color) {
    const [rival, won] = color === 'w' ? ['b', '0-1'] : ['w', '1-0'];
    return this.last.isBare(rival)
      ? { result: '1/2-1/2', reason: 'time, and nothing left to mate with' }
      : { result: won, reason: 'time' };
  }

  /** The number before the move after so many plies: `12.` or `12...`. */
  label(plies) {
    const { number, turn } = this.positions[plies];
    return turn === 'w' ? `${number}.` : `${number}...`;
  }
}

/**
 * The moves of an engine's line in SAN, as far as they can be played: `[{ move, position }]`.
 * `known` is such a line from the same position: what both begin with is taken from there.
 */
export function sanLine(position, ucis, known = []) {
  const same = known.findIndex(({ move }, at) => move.uci !== ucis[at]);
  const steps = known.slice(0, same < 0 ? known.length : same);
  position = steps.at(-1)?.position ?? position;
  for (const uci of ucis.slice(steps.length)) {
    const move = position.named(uci) ?? position.find(uci);
    if (!move) {
      break;
    }
    position = position.after(move);
    steps.push({ move, position });
  }
  return steps;
}
