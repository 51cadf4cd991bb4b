// The rules, as positions that never change: what can be played in one, and what it leads to.
//
// chess.js knows them, but for the castling of Chess960, so castling is done here, for all
// games alike. Moves are named as UCI names them in Chess960: castling is king takes rook.

import { Chess, validateFen } from 'chess.js';

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

const FILES = 'abcdefgh';

/** The files that king and rook castle to, by the side of the board. */
const CASTLED = { K: { king: 'g', rook: 'f', san: 'O-O' }, Q: { king: 'c', rook: 'd', san: 'O-O-O' } };

/** Castling, however it is written, and a move in SAN without marks. */
const CASTLING = /^([0Oo])-?\1(-?\1|)$/;
const SAN = /^([KQRBN]?)([a-h]?)([1-8]?)x?([a-h][1-8])(?:=?([QRBN]))?$/;

/** The most men, and the most pawns, that the engine allows a side, and the most that may check a king. */
const MAX_MEN = 16;
const MAX_PAWNS = 8;
const MAX_CHECKERS = 2;

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

/** The rooks of a side that stand on its first rank, from its king outwards, to a side of the board. */
function rooksBeside(pieces, color, side) {
  const rank = color === 'w' ? '1' : '8';
  const [king, rook] = color === 'w' ? ['K', 'R'] : ['k', 'r'];
  const at = [...FILES].findIndex((file) => pieces.get(file + rank) === king);
  if (at < 0) {
    return [];
  }
  const files = side === 'K' ? [...FILES].slice(at + 1) : [...FILES].slice(0, at).reverse();
  return files.map((file) => file + rank).filter((square) => pieces.get(square) === rook);
}

/**
 * The rooks that may castle, as `{ wK: 'h1', … }`. Both X-FEN and Shredder-FEN are read;
 * what no king and rook stand for is left out.
 */
function readRights(field, pieces) {
  const rights = {};
  for (const letter of field.replace('-', '')) {
    const color = colorOf(letter);
    const name = letter.toUpperCase();
    for (const side of ['K', 'Q']) {
      const rooks = rooksBeside(pieces, color, side);
      const rook = name === side ? rooks.at(-1) : rooks.find((square) => square[0] === letter.toLowerCase());
      if (rook) {
        rights[color + side] = rook;
      }
    }
  }
  return rights;
}

/** Rights as X-FEN writes them: by the file where another rook stands further out. */
function writeRights(rights, pieces) {
  const letters = ['wK', 'wQ', 'bK', 'bQ'].filter((right) => rights[right]).map((right) => {
    const [color, side] = right;
    const isOuter = rooksBeside(pieces, color, side).at(-1) === rights[right];
    const letter = isOuter ? side : rights[right][0].toUpperCase();
    return color === 'w' ? letter : letter.toLowerCase();
  });
  return letters.join('') || '-';
}

/** The squares of a rank from one to another, both included. */
function between(from, to) {
  const [low, high] = [from, to].map((square) => FILES.indexOf(square[0])).sort((a, b) => a - b);
  return [...FILES].slice(low, high + 1).map((file) => file + from[1]);
}

/** A position. */
export class Position {
  #chess;
  #rights;
  #moves;

  /** Reads a FEN, of which the last fields may be missing. Throws an Error that says what is wrong. */
  constructor(fen = START) {
    const fields = fen.trim().split(/\s+/);
    const [placement = '', turn = 'w', castling = '-', enPassant = '-', clock = '0', number = '1'] = fields;
    // Many programs count moves from 0.
    const bare = [placement, turn, '-', enPassant, clock, /^0+$/.test(number) ? '1' : number].join(' ');
    const { ok, error } = validateFen(bare);
    if (!ok) {
      throw new Error(error.replace('Invalid FEN: ', ''));
    }
    if (!/^(-|[A-HKQa-hkq]{1,4})$/.test(castling)) {
      throw new Error('castling rights are unreadable');
    }
    this.#chess = new Chess(bare, { skipValidation: true });
    this.turn = turn;
    this.pieces = readPieces(placement);
    this.#rights = readRights(castling, this.pieces);
    this.#checkMen();
    const written = this.#chess.fen().split(' ');
    written[2] = writeRights(this.#rights, this.pieces);
    /** As X-FEN, with an en passant square only where a capture there is legal. */
    this.fen = written.join(' ');
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

  get isCheck() {
    return this.#chess.inCheck();
  }

  get isInsufficient() {
    return this.#chess.isInsufficientMaterial();
  }

  /** Whether king or rooks that may castle stand elsewhere than in standard chess. */
  get isChess960() {
    const homes = { wK: 'h1', wQ: 'a1', bK: 'h8', bQ: 'a8' };
    return Object.entries(this.#rights).some(
      ([right, rook]) => rook !== homes[right] || this.#king(right[0])[0] !== 'e',
    );
  }

  /** Throws an Error where men are more than the engine has room for, or check whom they cannot. */
  #checkMen() {
    for (const [color, name] of [['w', 'White'], ['b', 'Black']]) {
      const men = this.#men(color);
      if (men.length > MAX_MEN) {
        throw new Error(`${name} has more than ${MAX_MEN} men`);
      }
      if (men.filter((letter) => letter.toUpperCase() === 'P').length > MAX_PAWNS) {
        throw new Error(`${name} has more than ${MAX_PAWNS} pawns`);
      }
    }
    if (this.#isAttacked(this.#king(other(this.turn)), this.turn)) {
      throw new Error('the side that is not to move is in check');
    }
    if (this.#chess.attackers(this.#king(this.turn), other(this.turn)).length > MAX_CHECKERS) {
      throw new Error('the king is attacked by more than two pieces');
    }
  }

  /** The letters of a side's men. */
  #men(color) {
    return [...this.pieces.values()].filter((letter) => colorOf(letter) === color);
  }

