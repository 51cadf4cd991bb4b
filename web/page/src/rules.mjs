// The rules, as immutable positions: the legal moves, and the positions after them.
//
// The module of web/rules/ decides what is legal. Moves are written as in UCI for Chess960:
// castling is king takes rook.

import { ends, isWhite, readBoard } from '../../../analyse/src/page/viewer.mjs';
import { Module } from './rules-wasm.mjs';

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

const rules = new Module();

/** A move from its line in the module's answer; undefined for an empty one. */
function readMove(line) {
  if (line === '') {
    return undefined;
  }
  const [uci, san, fen, capture] = line.split('\t');
  const move = { from: uci.slice(0, 2), to: uci.slice(2, 4), uci, san, promotion: uci[4], isCapture: capture !== '', fen };
  return san.startsWith('O') ? { ...move, castled: ends(move)[1] } : move;
}

/** A position. */
export class Position {
  #moves;
  #canMove;

  /** Reads a FEN; the last fields may be missing. Throws an Error with the reason if it cannot be read. */
  constructor(text = START) {
    const [fen, ...facts] = rules.ask('position', text).split('\t');
    /** As X-FEN, with an en passant square only where a capture there is legal. */
    this.fen = fen;
    [, this.turn] = fen.split(' ');
    /** `isChess960`: a king or rook that may castle stands elsewhere than in standard chess. */
    [this.isCheck, this.#canMove, this.isInsufficient, this.isChess960] = facts.map((fact) => fact === '1');
  }

  /** The plies since a capture or a pawn's move. */
  get clock() {
    return Number(this.fen.split(' ')[4]);
  }

  /** The number before the next move: `12.` or `12...`. */
  get label() {
    const [, , , , , number] = this.fen.split(' ');
    return this.turn === 'w' ? `${number}.` : `${number}...`;
  }

  /** Whether a side has nothing but its king. */
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

  /** The legal move that a text means, in any notation; undefined if there is none, or more than one. */
  find(text) {
    return readMove(rules.ask('find', this.fen, text));
  }

  /** The position after a move. */
  after(move) {
    return new Position(move.fen);
  }

  /** The moves of a line in UCI's notation as SAN, as far as they are legal. */
  sans(ucis) {
    return rules.ask('sans', this.fen, ucis.join(' ')).split(' ').filter(Boolean);
  }

  /** How the game ends here by the rules alone: who has won, and why; undefined if it goes on. */
  get verdict() {
    if (!this.#canMove) {
      return this.isCheck
        ? { result: this.turn === 'w' ? '0-1' : '1-0', reason: 'checkmate' }
        : { result: '1/2-1/2', reason: 'stalemate' };
    }
    return this.isInsufficient ? { result: '1/2-1/2', reason: 'too little material to mate' } : undefined;
  }
}

/** White's chances for a value, as a percentage of winning. */
export const winPercent = (value) => Number(rules.ask('percent', JSON.stringify(value)));

/** A game in PGN, in the export format. */
export const tidy = (pgn) => rules.ask('tidy', pgn);

/**
 * A position in which games of Chess960 begin, from 0 to 959; 518 is that of standard
 * chess. The numbering is that of R. Scharnagl.
 */
export function start960(number) {
  const row = Array(8).fill('');
  const put = (letter, nth) => {
    const free = row.flatMap((piece, at) => (piece === '' ? [at] : []));
    row[free[nth]] = letter;
  };
  row[2 * (number % 4) + 1] = 'B';
  row[2 * (Math.floor(number / 4) % 4)] = 'B';
  put('Q', Math.floor(number / 16) % 6);
  const knights = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];
  const [first, second] = knights[Math.floor(number / 96)];
  put('N', second);
  put('N', first);
  ['R', 'K', 'R'].forEach((letter) => put(letter, 0));
  const white = row.join('');
  return `${white.toLowerCase()}/pppppppp/8/8/8/8/PPPPPPPP/${white} w KQkq - 0 1`;
}
