/*
 * Runs Carrybit, or any other UCI engine in a worker, from JavaScript: takes positions and returns
 * streams of search results. Works in browsers and in Node; `index.d.mts` has the types and the
 * documentation.
 */

const isNode = typeof process === 'object' && process.versions?.node !== undefined;

/** The keywords of an `info` line that precede a number. */
const NUMBERS = ['depth', 'seldepth', 'multipv', 'nodes', 'nps', 'hashfull', 'tbhits', 'time', 'currmovenumber'];

const REMARK = 'info string ';

/** The beginning of the `info string` that reports the success of `EvalFile`. */
const NETWORK = 'evaluation: ';

export function parseInfo(line) {
  const info = { pv: [] };
  const words = line.trim().split(/\s+/);
  for (let i = 1; i < words.length; ) {
    const word = words[i++];
    if (NUMBERS.includes(word)) {
      info[word] = Number(words[i++]);
    } else if (word === 'score') {
      info.score = { [words[i]]: Number(words[i + 1]) };
      i += 2;
    } else if (word === 'lowerbound' || word === 'upperbound') {
      Object.assign(info.score ?? {}, { bound: word.slice(0, 5) });
    } else if (word === 'wdl') {
      info.wdl = words.slice(i, i + 3).map(Number);
      i += 3;
    } else if (word === 'currmove') {
      info.currmove = words[i++];
    } else if (word === 'pv') {
      info.pv = words.slice(i);
      break;
    } else if (word === 'string') {
      info.string = words.slice(i).join(' ');
      break;
    }
  }
  return info;
}

/** Parses an `option` line; returns the name and the option. */
function parseOption(line) {
  const [, name, type, rest] = /^option name (.*?) type (\w+)(.*)$/.exec(line) ?? [];
  if (name === undefined) {
    return undefined;
  }
  const value = (key) => new RegExp(` ${key} (.*?)(?= (?:default|min|max|var) |$)`).exec(rest)?.[1];
  const option = { type, default: value('default') ?? '' };
  if (type === 'spin') {
    option.default = Number(option.default);
    option.min = Number(value('min'));
    option.max = Number(value('max'));
  } else if (type === 'check') {
    option.default = option.default === 'true';
  } else if (type === 'combo') {
    option.vars = [...rest.matchAll(/ var (.*?)(?= var |$)/g)].map(([, text]) => text);
  } else if (option.default === '<empty>') {
    option.default = '';
  }
  return [name, option];
}

/** Control characters, including line ends: the text after one could be another command. */
const CONTROL = /[\p{Cc}\u2028\u2029]/gu;

/** Joins a command. Throws an Error at control characters. */
function command(...words) {
  const line = words.join(' ');
  const shown = line.replace(CONTROL, '\uFFFD');
  if (shown !== line) {
    throw new Error(`not sent: "${shown}" contains a line end or another control character`);
  }
  return line;
}

/** Checks an options object. Throws a TypeError at an unknown key: it may be a misspelt one. */
function checkKeys(what, options, known) {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`not sent: ${what} is no object with the keys ${known.join(', ')}`);
  }
  // Inherited keys count, too.
  for (const key in options) {
    if (!known.includes(key)) {
      throw new TypeError(`not sent: ${what} has the unknown key "${key}"; known are ${known.join(', ')}`);
    }
  }
}

/** Checks the moves of a command. Throws an Error at white space, which could begin another keyword. */
function moveWords(moves) {
  if (!Array.isArray(moves) || moves.some((move) => typeof move !== 'string')) {
    throw new TypeError('not sent: moves are no array of strings');
  }
  const wrong = moves.find((move) => !/^\P{Zs}+$/u.test(move));
  if (wrong !== undefined) {
    throw new Error(`not sent: the move "${command(wrong)}" is empty or contains white space; pass moves as separate strings`);
  }
  return moves;
}

