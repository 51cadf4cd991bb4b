// The page: one board, one engine, and four modes.

import { Analyse } from './analyse.mjs';
import { Board } from './board.mjs';
import { byId, make, recall, remember, scrollUp } from './dom.mjs';
import { Game } from './game.mjs';
import { Gauge } from './gauge.mjs';
import { Learn } from './learn.mjs';
import { PageEngine } from './page-engine.mjs';
import { Play } from './play.mjs';
import { Review } from './review.mjs';

const THEMES = ['auto', 'light', 'dark'];

const BAD_ADDRESS = 'The address has no valid position';

/** The distance of the wheel for a step through the game, in pixels. */
const WHEEL_PX = 60;

class App {
  /** The engine; undefined until `ready` resolves. */
  engine;
  board = new Board(byId('board'));
  gauge = new Gauge();
  mode;
  #modes;
  #review;
  #sides;
  /** The side at the bottom of the board, by mode. */
  #orientations = {};
  /** The distance of the wheel since the last step, in pixels. */
  #turned = 0;

  constructor() {
    this.ready = this.#start();
    // `#start` has shown the error.
    this.ready.catch(() => {});
    this.#review = new Review(this);
    this.#modes = [new Play(this), new Analyse(this), this.#review, new Learn(this)];
    addEventListener('hashchange', () => this.#visit());
    document.querySelector('nav').addEventListener('click', () => this.mode.settle?.());
    document.addEventListener('keydown', (event) => this.#key(event));
    byId('board').addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    document.querySelectorAll('.flip').forEach((button) => {
      button.onclick = () => this.#flip();
    });
    // Show unexpected errors, but keep a message that is already there.
    const report = (problem) => {
      if (byId('remark').hidden) {
        this.remark(`Something went wrong: ${problem?.message ?? problem}. Reload the page if it no longer works.`);
      }
    };
    addEventListener('error', ({ error, message }) => report(error ?? message));
    addEventListener('unhandledrejection', ({ reason }) => report(reason));
    this.#chooseTheme();
    this.#visit();
  }

  async #start() {
    try {
      // The page in one file brings its own worker.
      this.engine = await PageEngine.load(globalThis.carrybitWorker ?? 'carrybit.js', (remark) => this.remark(remark));
    } catch (error) {
      this.remark(`The engine cannot start: ${error.message}. Check the connection; the browser must support WebAssembly SIMD.`);
      throw error;
    }
    this.engine.onSpeed = (nps) => {
      byId('speed').textContent = `${(nps / 1e6).toFixed(2)} M nodes/s`;
    };
    byId('engine-name').textContent = this.engine.name;
    byId('network').textContent = `network ${this.engine.network}`;
  }

  /** Opens the address: a mode, and perhaps a position with the moves to it, as in `#analyse?fen=…&moves=…`, or a chapter. */
  #visit() {
    // A move may have a `?`.
    const [path, ...query] = location.hash.slice(1).split('?');
    const address = query.join('?');
    const [name, chapter = 'README'] = path.split('/');
    const mode = this.#modes.find((known) => known.name === name) ?? this.#modes[0];
    let game;
    byId('remark').hidden ||= byId('remark').textContent.startsWith(BAD_ADDRESS);
    try {
      game = address && Game.at(address);
    } catch (error) {
      this.remark(`${BAD_ADDRESS}: ${error.message}.`);
    }
    const given = mode.name === 'learn' ? chapter : game && { play: game.last.fen, analyse: game }[mode.name];
    this.#show(mode, ...(given ? [given] : []));
    if (name !== mode.name || (address && !given)) {
      this.replace(mode.name);
    }
  }

  /** Switches to a mode; `given` is the game to open in it, from the same side. */
  open(name, ...given) {
    this.push(name);
    this.#orientations[name] = this.board.orientation;
    this.#show(this.#modes.find((mode) => mode.name === name), ...given);
  }

  /** Shows the settings of a game from a position. */
  playFrom(fen) {
    this.push(`play?fen=${fen.replaceAll(' ', '_')}`);
    this.#visit();
  }

  /** Makes a new entry of the browser's history, for another address. */
  push(hash) {
    this.mode.settle?.();
    history.pushState(null, '', `#${hash}`);
  }

  /** Changes the address of the current entry. */
  replace(hash) {
    try {
      history.replaceState(null, '', `#${hash}`);
    } catch {
      // Browsers limit how often a page may do this.
    }
  }

