/*
 * The rules of chess, FEN, SAN and PGN without an engine: calls the WebAssembly module of rules/. Works in
 * browsers and in Node; `rules.d.mts` has the types and the documentation. What is not there is for the page of
 * page/, which uses this file, too.
 */

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** The maximum size of a text, in bytes. */
export const MAX_BYTES = 400 * 2 ** 20;

/** The bytes decoded in a step; gzip may expand them a thousandfold. */
const PIECE_BYTES = 2 ** 12;

const isNode = typeof process === 'object' && process.versions?.node !== undefined;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let compiled;
let shared;

/** Uses a compiled module. */
export function start(module) {
  compiled = module;
}

/** Loads and compiles the module. Bundlers find the file by this expression, and may rename it. */
export async function load(url = new URL('./rules.wasm', import.meta.url)) {
  if (compiled) {
    return;
  }
  if (isNode) {
    // Not an import: bundlers for browsers refuse the modules of Node.
    const { readFile } = process.getBuiltinModule('node:fs/promises');
    start(await WebAssembly.compile(await readFile(url)));
    return;
  }
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`cannot load ${response.url}: ${response.status} ${response.statusText}`);
  }
  start(await WebAssembly.compile(await response.arrayBuffer()));
}

function instantiate() {
  if (!compiled) {
    throw new Error('the rules are not loaded: await load() first');
  }
  return new WebAssembly.Instance(compiled).exports;
}

/** An instance of the module with its own memory. */
class Module {
  #exports = instantiate();

  /** Calls a function with texts as arguments. If it fails, throws an Error with its message. */
  ask(name, ...texts) {
    return this.#call(encoder.encode([name, ...texts].join('\t')));
  }

  /** Decodes the next bytes of a file. */
  decode(bytes) {
    return this.#call(encoder.encode('decode\t'), bytes);
  }

  #call(head, bytes = new Uint8Array()) {
    const { memory, room, answer, ask } = this.#exports;
    try {
      // Addresses from 2 GB on arrive as negative numbers.
      const address = room(head.length + bytes.length) >>> 0;
      const input = new Uint8Array(memory.buffer, address, head.length + bytes.length);
      input.set(head);
      input.set(bytes, head.length);
      const length = ask();
      const text = decoder.decode(new Uint8Array(memory.buffer, answer() >>> 0, length < 0 ? ~length : length));
      if (length >= 0) {
        return text;
      }
      throw new Error(text);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        // After a trap, the instance is unusable. The usual cause is a lack of memory.
        this.#exports = instantiate();
        throw new Error('out of memory; try a smaller file');
      }
      throw error;
    }
  }
}

/** Calls a function that keeps no state. */
export const ask = (...words) => (shared ??= new Module()).ask(...words);

export class Position {
  #moves;
  #options;

  constructor(text = START, { chess960 = false } = {}) {
    const [fen, isCheck, isChess960, result, reason] = ask('position', text).split('\t');
    this.#options = { chess960 };
    this.fen = fen;
    [, this.turn] = fen.split(' ');
    this.isCheck = isCheck === '1';
    this.isChess960 = isChess960 === '1';
    this.verdict = result && { result, reason };
  }

  get label() {
    const [, , , , , number] = this.fen.split(' ');
    return this.turn === 'w' ? `${number}.` : `${number}...`;
  }

  get moves() {
    this.#moves ??= ask('moves', this.fen).split('\n').map((line) => this.#readMove(line)).filter(Boolean);
    return this.#moves;
  }

  find(text) {
    return this.#readMove(ask('find', this.fen, text));
  }

  play(text) {
    const move = this.find(text);
    if (!move) {
      throw new Error(`${text} is not a legal move in ${this.fen}`);
    }
    return new Position(move.fen, this.#options);
  }

  sans(moves) {
    return ask('sans', this.fen, moves.join(' ')).split(' ').filter(Boolean);
  }

  /** Parses a line of the module's answer, where castling is king takes rook; undefined for an empty line. */
  #readMove(line) {
    if (line === '') {
      return undefined;
    }
    const [code, san, fen, capture] = line.split('\t');
    const castled = san.startsWith('O') ? (san.startsWith('O-O-O') ? 'c' : 'g') + code[1] : undefined;
    const takesRook = this.#options.chess960 || this.isChess960;
    const uci = castled && !takesRook ? code.slice(0, 2) + castled : code;
    const move = { from: uci.slice(0, 2), to: uci.slice(2, 4), uci, san, promotion: uci[4], isCapture: capture !== '', fen };
    return castled ? { ...move, castled } : move;
  }
}

export const start960 = (number) => ask('start', number);

export const outcomes = ({ fen = START, moves = [] }) => JSON.parse(ask('outcomes', fen, moves.join(' ')));

/** A file in PGN. Long work runs in generators, so that the page stays responsive. */
export class GameFile {
  #module = new Module();

  /** Begins a file of this size in bytes. A new instance of the module frees the memory of the last file. */
  begin(size) {
    this.#module = new Module();
    this.#module.ask('begin', Math.min(size, MAX_BYTES));
  }