/** The keys of `Limit`. Clocks that have run down may be negative. */
const SWITCHES = ['ponder', 'infinite'];
const CLOCKS = ['wtime', 'btime'];
const CLOCK_DETAILS = ['winc', 'binc', 'movestogo'];
const LIMIT_NUMBERS = [...CLOCKS, ...CLOCK_DETAILS, 'movetime', 'depth', 'nodes', 'mate'];
const LIMITS = [...SWITCHES, ...LIMIT_NUMBERS, 'searchmoves'];

function goCommand(limit) {
  checkKeys('the limit', limit, LIMITS);
  const words = ['go'];
  for (const key of SWITCHES) {
    const { [key]: value = false } = limit;
    if (typeof value !== 'boolean') {
      throw new TypeError(`not sent: ${key} takes true or false, not ${String(value)} (${typeof value})`);
    }
    if (value) {
      words.push(key);
    }
  }
  for (const key of LIMIT_NUMBERS) {
    const value = limit[key];
    if (value !== undefined) {
      const isNumber = typeof value === 'number' && Number.isSafeInteger(Math.round(value));
      if (!isNumber || (Math.round(value) < 0 && !CLOCKS.includes(key))) {
        const kind = CLOCKS.includes(key) ? 'finite number' : 'number from 0';
        throw new RangeError(`not sent: ${key} takes a ${kind} below 2^53, not ${String(value)} (${typeof value})`);
      }
      words.push(key, Math.round(value));
    }
  }
  const [detail, clock] = [CLOCK_DETAILS, CLOCKS].map((keys) => keys.find((key) => limit[key] !== undefined));
  if (detail && !clock) {
    throw new TypeError(`not sent: ${detail} limits nothing without wtime and btime`);
  }
  const { searchmoves = [] } = limit;
  if (moveWords(searchmoves).length > 0) {
    words.push('searchmoves', ...searchmoves);
  }
  return command(...words);
}

/** The command for a position, after the moves `further`. */
function positionCommand(position, ...further) {
  const given = typeof position === 'string' ? { fen: position } : position;
  checkKeys('the position', given, ['fen', 'moves']);
  const { fen, moves = [] } = given;
  const words = [...moveWords(moves), ...further];
  if (/\smoves(\s|$)/i.test(fen)) {
    throw new Error(`not sent: the FEN "${command(fen)}" contains moves; pass them as separate strings`);
  }
  const start = fen === undefined || fen === 'startpos' ? 'startpos' : `fen ${fen}`;
  return command('position', start, ...(words.length > 0 ? ['moves', ...words] : []));
}

