/** The FEN of the standard start position. */
export const START: string;

/**
 * Loads `rules.wasm`, by default beside this module. Everything else needs it; a second call does nothing. In Node,
 * `url` may be a path.
 */
export function load(url?: string | URL): Promise<void>;

/** Uses a module that you have compiled, without waiting, instead of `load`. */
export function start(module: WebAssembly.Module): void;

export interface Options {
  /** Write castling in UCI notation always as king takes rook; by default, only where `isChess960` is true. */
  chess960?: boolean;
}

export interface Move {
  /** In UCI notation. `0000` is a null move, which only games contain; then `from` and `to` are empty. */
  uci: string;
  san: string;
  /** The squares in `uci`. */
  from: string;
  to: string;
  /** The piece in small letters. */
  promotion?: string;
  /** The king's square after castling. */
  castled?: string;
  isCapture: boolean;
  /** The position after the move. */
  fen: string;
}

/** The end of a game: `1-0`, `0-1` or `1/2-1/2`, and the reason in English. */
export interface Verdict {
  result: string;
  reason: string;
}

/** An immutable position. */
export class Position {
  /** Reads a FEN, by default that of the start position; the last fields may be missing. Throws an Error with the reason. */
  constructor(fen?: string, options?: Options);
  /** X-FEN; the en passant square is set only if a capture is legal. */
  readonly fen: string;
  readonly turn: 'w' | 'b';
  readonly isCheck: boolean;
  /** Whether a king or rook with castling rights is not on its standard square. */
  readonly isChess960: boolean;
  /** The end of the game by the position alone, without repetitions; undefined if the game continues. */
  readonly verdict: Verdict | undefined;
  /** The number before the next move: `12.` or `12...`. */
  readonly label: string;
  /** The legal moves. */
  readonly moves: readonly Move[];
  /** The legal move that a text in any notation means, such as `Nf3`, `g1f3` or `O-O`; undefined if it is illegal or ambiguous. A promotion without a piece is one to a queen. */
  find(text: string): Move | undefined;
  /** The position after a legal move in any notation. Throws an Error at another text. */
  play(text: string): Position;
  /** Converts a line from UCI notation to SAN, up to the first illegal move. */
  sans(moves: readonly string[]): string[];
}

/** The start position of Chess960 with a number from 0 to 959; 518 is standard chess. */
export function start960(number: number): string;

/** The end of a game without a claim, and the draw that a player may claim. `moves` are in UCI notation, from `fen`; `0000` is a null move. */
export function outcomes(game: { fen?: string; moves?: readonly string[] }): [end: Verdict | null, claim: Verdict | null];

/** Moves, and the comments before the first of them. */
export interface Line {
  comments: string[];
  moves: GameMove[];
}

export interface GameMove extends Move {
  /** Numeric annotation glyphs: 1 for `!`, 2 for `?` and so on. */
  nags: number[];
  /** As written, with commands such as `[%clk 0:05:00]`. */
  comments: string[];
  /** Alternatives to this move. Those with illegal moves are left out. */
  variations: Line[];
}

export interface Game extends Line {
  tags: Record<string, string>;
  /** The first position. */
  fen: string;
  result: string;
  /** Why the game cannot be read. Then it has no moves, and of the tags only the names of the players. */
  problem?: string;
}

/** Reads the games of a file in PGN one by one. Bytes may be compressed by gzip, and in any encoding that `carrybit analyse` reads. */
export function readGames(pgn: string | Uint8Array, options?: Options): Generator<Game, void, undefined>;

/** A line to write: each move is a text in any notation or has its SAN; `--`, `0000` and `Z0` are null moves. */
export interface Draft {
  comments?: readonly string[];
  moves?: readonly (string | ({ san: string; nags?: readonly number[]; variations?: readonly Draft[] } & Pick<Draft, 'comments'>))[];
}

/**
 * Writes a game in PGN: its main line and variations, with the seven standard tags and those for other start positions.
 * Throws an Error at an illegal move.
 */
export function writeGame(game: Draft & { tags?: Readonly<Record<string, string>>; fen?: string; result?: string }): string;
