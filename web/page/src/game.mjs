// A line of play: where it began, the moves since, and what the rules say of it.

import { Position } from './rules.mjs';

/** Plies without capture or pawn's move after which a player may claim a draw, and after which the game ends. */
const QUIET_PLIES = { claim: 100, end: 150 };

/** How often a position must occur for the same. */
const OCCURRENCES = { claim: 3, end: 5 };

/**
 * The plies sent to the engine before a position, as in the program (analyse/src/crew.rs): the
 * game ends after 75 moves without capture or pawn's move (FIDE 9.6.2). Plies before a capture
 * matter, too: they order moves.
 */
const PAST_PLIES = 150;

const draw = (reason) => ({ result: '1/2-1/2', reason });

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
    this.add(move, this.last.after(move));
  }

  /** Adds a move and the position that it leads to; the move is undefined where one was passed. */
  add(move, position) {
    this.moves.push(move);
    this.positions.push(position);
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

  /**
   * The position after `plies` for the engine, with the moves before it, which may repeat. The
   * past is that of the position after `first` plies, and goes on from there.
   */
  forEngine(plies = this.length, first = plies) {
    let since = plies;
    while (since > 0 && since > first - PAST_PLIES && this.moves[since - 1]) {
      since -= 1;
    }
    return { fen: this.positions[since].fen, moves: this.moves.slice(since, plies).map((move) => move.uci) };
  }

  /** How often the position after `plies` has occurred by then. */
  #occurrences(plies) {
    const { key, clock } = this.positions[plies];
    const first = Math.max(0, plies - Math.min(clock, QUIET_PLIES.end));
    return this.positions.slice(first, plies + 1).filter((position) => position.key === key).length;
  }

  /** How the game has ended by itself, and why; undefined if it goes on. */
  get end() {
    const { last } = this;
    if (last.verdict) {
      return last.verdict;
    }
    if (last.clock >= QUIET_PLIES.end) {
      return draw('seventy-five moves without capture or pawn move');
    }
    return this.#occurrences(this.length) >= OCCURRENCES.end ? draw('fivefold repetition') : undefined;
  }

  /** The draw that a player may claim, and why; undefined if there is none. */
  get claim() {
    return this.claimAfter(this.length);
  }

  /** The draw that a player may claim after `plies`, and why; undefined if there is none. */
  claimAfter(plies) {
    if (this.positions[plies].clock >= QUIET_PLIES.claim) {
      return draw('fifty moves without capture or pawn move');
    }
    return this.#occurrences(plies) >= OCCURRENCES.claim ? draw('threefold repetition') : undefined;
  }

  /** How a game ends if each draw that can be claimed is claimed. */
  get verdict() {
    return this.end ?? this.claim;
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
    return this.positions[plies].label;
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
