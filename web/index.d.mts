/** When a search ends; the first limit reached ends it. With none it runs until it is stopped. */
export interface Limit {
  /** Plies to search to. */
  depth?: number;
  nodes?: number;
  /** Milliseconds for the move. */
  movetime?: number;
  /** Moves to a mate that is looked for. */
  mate?: number;
  /** The clocks, and what each move adds to them, in milliseconds. */
  wtime?: number;
  btime?: number;
  winc?: number;
  binc?: number;
  /** Moves until the next time control. */
  movestogo?: number;
  /** Answers only when stopped. */
  infinite?: boolean;
  /** Thinks on the opponent's time: answers only after `ponderhit()` or `stop()`. */
  ponder?: boolean;
  /** The only moves to look at, in UCI notation. */
  searchmoves?: string[];
}

/** A score from the view of the side to move: either `cp` or `mate`. */
export interface Score {
  /** Centipawns. */
  cp?: number;
  /** Moves to mate; negative if the side to move is mated. */
  mate?: number;
  /** The true score is at least (`lower`) or at most (`upper`) this. */
  bound?: 'lower' | 'upper';
}

/** What the engine says while it searches. What it does not say is undefined. */
export interface Info {
  /** The line's moves in UCI notation; empty if there is none. */
  pv: string[];
  depth?: number;
  seldepth?: number;
  /** The rank of the line, from 1. */
  multipv?: number;
  score?: Score;
  /** Wins, draws and losses expected out of 1000 games, with the option `UCI_ShowWDL`. */
  wdl?: [number, number, number];
  nodes?: number;
  /** Nodes a second. */
  nps?: number;
  /** Permille of the hash table in use. */
  hashfull?: number;
  tbhits?: number;
  /** Milliseconds since the search began. */
  time?: number;
  currmove?: string;
  currmovenumber?: number;
  /** A remark in words. */
  string?: string;
}

export interface BestMove {
  /** The move to play, in UCI notation; null if there is no legal one. */
  bestmove: string | null;
  /** The expected reply. */
  ponder: string | null;
}

/** A FEN, `startpos`, or one of them and moves from there. */
export type Position = string | { fen?: string; moves?: string[] };

/** An option as the engine declares it. */
export interface Option {
  type: 'spin' | 'check' | 'combo' | 'string' | 'button';
  default: number | boolean | string;
  min?: number;
  max?: number;
  vars?: string[];
}

/** A search: iterate over what it finds, once; the last value is the best move. */
export interface Analysis {
  [Symbol.asyncIterator](): AsyncIterator<Info, BestMove, undefined>;
  /** The best move. Rejects if the position was refused, or the engine has died. */
  readonly best: Promise<BestMove>;
  /** Ends the search; resolves with its best move. */
  stop(): Promise<BestMove>;
  /** The expected move was played: the clock runs from here, or from the beginning of the search. */
  ponderhit(): void;
}

/** An engine in a worker of its own. */
export class Engine {
  private constructor();
  /**
   * Starts the engine. `worker` is the script of another engine that speaks UCI line by
   * line, or where `carrybit.js` is (in browsers with the address of the module behind a
   * `#`, if that is not `carrybit.wasm` beside it); by default `carrybit.js` beside this
   * module.
   */
  static load(options?: { worker?: string | URL }): Promise<Engine>;
  readonly name: string;
  readonly author: string;
  /** What it said of itself besides, such as its network. */
  readonly notes: string[];
  readonly options: Map<string, Option>;
  /** Called when the engine dies. */
  onError?: (error: Error) => void;
  /**
   * Searches a position. A search that is under way is stopped first. Leaving the loop over
   * what it finds stops it as well. A FEN or a move with a line end or another control
   * character is refused, and so is a move with white space.
   */
  analyse(position: Position, limit?: Limit): Analysis;
  /** Ends the search under way, if there is one. */
  stop(): Promise<BestMove> | undefined;
  /** Sets an option when the search under way has ended; rejects with what the engine objects, or at a control character. */
  setOption(name: string, value?: string | number | boolean): Promise<void>;
  /** Forgets everything learnt, when the search under way has ended. */
  newGame(): Promise<void>;
  /** Sends a line of UCI as it is, also one with line ends; `quit` is `terminate()`. */
  send(line: string): void;
  /** Has `listener` hear all lines; returns how to end that. */
  onLine(listener: (line: string) => void): () => void;
  /** Ends the worker. What is pending rejects. */
  terminate(): void;
}

/** What an `info` line says. */
export function parseInfo(line: string): Info;
