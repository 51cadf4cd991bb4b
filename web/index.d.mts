/**
 * The limits of a search; the first one reached ends it. Without limits, the search runs until it is stopped.
 * Numbers are rounded. The analysis rejects if a number is not finite, 2^53 or more, or negative, a value has another
 * type, a key is unknown (the TypeError lists the known keys), or there are increments or `movestogo` without a clock.
 */
export interface Limit {
  /** In plies. */
  depth?: number;
  nodes?: number;
  /** The time for the move, in milliseconds. */
  movetime?: number;
  /** Search for a mate in this many moves. */
  mate?: number;
  /** The clocks and the increments, in milliseconds. A clock may be negative: no time is left. */
  wtime?: number;
  btime?: number;
  winc?: number;
  binc?: number;
  /** Moves until the next time control. */
  movestogo?: number;
  /** Search until stopped. */
  infinite?: boolean;
  /** Search on the opponent's time. The other limits apply after `ponderhit()`. */
  ponder?: boolean;
  /** The root moves to search, in UCI notation. The analysis rejects if one is illegal. */
  searchmoves?: string[];
}

/** A score from the point of view of the side to move: either `cp` or `mate`. */
export type Score = (
  | {
      /** Centipawns. */
      cp: number;
      mate?: undefined;
    }
  | {
      /** Moves to mate; negative if the side to move is mated. */
      mate: number;
      cp?: undefined;
    }
) & {
  /** The true score is at least (`lower`) or at most (`upper`) this. */
  bound?: 'lower' | 'upper';
};

/** An `info` line. Missing fields are undefined. */
export interface Info {
  /** The principal variation in UCI notation; may be empty. */
  pv: string[];
  depth?: number;
  seldepth?: number;
  /** The rank of the line, from 1. */
  multipv?: number;
  score?: Score;
  /** Wins, draws and losses expected out of 1000 games, with the option `UCI_ShowWDL`. */
  wdl?: [number, number, number];
  nodes?: number;
  /** Nodes per second. */
  nps?: number;
  /** Permille of the hash table in use. */
  hashfull?: number;
  tbhits?: number;
  /** Milliseconds since the search began. */
  time?: number;
  currmove?: string;
  currmovenumber?: number;
  /** The text of an `info string`. */
  string?: string;
}

export interface BestMove {
  /** The best move in UCI notation; null if there is no legal move. */
  bestmove: string | null;
  /** The expected reply. */
  ponder: string | null;
}

/** A FEN or `startpos`; or an object with the moves played from there, by default from `startpos`. */
export type Position = string | { fen?: string; moves?: string[] };

/** A UCI option. */
export type Option =
  | { type: 'spin'; default: number; min: number; max: number }
  | { type: 'check'; default: boolean }
  | { type: 'combo'; default: string; vars: string[] }
  | { type: 'string' | 'button'; default: string };

/** A search. Iterate over its results once; the return value of the iterator is the best move. */
export interface Analysis {
  [Symbol.asyncIterator](): AsyncIterator<Info, BestMove, undefined>;
  /** The best move. Rejects if the engine refuses the position or crashes. */
  readonly best: Promise<BestMove>;
  /** Stops the search; resolves with its best move. */
  stop(): Promise<BestMove>;
  /** The expected move was played: a ponder search continues as a normal search. */
  ponderhit(): void;
}

/** An engine in its own worker. */
export class Engine {
  private constructor();
  /**
   * Starts the engine. `worker` is the URL of `carrybit.js` (by default beside this module), or the script of
   * another UCI engine. In browsers, `carrybit.js#URL` loads the WebAssembly module from this URL.
   */
  static load(options?: { worker?: string | URL }): Promise<Engine>;
  readonly name: string;
  readonly author: string;
  /** The `info string`s at the start, such as the name of the network. */
  readonly notes: string[];
  readonly options: Map<string, Option>;
  /**
   * Searches a position. Stops the running search first. Leaving the loop over the results stops the search, too.
   * The analysis rejects if a FEN or a move contains a control character, a move is empty or contains white space, or a
   * FEN is followed by moves.
   */
  analyse(position: Position, limit?: Limit): Analysis;
  /** Stops the running search, if any. */
  stop(): Promise<BestMove> | undefined;
  /**
   * Sets an option after the running search. Rejects and changes nothing if the engine refuses the option, a
   * `spin` is not a whole number from `min` to `max`, there is a control character, or the name contains white space
   * at an end or the word `value`. If memory is short, `Hash` rejects, too; the message has the size that is used instead.
   */
  setOption(name: string, value?: string | number | boolean): Promise<void>;
  /** Clears the hash table and the histories after the running search. */
  newGame(): Promise<void>;
  /**
   * Sends lines of UCI, unchecked; `quit` calls `terminate()`. For commands without a method: the engine's messages
   * about them can make the next request reject.
   */
  send(lines: string): void;
  /** Calls `listener` for all lines; returns a function that removes it. */
  onLine(listener: (line: string) => void): () => void;
  /** Calls `listener` when the engine crashes or exits; returns a function that removes it. */
  onError(listener: (error: Error) => void): () => void;
  /** Terminates the worker. Pending promises reject. */
  terminate(): void;
}

/** Parses an `info` line. */
export function parseInfo(line: string): Info;
