// A game: its first position, its moves, and its end by the rules.

import { isWhite, readBoard } from '../../../src/analyse/page/viewer.mjs';
import { outcomes, Position } from './rules.mjs';

/** The plies of history sent to the engine, as in crates/pgn/src/batch.rs. */
const PAST_PLIES = 150;

export class Game {
  /** The FENs of all positions, and the positions parsed so far. */
  #fens;
  #positions = [];
  /** The moves, `{ uci, san, fen }`; `uci` is empty for a null move. */
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

  /** The first `plies` plies, as a new game. */
  until(plies) {
    return new Game(this.start, this.#fens.slice(0, plies + 1), this.moves.slice(0, plies));
  }

  /** The position after `plies` for the engine, with its history. */
  forEngine(plies = this.length) {
    let since = plies;
    while (since > 0 && since > plies - PAST_PLIES && this.moves[since - 1].uci) {
      since -= 1;
    }
    return { fen: this.#fens[since], moves: this.moves.slice(since, plies).map((move) => move.uci) };
  }

  /** The end of the game without a claim, `{ result, reason }`; null if the game continues. */
  get end() {
    return outcomes(this.forEngine())[0];
  }

  /** The draw that a player may claim. */
  get claim() {
    return outcomes(this.forEngine())[1];
  }

  /** The end of the game if every possible draw is claimed. */
  get verdict() {
    return this.end ?? this.claim;
  }

  /** The end of the game when a side's flag falls: a draw if the other side has only its king. */
  verdictOnTime(color) {
    const [rival, result] = color === 'w' ? ['b', '0-1'] : ['w', '1-0'];
    const pieces = readBoard(this.last.fen).filter((piece) => piece !== '.' && isWhite(piece) === (rival === 'w'));
    return pieces.length === 1 ? { result: '1/2-1/2', reason: 'time, against a king alone' } : { result, reason: 'time' };
  }
}
