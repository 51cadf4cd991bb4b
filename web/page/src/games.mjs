// Reads, plays, analyses and annotates games with the module of web/rules/. Long work runs in
// generators; see slices.mjs.

import { GameFile, MAX_BYTES } from './rules.mjs';
import { inSlices } from './slices.mjs';
import { valueOf, whiteWdl } from './values.mjs';

export class Games extends GameFile {
  /** Reads a file. Resolves with its text, or with null if that is longer than `limit` bytes. */
  async load(file, limit, signal) {
    this.begin(file.size);
    const reader = file.slice(0, MAX_BYTES + 1).stream().getReader();
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      await inSlices(this.decoding(step.value), signal);
    }
    signal?.throwIfAborted();
    return this.end(limit);
  }

  /** Reads a text. */
  async take(text, signal) {
    this.begin(text.length);
    await inSlices(this.decoding(new TextEncoder().encode(text)), signal);
    this.end(0);
  }

  /** Reads the first readable game of the text. Resolves with its data and the number of games. */
  async first(signal) {
    const listed = [];
    await inSlices(this.listing(({ problem }) => listed.push(problem)), signal);
    const number = listed.indexOf(null);
    if (number < 0) {
      throw new Error(listed[0] ?? 'it has no moves');
    }
    return { data: await inSlices(this.playing(number), signal), count: listed.length };
  }

  /**
   * Evaluates all positions of the game. Resolves with false if another search has replaced this one
   * or `signal` is aborted. `onProgress` gets the number of positions done.
   */
  async study(engine, limit, { onProgress = () => {}, signal } = {}) {
    let done = 0;
    for (let batch = this.ask('batch'); batch !== ''; batch = this.ask('batch')) {
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
      this.ask('found', JSON.stringify(found));
    }
    return true;
  }

  /** Annotates the game; returns it for the viewer. */
  annotate() {
    return JSON.parse(this.ask('annotate'));
  }

  /** The game as PGN. */
  write() {
    return this.ask('write');
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
