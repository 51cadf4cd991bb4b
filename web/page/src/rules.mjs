// The rules, as positions that never change: the moves that can be played, and their results.
//
// The engine's own module says what is legal (web/rules/). Moves are named as UCI names them in
// Chess960: castling is king takes rook.

import { ask } from './rules-wasm.mjs';

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

const FILES = 'abcdefgh';

/** Castling, however it is written. */
const CASTLING = /^([0Oo])-?\1(-?\1|)$/;

const other = (color) => (color === 'w' ? 'b' : 'w');
const colorOf = (letter) => (letter === letter.toUpperCase() ? 'w' : 'b');

/** The pieces of a FEN's first field, by square. */
export function readPieces(placement) {
  const pieces = new Map();
  placement.split('/').forEach((row, at) => {
    const squares = row.replace(/\d/g, (count) => ' '.repeat(Number(count)));
    [...squares].forEach((letter, file) => letter !== ' ' && pieces.set(FILES[file] + (8 - at), letter));
  });
  return pieces;
}

/** The first field of a FEN. */
export function writePieces(pieces) {
  const row = (rank) => [...FILES].map((file) => pieces.get(file + rank) ?? ' ').join('');
  const rows = [8, 7, 6, 5, 4, 3, 2, 1].map((rank) => row(rank).replace(/ +/g, (gap) => gap.length));
  return rows.join('/');
}

/** A move from its line in the module's answer; undefined for an empty one. */
function readMove(line) {
  if (line === '') {
    return undefined;
  }
  const [uci, san, fen, capture, castled] = line.split('\t');
  const move = { from: uci.slice(0, 2), to: uci.slice(2, 4), uci, san, promotion: uci[4], isCapture: capture !== '', fen };
  return castled === '' ? move : { ...move, castled };
}

/** A position. */
export class Position {
  #moves;
  #canMove;

  /** Reads a FEN, of which the last fields may be missing. Throws an Error that says what is wrong. */
  constructor(text = START) {
    const [fen, ...facts] = ask('position', text).split('\t');
    /** As X-FEN, with an en passant square only where a capture there is legal. */
    this.fen = fen;
    const [placement, turn] = fen.split(' ');
    this.turn = turn;
    this.pieces = readPieces(placement);
    /** `isChess960`: a king or rook that may castle stands elsewhere than in standard chess. */
    [this.isCheck, this.#canMove, this.isInsufficient, this.isChess960] = facts.map((fact) => fact === '1');
  }

  /** What repeats if the position does. */
  get key() {
    return this.fen.split(' ').slice(0, 4).join(' ');
  }

  /** The plies since a capture or a pawn's move. */
  get clock() {
    return Number(this.fen.split(' ')[4]);
  }

  /** The number of the next move, from 1. */
  get number() {
    return Number(this.fen.split(' ')[5]);
  }

  /** The number before the next move: `12.` or `12...`. */
  get label() {
    return this.turn === 'w' ? `${this.number}.` : `${this.number}...`;
  }

  /** Whether a side has nothing but its king. */
  isBare(color) {
    return [...this.pieces.values()].filter((letter) => colorOf(letter) === color).length === 1;
  }

  /**
   * The legal moves: `{ from, to, uci, san, fen, isCapture, promotion?, castled? }`, where
   * `fen` is what they lead to and `castled` where the king then stands.
   */
  get moves() {
    this.#moves ??= ask('moves', this.fen).split('\n').map(readMove).filter(Boolean);
    return this.#moves;
  }

  /** The legal move of this name in UCI's notation, undefined if there is none. Costs far less than all moves. */
  named(uci) {
    return readMove(ask('named', this.fen, uci));
  }

  /** The position after a move. */
  after(move) {
    return new Position(move.fen);
  }

  /** The position with the other side to move, as if a move had been passed. Throws in check. */
  passed() {
    const fields = this.fen.split(' ');
    fields[1] = other(this.turn);
    fields[3] = '-';
    fields[4] = this.clock + 1;
    fields[5] = this.number + (this.turn === 'b' ? 1 : 0);
    return new Position(fields.join(' '));
  }

  /**
   * The move that a text means, in SAN, UCI's notation or something in between; undefined if
   * there is none, or more than one.
   */
  find(text) {
    const bare = text.trim().replace(/e\.?p\.?$/, '').replace(/[+#!?\s]/g, '');
    const [, , far] = CASTLING.exec(bare) ?? [];
    if (far !== undefined) {
      return readMove(ask('meant', this.fen, far === '' ? 'O-O' : 'O-O-O'));
    }
    const meant = readMove(ask('meant', this.fen, bare));
    return meant ?? [...this.#matches(bare, 'KQRBNP'), ...this.#matches(bare, 'KQRBNPkqrnp')].at(0);
  }

  /** The move that is meant by a piece's letter, parts of a square and a square, if it is the only one. */
  #matches(text, letters) {
    const form = new RegExp(`^([${letters}]?)([a-h]?)([1-8]?)[-x:]?([a-h][1-8])(?:[=/(]?([QRBNqrbn])\\)?)?$`);
    const [, kind, file, rank, to, promotion = 'q'] = form.exec(text) ?? [];
    if (to === undefined) {
      return this.#capture(text);
    }
    // A pawn is told by its file at most; two squares tell any piece.
    const kinds = kind !== '' ? kind.toUpperCase() : rank === '' ? 'P' : 'KQRBNP';
    const isMeant = (move) =>
      !move.castled &&
      move.to === to &&
      kinds.includes(this.pieces.get(move.from).toUpperCase()) &&
      move.from.startsWith(file) &&
      move.from.endsWith(rank) &&
      (move.promotion ?? promotion.toLowerCase()) === promotion.toLowerCase();
    const found = this.moves.filter(isMeant);
    return found.length === 1 ? found : [];
  }

  /** The pawn's capture that is meant by two files, if it is the only one. */
  #capture(text) {
    const [, from, to] = /^([a-h])x?([a-h])$/.exec(text) ?? [];
    const isMeant = (move) =>
      move.isCapture &&
      move.from[0] === from &&
      move.to[0] === to &&
      this.pieces.get(move.from).toUpperCase() === 'P' &&
      (move.promotion ?? 'q') === 'q';
    const found = from === undefined ? [] : this.moves.filter(isMeant);
    return found.length === 1 ? found : [];
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

/** The squares of a move that are worth a mark: where it begins, and where it ends. */
export function ends(move) {
  return [move.from, move.castled ?? move.to];
}

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
