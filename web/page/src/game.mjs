// A game: its first position, its moves, and how it ends by the rules.

import { Position } from './rules.mjs';

/** Plies without capture or pawn's move after which a player may claim a draw, and after which the game ends. */
const QUIET_PLIES = { claim: 100, end: 150 };

/** How often a position must occur for the same. */
const OCCURRENCES = { claim: 3, end: 5 };

/**
 * The plies sent to the engine before a position, as in pgn/src/batch.rs: the game ends after 75
 * moves without capture or pawn's move (FIDE 9.6.2).
 */
const PAST_PLIES = 150;

const draw = (reason) => ({ result: '1/2-1/2', reason });

export class Game {
  /** The FENs of the positions, from the first, and the positions as far as they were asked for. */
  #fens;
  #positions = [];
  /** `moves[i]`, `{ uci, san }`, leads from a position to the next; `uci` is empty for a null move. */
  moves;

  constructor(start = new Position(), fens = [start.fen], moves = []) {
    this.#fens = fens;
    this.moves = moves;
  }

  /** The position after `plies` plies. */
  position(plies) {
    return (this.#positions[plies] ??= new Position(this.#fens[plies]));
  }

  get start() {
    return this.position(0);
  }

  get last() {
    return this.position(this.length);
  }

  /** The plies played. */
  get length() {
    return this.moves.length;
  }

  /** The game for the viewer. */
  get shown() {
    const list = (name) => this.moves.map((move) => move[name]);
    return { fen: this.start.fen, check: this.start.isCheck, uci: list('uci'), san: list('san') };
  }

  play(move) {
    this.moves.push(move);
    this.#fens.push(move.fen);
  }

  /** Removes everything after `plies` plies. */
  cut(plies) {
    this.moves.length = plies;
    this.#fens.length = plies + 1;
    this.#positions.length = Math.min(this.#positions.length, plies + 1);
  }

  /** The game as it was after `plies` plies. */
  until(plies) {
    return new Game(this.start, this.#fens.slice(0, plies + 1), this.moves.slice(0, plies));
  }

  /** The position after `plies` for the engine, with the moves before it, which may repeat. */
  forEngine(plies = this.length) {
    let since = plies;
    while (since > 0 && since > plies - PAST_PLIES && this.moves[since - 1].uci) {
      since -= 1;
    }
    return { fen: this.#fens[since], moves: this.moves.slice(since, plies).map((move) => move.uci) };
  }

  /** How often the position after `plies` has occurred by then. */
  #occurrences(plies) {
    const key = (fen) => fen.split(' ').slice(0, 4).join(' ');
    const first = Math.max(0, plies - Math.min(this.position(plies).clock, QUIET_PLIES.end));
    const here = key(this.#fens[plies]);
    return this.#fens.slice(first, plies + 1).filter((fen) => key(fen) === here).length;
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
    if (this.last.clock >= QUIET_PLIES.claim) {
      return draw('fifty moves without capture or pawn move');
    }
    return this.#occurrences(this.length) >= OCCURRENCES.claim ? draw('threefold repetition') : undefined;
  }

  /** How a game ends if each draw that can be claimed is claimed. */
  get verdict() {
    return this.end ?? this.claim;
  }

  /** How the game ends if a side's time is up: a draw if the other side has only its king. */
  verdictOnTime(color) {
    const [rival, won] = color === 'w' ? ['b', '0-1'] : ['w', '1-0'];
    return this.last.isBare(rival)
      ? { result: '1/2-1/2', reason: 'time, and nothing left to mate with' }
      : { result: won, reason: 'time' };
  }
}
