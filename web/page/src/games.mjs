// Reads, plays, analyses and annotates games with the module of web/rules/. Long work runs in
// generators; see slices.mjs.

import { Module } from './rules-wasm.mjs';
import { inSlices } from './slices.mjs';
import { valueOf, whiteWdl } from './values.mjs';

/** The maximum size of a text, in bytes. */
const MAX_BYTES = 400 * 2 ** 20;

/** The bytes decoded in a step; gzip may expand them a thousandfold. */
const PIECE_BYTES = 2 ** 12;

export class Games {
  #module = new Module();

  /** Reads a file. Resolves with its text, or with null if that is longer than `limit` bytes. */
  async load(file, limit, signal) {
    // A new instance frees the memory of the last file.
    this.#module = new Module();
    this.#module.ask('begin', Math.min(file.size, MAX_BYTES));
    const reader = file.slice(0, MAX_BYTES + 1).stream().getReader();
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      await inSlices(this.decoding(step.value), signal);
    }
    signal?.throwIfAborted();
    return JSON.parse(this.#module.ask('end', limit));
  }

  /** Reads a text. */
  async take(text, signal) {
    this.#module.ask('begin', text.length);
    await inSlices(this.decoding(new TextEncoder().encode(text)), signal);
    this.#module.ask('end', 0);
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

  /**
   * Evaluates all positions of the game. Resolves with false if another search has replaced this one
   * or `signal` is aborted. `onProgress` gets the number of positions done.
   */
  async study(engine, limit, { onProgress = () => {}, signal } = {}) {
    let done = 0;
    for (let batch = this.#module.ask('batch'); batch !== ''; batch = this.#module.ask('batch')) {
      if (signal?.aborted) {
        return false;
      }
      await engine.clear();
      const tasks = JSON.parse(batch);
      const found = [];
      // Backwards: entries of the hash table help with earlier positions.
      for (let at = tasks.length - 1; at >= 0; at--) {
        found[at] = signal?.aborted ? undefined : (tasks[at].found ?? (await evaluate(engine, tasks[at].search, limit)));
        if (!found[at] || signal?.aborted) {
          return false;
        }
        onProgress(++done);
      }
      this.#module.ask('found', JSON.stringify(found));
    }
    return true;
  }

  /** Annotates the game; returns it for the viewer. */
  annotate() {
    return JSON.parse(this.#module.ask('annotate'));
  }

  /** The game as PGN. */
  write() {
    return this.#module.ask('write');
  }

  /** The FENs of the game's positions. */
  fens() {
    return this.#module.ask('fens').split('\n');
  }
}

/** Evaluates a position; resolves with undefined if another search has replaced this one. */
async function evaluate(engine, { isWhite, ...position }, limit) {
  let last;
  const best = await engine.search(position, limit, {}, (info) => {
    // A stopped search may end with a bound, which must not replace an exact score.
    if (info.score && (!last || !info.score.bound)) {
      last = info;
    }
  });
  if (!best) {
    return undefined;
  }
  const { score, wdl, depth, pv } = last ?? { score: { cp: 0 }, wdl: [0, 1000, 0], depth: 0, pv: [] };
  return { value: valueOf({ score }, isWhite), wdl: whiteWdl({ wdl }, isWhite), depth, line: pv };
}
