// The one engine of the page, and who may use it: a new search takes the place of the last.

import { Engine } from '../../index.mjs';

/** The options of a search that sets no others. */
const SETTINGS = { Hash: 32, MultiPV: 1, UCI_Chess960: true, UCI_ShowWDL: true, UCI_LimitStrength: false, UCI_Elo: 3000 };

export class Mind {
  #engine;
  #set = new Map();
  #searches = 0;
  #remarks;
  /** Called with nodes a second, while it searches. */
  onSpeed = () => {};

  /** Starts the engine. `remarks` gets its complaints, and a message if it has died. */
  static async load(worker, remarks) {
    const mind = new Mind();
    mind.#remarks = remarks;
    mind.#engine = await Engine.load({ worker });
    mind.#engine.onError = (error) => remarks(`The engine has stopped: ${error.message}. Reload the page.`);
    return mind;
  }

  /** Its name and version. */
  get name() {
    return this.#engine.name;
  }

  /** The name of its network. */
  get network() {
    const note = this.#engine.notes.find((text) => text.includes('network')) ?? '';
    return /network (\S+)/.exec(note)?.[1].replace(/,$/, '') ?? '';
  }

  /**
   * Searches a position, and resolves with its best move, or with undefined if another search
   * has taken its place. `onInfo` gets its reports.
   */
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

  /** Ends the search under way without its move. */
  cancel() {
    this.#searches += 1;
    this.#engine.stop();
  }

  /** Clears the hash table and the histories. */
  async forget() {
    this.cancel();
    await this.#engine.newGame();
  }

  /** Ends it. */
  terminate() {
    this.#engine.terminate();
  }

  async #setOption(name, value) {
    if (this.#set.get(name) === value) {
      return;
    }
    this.#set.set(name, value);
    await this.#engine.setOption(name, value).catch((error) => this.#remarks(error.message));
  }
}
