// The engine of the page. A new search replaces the one that is running.

import { Engine } from '../../index.mjs';

/** The default options of a search. */
const SETTINGS = { Hash: 32, MultiPV: 1, UCI_Chess960: true, UCI_ShowWDL: true, UCI_LimitStrength: false, UCI_Elo: 3000 };

export class PageEngine {
  #engine;
  #set = new Map();
  #searches = 0;
  #report;
  /** Called with nodes per second during a search. */
  onSpeed = () => {};

  /** Starts the engine. `report` gets its error messages. */
  static async load(worker, report) {
    const started = new PageEngine();
    started.#report = report;
    started.#engine = await Engine.load({ worker });
    started.#engine.onError((error) => {
      report(`The engine has stopped: ${error.message}. Reload the page.`);
      // Every option fails now; those errors must not replace this message.
      started.#report = () => {};
    });
    return started;
  }

  /** The name and version of the engine. */
  get name() {
    return this.#engine.name;
  }

  get network() {
    return /network (\S+)/.exec(this.#engine.notes.join('\n'))?.[1] ?? '';
  }

  /** Searches a position; resolves with its best move, or with undefined if another search has replaced this one. */
  async search(position, limit, settings = {}, onInfo = () => {}) {
    const search = ++this.#searches;
    const isCurrent = () => search === this.#searches;
    this.#engine.stop();
    for (const [name, value] of Object.entries({ ...SETTINGS, ...settings })) {
      await this.#setOption(name, value);
      if (!isCurrent()) {
        return undefined;
      }
    }
    const analysis = this.#engine.analyse(position, limit);
    for await (const info of analysis) {
      if (!isCurrent()) {
        return undefined;
      }
      if (info.nps) {
        this.onSpeed(info.nps);
      }
      onInfo(info);
    }
    return isCurrent() ? analysis.best : undefined;
  }

  /** Stops the search and drops its result. */
  cancel() {
    this.#searches += 1;
    this.#engine.stop();
  }

  /** Clears the hash table and the histories. */
  async clear() {
    this.cancel();
    await this.#engine.newGame();
  }

  terminate() {
    this.#engine.terminate();
  }

  async #setOption(name, value) {
    if (this.#set.get(name) === value) {
      return;
    }
    this.#set.set(name, value);
    try {
      await this.#engine.setOption(name, value);
    } catch (error) {
      this.#set.delete(name);
      this.#report(error.message);
    }
  }
}
