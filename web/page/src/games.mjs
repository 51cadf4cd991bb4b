// Reads, plays, analyses and annotates games with the module of web/rules/. Long work runs in
// generators; see slices.mjs.

import { make } from './dom.mjs';
import { GameFile, MAX_BYTES } from './rules.mjs';
import { inSlices } from './slices.mjs';
import { valueOf, valueOfVerdict, whiteWdl } from './values.mjs';

/** The maximum number of games in a list, which browsers lay out at once, and of characters in a name. */
const MAX_GAMES = 2000;
const MAX_NAME = 60;

/** The engine's time for one position, in milliseconds. */
const QUICK_MS = 700;

/** White's wins, draws and losses per thousand games of these results. */
const SURE = { '1-0': [1000, 0, 0], '1/2-1/2': [0, 1000, 0], '0-1': [0, 0, 1000] };

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

  /**
   * Lists the games of the text. Resolves with the problem of each game, or null; the options of a `<select>`; and
   * a remark if these are not all games.
   */
  async list(signal) {
    const problems = [];
    const options = document.createDocumentFragment();
    const take = (game) => {
      if (problems.push(game.problem) <= MAX_GAMES) {
        options.append(option(game, problems.length));
      }
    };
    await inSlices(this.listing(take), signal);
    const remark = problems.length > MAX_GAMES ? `The list has the first ${MAX_GAMES} of ${problems.length} games.` : '';
    return { problems, options, remark };
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

/** A list entry. */
function option({ white, black, result, problem }, number) {
  const shortened = (name) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);
  const rest = problem === null ? (result ?? '') : `(${problem})`;
  const text = `${number}. ${shortened(white ?? 'White')} – ${shortened(black ?? 'Black')} ${rest}`;
  return make('option', { value: String(number - 1), disabled: problem !== null }, text);
}

/** Evaluates one position of a game, as `evaluate` does. */
export async function evaluateQuickly(app, position, forEngine = { fen: position.fen }) {
  const { verdict, turn } = position;
  if (verdict) {
    return { value: valueOfVerdict(verdict), wdl: SURE[verdict.result], depth: 0, line: [] };
  }
  await app.ready;
  return evaluate(app.engine, { ...forEngine, isWhite: turn === 'w' }, { movetime: QUICK_MS });
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