  /** Whether a side has nothing but its king. */
  isBare(color) {
    return this.#men(color).length === 1;
  }

  #king(color) {
    return this.#chess.findPiece({ type: 'k', color })[0];
  }

  #isAttacked(square, by) {
    return this.#chess.isAttacked(square, by);
  }

  /**
   * The legal moves: `{ from, to, uci, san, fen, isCapture, promotion?, castled? }`, where
   * `fen` is what they lead to and `castled` where the king then stands.
   */
  get moves() {
    this.#moves ??= [
      ...this.#chess.moves({ verbose: true }).map((move) => this.#ordinary(move)),
      ...['K', 'Q'].map((side) => this.#castling(side)).filter(Boolean),
    ];
    return this.#moves;
  }

  /** The legal move of this name in UCI's notation, undefined if there is none. Costs far less than all moves. */
  named(uci) {
    if (this.#moves) {
      return this.#moves.find((move) => move.uci === uci);
    }
    const [, from, to, promotion] = /^([a-h][1-8])([a-h][1-8])([qrbn]?)$/.exec(uci) ?? [];
    if (from === undefined) {
      return undefined;
    }
    const side = ['K', 'Q'].find((name) => this.#rights[this.turn + name] === to);
    if (side && from === this.#king(this.turn)) {
      return this.#castling(side);
    }
    let move;
    try {
      move = this.#chess.move({ from, to, promotion: promotion || undefined });
    } catch {
      return undefined;
    }
    this.#chess.undo();
    return this.#ordinary(move);
  }

  #ordinary({ from, to, piece, promotion, san, captured, after }) {
    const rights = Object.entries(this.#rights).filter(
      ([right, rook]) => rook !== from && rook !== to && !(piece === 'k' && right[0] === this.turn),
    );
    const fields = after.split(' ');
    fields[2] = writeRights(Object.fromEntries(rights), readPieces(fields[0]));
    const uci = from + to + (promotion ?? '');
    return { from, to, uci, san, promotion, isCapture: captured !== undefined, fen: fields.join(' ') };
  }

  #castling(side) {
    const rook = this.#rights[this.turn + side];
    if (!rook) {
      return undefined;
    }
    const from = this.#king(this.turn);
    const [kingTo, rookTo] = [CASTLED[side].king, CASTLED[side].rook].map((file) => file + from[1]);
    const way = new Set([...between(from, kingTo), ...between(rook, rookTo)]);
    const isFree = [...way].every((square) => square === from || square === rook || !this.pieces.has(square));
    if (!isFree || between(from, kingTo).some((square) => this.#isAttacked(square, other(this.turn)))) {
      return undefined;
    }
    const pieces = new Map(this.pieces);
    const [kingLetter, rookLetter] = [pieces.get(from), pieces.get(rook)];
    pieces.delete(from);
    pieces.delete(rook);
    pieces.set(kingTo, kingLetter).set(rookTo, rookLetter);
    const rights = Object.entries(this.#rights).filter(([right]) => right[0] !== this.turn);
    const number = this.number + (this.turn === 'b' ? 1 : 0);
    const field = writeRights(Object.fromEntries(rights), pieces);
    const fen = [writePieces(pieces), other(this.turn), field, '-', this.clock + 1, number].join(' ');
    // The rook may have stood between its king and an attacker.
    const next = new Chess(fen.replace(` ${field} `, ' - '), { skipValidation: true });
    if (next.isAttacked(kingTo, other(this.turn))) {
      return undefined;
    }
    const check = next.isCheckmate() ? '#' : next.inCheck() ? '+' : '';
    const san = CASTLED[side].san + check;
    return { from, to: rook, uci: from + rook, san, fen, isCapture: false, castled: kingTo };
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
    const plain = (san) => san.replace(/[+#]/g, '');
    const [, , far] = CASTLING.exec(bare) ?? [];
    if (far !== undefined) {
      return this.#castling(far === '' ? 'K' : 'Q');
    }
    const quick = this.#moves ? undefined : this.#quick(bare);
    if (quick) {
      return quick;
    }
    const exact = this.moves.find(({ san, uci }) => plain(san) === bare || uci === bare.toLowerCase());
    if (exact) {
      return exact;
    }
    const castled = this.moves.find((move) => move.castled && move.from + move.castled === bare.toLowerCase());
    const matches = (letters) => this.#matches(bare, letters);
    return [castled, ...matches('KQRBNP'), ...matches('KQRBNPkqrnp')].find(Boolean);
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

  /** The move of this name in SAN, undefined if it takes a closer look. Costs far less than all moves. */
  #quick(text) {
    const [, kind, file, rank, to, promotion = ''] = SAN.exec(text) ?? [];
    if (to === undefined) {
      return undefined;
    }
    const letter = this.turn === 'w' ? kind || 'P' : (kind || 'P').toLowerCase();
    const column = kind === '' && file === '' ? to[0] : file;
    const found = [...this.pieces]
      .filter(([from, piece]) => piece === letter && from.startsWith(column) && from.endsWith(rank))
      .map(([from]) => this.named(from + to + promotion.toLowerCase()))
      .filter((move) => move && !move.castled);
    return found.length === 1 ? found[0] : undefined;
  }

  get #canMove() {
    const isStuck = this.#chess.isCheckmate() || this.#chess.isStalemate();
    return !isStuck || ['K', 'Q'].some((side) => this.#castling(side));
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