/** Adds a listener; returns a function that removes it. */
function subscribe(listeners, listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The URL of `carrybit.js`. Bundlers find both files by these expressions, and may rename them. */
function ownWorker() {
  const worker = new URL('./carrybit.js', import.meta.url);
  if (!isNode) {
    worker.hash = encodeURIComponent(new URL('./carrybit.wasm', import.meta.url));
  }
  return worker;
}

/** Starts a Web Worker or a worker thread of Node. */
function openWorker(url, { onLine, onError }) {
  if (!isNode) {
    const worker = new Worker(url);
    worker.onmessage = ({ data }) => onLine(String(data));
    worker.onerror = (event) => onError(event.error ?? new Error(event.message || `cannot run ${url}`));
    return worker;
  }
  // Not an import: bundlers for browsers refuse the modules of Node.
  const { Worker: NodeWorker } = process.getBuiltinModule('node:worker_threads');
  const worker = new NodeWorker(/^file:/i.test(url) ? new URL(url) : url);
  worker.on('message', (data) => onLine(String(data)));
  worker.on('error', onError);
  worker.on('exit', () => onError(new Error('the engine has exited')));
  return worker;
}

/** A search: a stream of results, and the best move. */
class Analysis {
  #engine;
  #infos = [];
  #waiting = [];
  #isOver = false;
  #isRunning = false;
  /** Commands that came before the search has started. */
  #orders = [];
  #settle;

  constructor(engine) {
    this.#engine = engine;
    this.best = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // A caller that only loops over the results does not handle a rejection of `best`.
    this.best.catch(() => {});
  }

  get isOver() {
    return this.#isOver;
  }

  stop() {
    this.#order('stop');
    return this.best;
  }

  ponderhit() {
    this.#order('ponderhit');
  }

  #order(line) {
    if (this.#isRunning) {
      this.#engine.send(line);
    } else {
      this.#orders.push(line);
    }
  }

  /** The engine calls this when the search starts, and the next three methods for its output and errors. */
  begin() {
    this.#isRunning = true;
    this.#orders.forEach((line) => this.#engine.send(line));
  }

  add(info) {
    const waiting = this.#waiting.shift();
    if (waiting) {
      waiting({ done: false, value: info });
    } else {
      this.#infos.push(info);
    }
  }

  finish(best) {
    this.#settle.resolve(best);
    this.#end({ done: true, value: best });
  }

  fail(error) {
    this.#settle.reject(error);
    this.#end(this.best);
  }

  #end(last) {
    this.#isRunning = false;
    this.#isOver = true;
    this.#waiting.splice(0).forEach((waiting) => waiting(last));
  }

  [Symbol.asyncIterator]() {
    return {
      next: async () => {
        if (this.#infos.length > 0) {
          return { done: false, value: this.#infos.shift() };
        }
        if (this.#isOver) {
          return { done: true, value: await this.best };
        }
        return new Promise((resolve) => this.#waiting.push(resolve));
      },
      // If the engine has ended, `best` has the error.
      return: async () => ({ done: true, value: await this.stop().catch(() => undefined) }),
    };
  }
}

/** An engine in a worker of its own. */
export class Engine {
  name = '';
  author = '';
  notes = [];
  options = new Map();
  #worker;
  #lineListeners = new Set();
  #errorListeners = new Set();
  /** The pending promise of `uci`, undefined after `uciok`; and the pending promises of `isready`. */
  #handshake;
  #ready = [];
  /** The `info string`s since the last `isready`. */
  #remarks = [];
  /** The running search, the last one requested, and the promise of the last request. */
  #running;
  #latest;
  #last = Promise.resolve();
  #problem;

  static async load(options = {}) {
    checkKeys('the argument of load', options, ['worker']);
    const { worker = ownWorker() } = options;
    const engine = new Engine();
    const started = new Promise((resolve, reject) => {
      engine.#handshake = { resolve, reject };
    });
    engine.#worker = openWorker(worker, {
      onLine: (line) => engine.#handle(line),
      onError: (error) => engine.#die(error),
    });
    engine.send('uci');
    await started;
    return engine;
  }

  send(text) {
    for (const line of text.split(/[\r\n]/)) {
      const [word] = line.trim().toLowerCase().split(/\s/);
      // A worker that ends by itself reports that in Node only.
      if (word === 'quit') {
        this.terminate();
        return;
      }
      this.#worker.postMessage(line);
      if (word === 'isready') {
        // This `readyok` belongs to no request.
        this.#ready.push({ resolve() {}, reject() {} });
      }
    }
  }

  onLine(listener) {
    return subscribe(this.#lineListeners, listener);
  }

  onError(listener) {
    return subscribe(this.#errorListeners, listener);
  }

  analyse(position, limit = {}) {
    this.#latest?.stop();
    const analysis = new Analysis(this);
    this.#latest = analysis;
    this.#enqueue(async () => {
      const go = goCommand(limit);
      // `go` would leave out illegal root moves; `position` refuses them.
      const tries = limit.searchmoves?.map((move) => positionCommand(position, move)) ?? [];
      const remarks = await this.#sendAndWait(...tries, positionCommand(position));
      if (remarks.length > 0) {
        throw new Error([...new Set(remarks)].join('; '));
      }
      // A listener may have terminated the engine at `readyok`.
      if (this.#problem) {
        throw this.#problem;
      }
      this.#running = analysis;
      this.send(go);
      analysis.begin();
      await analysis.best;
    }).catch((error) => analysis.fail(error));
    return analysis;
  }

  stop() {
    return this.#latest?.isOver ? undefined : this.#latest?.stop();
  }

  setOption(name, value) {
    return this.#enqueue(async () => {
      const line = command('setoption name', name, ...(value === undefined ? [] : ['value', value]));
      if (typeof name !== 'string' || !/^\S+( \S+)*$/.test(name) || / value /i.test(`${name} `)) {
        throw new TypeError(`not sent: "${name}" is no name of an option`);
      }
      if (!['string', 'number', 'boolean', 'undefined'].includes(typeof value)) {
        throw new TypeError(`not sent: ${name} takes a text, a number, true or false, not ${value} (${typeof value})`);
      }
      const known = [...this.options].find(([other]) => other.toLowerCase() === name.toLowerCase());
      const { type, min, max } = known?.[1] ?? {};
      // The engine would set the nearest value.
      if (type === 'spin' && !(Number.isInteger(Number(value)) && value >= min && value <= max)) {
        throw new RangeError(`not sent: ${name} takes a whole number from ${min} to ${max}, not ${value}`);
      }
      const remarks = await this.#sendAndWait(line);
      const problems = remarks.filter((remark) => !remark.startsWith(NETWORK));
      if (problems.length > 0) {
        throw new Error(problems.join('; '));
      }
    });
  }

  newGame() {
    return this.#enqueue(async () => {
      await this.#sendAndWait('ucinewgame');
    });
  }

  terminate() {
    this.#die(new Error('the engine was terminated'), false);
  }

  /** Runs `act` after all earlier requests. */
  #enqueue(act) {
    const done = this.#last.then(() => {
      if (this.#problem) {
        throw this.#problem;
      }
      return act();
    });
    this.#last = done.catch(() => {});
    return done;
  }

  /** Sends lines; resolves with the engine's `info string`s when the engine is ready again. */
  #sendAndWait(...lines) {
    this.#remarks = [];
    lines.forEach((line) => this.send(line));
    this.#worker.postMessage('isready');
    return new Promise((resolve, reject) => this.#ready.push({ resolve, reject }));
  }

  #handle(line) {
    if (line.startsWith(REMARK)) {
      const remark = line.slice(REMARK.length);
      (this.#handshake ? this.notes : this.#remarks).push(remark);
    }
    if (line.startsWith('info ')) {
      this.#running?.add(parseInfo(line));
    } else if (line.startsWith('bestmove')) {
      const [, move, , ponder] = line.split(/\s+/);
      const bestmove = move === '(none)' || move === '0000' ? null : move;
      const analysis = this.#running;
      this.#running = undefined;
      analysis?.finish({ bestmove, ponder: ponder ?? null });
    } else if (line === 'readyok') {
      this.#ready.shift()?.resolve(this.#remarks.splice(0));
    } else if (line === 'uciok') {
      this.#handshake?.resolve();
      this.#handshake = undefined;
    } else if (this.#handshake && line.startsWith('id name ')) {
      this.name = line.slice('id name '.length);
    } else if (this.#handshake && line.startsWith('id author ')) {
      this.author = line.slice('id author '.length);
    } else if (this.#handshake && line.startsWith('option ')) {
      const option = parseOption(line);
      if (option) {
        this.options.set(...option);
      }
    }
    this.#lineListeners.forEach((listener) => listener(line));
  }

  #die(error, isReported = true) {
    if (this.#problem) {
      return;
    }
    this.#problem = error;
    this.#worker.terminate();
    this.#handshake?.reject(error);
    this.#ready.splice(0).forEach(({ reject }) => reject(error));
    this.#running?.fail(error);
    this.#running = undefined;
    if (isReported) {
      this.#errorListeners.forEach((listener) => listener(error));
    }
  }
}
