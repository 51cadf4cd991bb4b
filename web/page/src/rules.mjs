// Immutable positions with their legal moves, from the module of web/rules/. Moves are in the UCI
// notation of Chess960: castling is king takes rook.

import { ends, isWhite, readBoard } from '../../../src/analyse/page/viewer.mjs';
import { Module } from './rules-wasm.mjs';

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

const rules = new Module();

/** Parses a line of the module's answer as a move; undefined for an empty line. */
function readMove(line) {
  if (line === '') {
    return undefined;
  }
  const [uci, san, fen, capture] = line.split('\t');
  const move = { from: uci.slice(0, 2), to: uci.slice(2, 4), uci, san, promotion: uci[4], isCapture: capture !== '', fen };
  return san.startsWith('O') ? { ...move, castled: ends(move)[1] } : move;
}

export class Position {
  #moves;

  /** Parses a FEN; the last fields may be missing. Throws an Error with the reason. */
  constructor(text = START) {
    const [fen, isCheck, isChess960, result, reason] = rules.ask('position', text).split('\t');
    /** X-FEN; the en passant square is set only if a capture is legal. */
    this.fen = fen;
    [, this.turn] = fen.split(' ');
    this.isCheck = isCheck === '1';
    /** Whether a king or rook with castling rights is not on its standard square. */
    this.isChess960 = isChess960 === '1';
    /** The end of the game by the position alone, `{ result, reason }`; undefined if the game continues. */
    this.verdict = result && { result, reason };
  }

  /** The number before the next move: `12.` or `12...`. */
  get label() {
    const [, , , , , number] = this.fen.split(' ');
    return this.turn === 'w' ? `${number}.` : `${number}...`;
  }

  /** Whether a side has only its king. */
  isBare(color) {
    return readBoard(this.fen).filter((piece) => piece !== '.' && isWhite(piece) === (color === 'w')).length === 1;
  }

  /**
   * The legal moves: `{ from, to, uci, san, fen, isCapture, promotion?, castled? }`; `fen` is the
   * position after the move, `castled` the king's square after castling.
   */
  get moves() {
    this.#moves ??= rules.ask('moves', this.fen).split('\n').map(readMove).filter(Boolean);
    return this.#moves;
  }

  /** The legal move that a text in any notation means; undefined if it is illegal or ambiguous. */
  find(text) {
    return readMove(rules.ask('find', this.fen, text));
  }

  /** Converts a line from UCI notation to SAN, up to the first illegal move. */
  sans(ucis) {
    return rules.ask('sans', this.fen, ucis.join(' ')).split(' ').filter(Boolean);
  }
}

/** White's winning percentage. */
export const winPercent = (value) => Number(rules.ask('percent', JSON.stringify(value)));

/** Converts a game in PGN to export format. */
export const tidy = (pgn) => rules.ask('tidy', pgn);

/** The answer of a function of learn.rs. */
export const lesson = (name, ...texts) => JSON.parse(rules.ask(name, ...texts));

/** The FEN of the start position of Chess960 with a number from 0 to 959; 518 is standard chess. */
export const start960 = (number) => rules.ask('start', number);

/** The end of a game without a claim, and the draw that a player may claim: each `{ result, reason }`, or null. */
export const outcomes = ({ fen, moves }) => JSON.parse(rules.ask('outcomes', fen, moves.join(' ')));