  *decoding(bytes) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const length = Number(this.#module.decode(bytes.subarray(at, at + PIECE_BYTES)));
      if (length > MAX_BYTES) {
        throw new Error(`the file has more than ${MAX_BYTES / 2 ** 20} MB of text; split it into smaller files`);
      }
      yield;
    }
  }

  /** Ends the file. Returns its text, or null if that is longer than `limit` bytes. */
  end(limit) {
    return JSON.parse(this.#module.ask('end', limit));
  }

  /** Lists the games: `onGame` gets `{ white, black, result, problem }` of each, null where unknown. */
  *listing(onGame) {
    for (let part = 'first'; ; part = 'next') {
      const [games, isLast] = JSON.parse(this.#module.ask('list', part));
      games.forEach(onGame);
      if (isLast) {
        return;
      }
      yield;
    }
  }

  /** Plays the game with this number in the list. The generator's result is the game for the viewer. */
  *playing(number) {
    for (let answer = this.#module.ask('play', number); ; answer = this.#module.ask('play', 'next')) {
      if (answer !== '') {
        return JSON.parse(answer);
      }
      yield;
    }
  }

  /** Calls a function for the game that was played. */
  ask(...words) {
    return this.#module.ask(...words);
  }
}

/** Runs a generator; returns its result. */
function finish(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) {
      return value;
    }
  }
}

/** The move that a text means, also a null move. */
function step(position, text) {
  if (!['--', '0000', 'Z0'].includes(text)) {
    return position.find(text);
  }
  const [pieces, side, rights, , clock, number] = position.fen.split(' ');
  const [next, count] = side === 'w' ? ['b', number] : ['w', Number(number) + 1];
  const fen = `${pieces} ${next} ${rights} - ${Number(clock) + 1} ${count}`;
  return { uci: '0000', san: '--', from: '', to: '', isCapture: false, fen };
}

/** Adds the moves to a line of SAN. */
function replay({ comments, moves }, start, options) {
  let position = start;
  const played = moves.map(({ san, variations, ...remarks }) => {
    const move = step(position, san);
    const others = variations.map((line) => replay(line, position, options));
    position = new Position(move.fen, options);
    return { ...move, ...remarks, variations: others };
  });
  return { comments, moves: played };
}

export function* readGames(pgn, options) {
  const bytes = typeof pgn === 'string' ? encoder.encode(pgn) : pgn;
  const file = new GameFile();
  const listed = [];
  file.begin(bytes.length);
  finish(file.decoding(bytes));
  file.end(0);
  finish(file.listing((game) => listed.push(game)));
  for (const [number, { white, black, problem }] of listed.entries()) {
    const tags = Object.entries({ White: white, Black: black }).filter(([, name]) => name !== null);
    let game = { tags: Object.fromEntries(tags), fen: START, result: '*', comments: [], moves: [], problem };
    try {
      if (!problem) {
        const { fen, result } = finish(file.playing(number));
        const [pairs, line] = JSON.parse(file.ask('moves-of-game'));
        game = { tags: Object.fromEntries(pairs), fen, result, ...replay(line, new Position(fen, options), options) };
      }
    } catch (error) {
      game.problem = error.message;
    }
    yield game;
  }
}

/** Writes comments. In braces they could not contain a closing brace, nor what looks like the next game. */
export function writeComments(texts = []) {
  const line = (text) => text.replace(/\s+/g, ' ');
  return texts.map((text) => (text.includes('}') ? `\n;${line(text)}\n` : `{${/\n\s*[[%]/.test(text) ? line(text) : text}}`));
}

function moveText({ comments = [], moves = [] }, start) {
  const words = writeComments(comments);
  let position = start;
  for (const move of moves) {
    const text = move.san ?? move;
    const found = step(position, text);
    if (!found) {
      throw new Error(`${text} is not a legal move in ${position.fen}`);
    }
    const { nags = [], comments: remarks = [], variations = [] } = move;
    const others = variations.map((line) => `(${moveText(line, position)})`);
    words.push(found.san, ...nags.map((nag) => `$${Number(nag)}`), ...writeComments(remarks), ...others);
    position = new Position(found.fen);
  }
  return words.join(' ');
}

/** Writes a game in PGN from its moves in SAN: with its tags, or, if it `isNew`, with the standard tags, too. */
export function writeText({ tags, fen, result, isNew }, moves) {
  const start = new Position(fen);
  // An undefined tag replaces that of a game from another position.
  const [SetUp, FEN] = start.fen === START ? [] : ['1', start.fen];
  const setup = { Variant: start.isChess960 ? 'Chess960' : undefined, SetUp, FEN };
  const usual = { Event: '?', Site: '?', Date: '????.??.??', Round: '?', White: '?', Black: '?' };
  const all = isNew ? { ...usual, ...tags, Result: result, ...setup } : { ...tags };
  Object.entries(setup).forEach(([name, value]) => { all[name] ??= value; });
  const quoted = (value) => String(value).replace(/\s+/g, ' ').replace(/["\\]/g, '\\$&');
  // The characters that the reader takes in a name.
  const written = Object.entries(all).filter(([, value]) => value !== undefined);
  const pairs = written.map(([name, value]) => [name.replace(/[^\p{Alphabetic}\p{N}_]/gu, ''), quoted(value)]);
  const head = pairs.filter(([name]) => name).map(([name, value]) => `[${name} "${value}"]\n`);
  return ask('tidy', `${head.join('')}\n${moves} ${result}`);
}

export function writeGame({ tags = {}, fen = START, result = '*', ...line }) {
  return writeText({ tags, fen, result, isNew: true }, moveText(line, new Position(fen)));
}