  #show(mode, ...given) {
    if (mode === this.mode) {
      if (given.length > 0) {
        mode.enter(...given);
      }
      return;
    }
    if (this.mode) {
      this.mode.leave();
      this.#orientations[this.mode.name] = this.board.orientation;
    }
    this.board.drawings = [];
    this.board.orientation = this.#orientations[mode.name] ?? mode.side ?? 'w';
    // The modes share one engine, which Learn does not use.
    if (['play', 'analyse'].includes(mode.name)) {
      this.#review.interrupt();
    }
    this.mode = mode;
    for (const link of document.querySelectorAll('nav a')) {
      const isCurrent = link.hash === `#${mode.name}`;
      byId(`panel-${link.hash.slice(1)}`).hidden = !isCurrent;
      link.ariaCurrent = isCurrent ? 'page' : null;
    }
    document.body.dataset.mode = mode.name;
    scrollUp();
    mode.enter(...given);
    this.#showFlip();
  }

  /** Shows the players, `{ w, b }`, each `{ name, detail, time, isRunning }`; hides them if undefined. */
  showPlayers(sides) {
    this.#sides = sides;
    const [top, bottom] = this.board.orientation === 'w' ? ['b', 'w'] : ['w', 'b'];
    for (const [id, color] of [['top', top], ['bottom', bottom]]) {
      const row = byId(id);
      row.hidden = sides === undefined;
      if (sides) {
        const { name, detail = '', time = '', isRunning = false } = sides[color];
        const clock = make('span', { class: isRunning ? 'clock running' : 'clock' }, time);
        const disc = make('span', { class: `disc ${color}`, aria: { hidden: 'true' } });
        row.replaceChildren(disc, make('b', {}, name), make('span', { class: 'faint' }, detail), ...(time ? [clock] : []));
      }
    }
  }

  #flip() {
    this.board.orientation = this.board.orientation === 'w' ? 'b' : 'w';
    this.#showFlip();
  }

  #showFlip() {
    this.gauge.isFlipped = this.board.orientation === 'b';
    this.showPlayers(this.#sides);
  }

  /** Handles keys outside of fields; in a `<select>` or an empty move field, only named keys such as the arrows, and undo and redo. */
  #key(event) {
    const { target, shiftKey } = event;
    const letter = event.key.length === 1 ? event.key.toLowerCase() : undefined;
    const isCommand = event.ctrlKey || event.metaKey;
    const key = isCommand ? { z: shiftKey ? 'redo' : 'undo', y: 'redo' }[letter] : (letter ?? event.key);
    const isField = target.closest('input:not([type=checkbox]), textarea, select, dialog');
    const isIdle = target.matches('select') || (target.matches('form.entry input') && target.value === '');
    const isTyping = isField && !(isIdle && key !== letter);
    if (isTyping || !key || event.altKey) {
      return;
    }
    if (!this.mode.key(key)) {
      if (key !== 'f') {
        return;
      }
      this.#flip();
    }
    event.preventDefault();
  }

  /** Walks through the game with the wheel, unless it scrolls the page. */
  #wheel(event) {
    if (event.ctrlKey || document.documentElement.scrollHeight > innerHeight) {
      return;
    }
    event.preventDefault();
    // Some devices report many small distances, some browsers lines instead of pixels.
    this.#turned += event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : WHEEL_PX);
    if (Math.abs(this.#turned) >= WHEEL_PX) {
      this.mode.key(this.#turned > 0 ? 'ArrowRight' : 'ArrowLeft');
      this.#turned = 0;
    }
  }

  #chooseTheme() {
    const button = byId('theme');
    const set = (theme) => {
      document.documentElement.dataset.theme = theme;
      button.textContent = { auto: '◐', light: '☀', dark: '☾' }[theme];
      button.setAttribute('aria-label', `Colours: ${theme}`);
      button.title = `Colours: ${theme}`;
      remember('theme', theme);
      this.#modes.forEach((mode) => mode.themeChanged?.());
    };
    const stored = recall('theme', 'auto');
    set(THEMES.includes(stored) ? stored : 'auto');
    button.onclick = () => set(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]);
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', () => this.#modes.forEach((mode) => mode.themeChanged?.()));
  }

  /** Shows a message above the page. */
  remark(text) {
    byId('remark').textContent = text;
    byId('remark').hidden = false;
  }
}

new App();

if ('serviceWorker' in navigator && location.protocol !== 'file:') {
  navigator.serviceWorker.register('service-worker.js').catch(() => {
    // The page works without it, but not offline.
  });
}
