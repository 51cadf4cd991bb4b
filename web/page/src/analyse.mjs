// Analyses the position shown: the engine's lines, arrows and winning chances.

import { lineButtons, scoreText, wdlBar } from '../../../src/analyse/page/viewer.mjs';
import { answer, byId, make, onSubmit, recall, remember, restore } from './dom.mjs';
import { Game } from './game.mjs';
import { GameView, takeTypedMoves } from './gameview.mjs';
import { Position } from './rules.mjs';
import { Setup } from './setup.mjs';
import { valueOf, valueOfVerdict, whiteWdl } from './values.mjs';

/** The maximum length of a line, in plies. */
const MAX_LINE = 14;

export class Analyse {
  name = 'analyse';
  #app;
  #view;
  #setup;
  /** The engine's reports on the position, by MultiPV rank. */
  #infos = [];
  /** The lines shown, by MultiPV rank: `{ info, sans, item }`. */
  #rows = [];
  #isShown = false;
  #frame;

  constructor(app) {
    this.#app = app;
    this.#view = new GameView({ board: app.board, list: byId('analyse-moves'), onGo: () => this.#look() });
    this.#view.control(byId('analyse-steps'));
    this.#setup = new Setup(app.board, (fen) => this.open(fen && new Game(new Position(fen))));
    byId('engine-on').checked = recall('analyse.on', 'true') === 'true';
    restore('analyse.lines', byId('line-count'));
    byId('engine-on').onchange = () => this.#choose();
    byId('line-count').onchange = () => this.#choose();
    byId('start-position').onclick = () => this.open(new Game());
    byId('analyse-play').onclick = () => app.open('play', this.#view.position.fen);
    byId('copy-fen').onclick = () => this.#copy();
    byId('lines').onclick = ({ target }) => this.#follow(target.closest('button'));
    byId('lines').addEventListener('focusout', () => this.#showSoon());
    byId('set-up').onclick = () => {
      app.engine?.cancel();
      this.#setup.open(this.#view.position.fen);
    };
    onSubmit(byId('fen-form'), () => this.#read(byId('fen').value));
    const here = () => this.#view.position;
    takeTypedMoves(byId('analyse-entry'), byId('analyse-answer'), here, (move) => this.#view.play(move));
  }

  enter(game) {
    this.#isShown = true;
    this.#app.gauge.isShown = true;
    this.#app.showPlayers();
    this.open(game);
  }

  leave() {
    this.#isShown = false;
    this.#setup.close();
    this.#app.engine?.cancel();
  }

  key(name) {
    return !this.#setup.isOpen && this.#view.key(name);
  }

  /** Shows the last position of a game; without a game, the current position again. */
  open(game) {
    if (game) {
      this.#view.follow(game);
    } else {
      this.#view.go(this.#view.ply, { animated: false });
    }
  }

  #choose() {
    remember('analyse.on', String(byId('engine-on').checked));
    remember('analyse.lines', byId('line-count').value);
    this.#look();
  }

  #read(fen) {
    try {
      this.open(new Game(new Position(fen)));
      answer('fen-answer', '');
    } catch (error) {
      answer('fen-answer', `Invalid FEN: ${error.message}.`);
    }
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(byId('fen').value);
      answer('fen-answer', 'Copied.', true);
    } catch {
      byId('fen').select();
      answer('fen-answer', 'Press Ctrl+C to copy.', true);
    }
  }

  /** Whether the engine should search a position. */
  #isWanted(position) {
    return this.#isShown && this.#view.position === position && byId('engine-on').checked && !this.#setup.isOpen;
  }

  /** Starts the analysis of the position shown. */
  async #look() {
    if (!this.#isShown) {
      return;
    }
    const { position, played, ply } = this.#view;
    this.#clear();
    this.#app.board.accept('both', position, (move) => this.#view.play(move));
    byId('fen').value = position.fen;
    answer('fen-answer', '');
    byId('analyse-answer').textContent = '';
    byId('analyse-status').textContent = ending(played.until(ply));
    this.#show();
    if (position.verdict || !byId('engine-on').checked) {
      this.#app.engine?.cancel();
      this.#app.gauge.show(position.verdict && valueOfVerdict(position.verdict));
      return;
    }
    try {
      await this.#search(position, played.forEngine(ply));
    } catch (error) {
      if (this.#isWanted(position)) {
        byId('analyse-status').textContent = `The engine cannot analyse this position: ${error.message}.`;
        byId('depth').textContent = '';
      }
    }
  }

  async #search(position, forEngine) {
    await this.#app.ready;
    if (!this.#isWanted(position)) {
      return;
    }
    const lines = Math.min(Number(byId('line-count').value), position.moves.length);
    await this.#app.engine.search(forEngine, { infinite: true }, { MultiPV: lines }, (info) => {
      if (info.score && info.pv.length > 0 && !info.score.bound) {
        this.#infos[(info.multipv ?? 1) - 1] = info;
        this.#showSoon();
      }
    });
  }

  /** Clears the results. If a line has the keyboard focus, the focus moves to the moves. */
  #clear() {
    this.#infos = [];
    this.#rows = [];
    if (byId('lines').contains(document.activeElement)) {
      byId('analyse-moves').focus({ preventScroll: true });
    }
    byId('lines').replaceChildren();
  }

  #showSoon() {
    this.#frame ??= requestAnimationFrame(() => this.#show());
  }

  /** Shows the results so far. */
  #show() {
    cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    if (!this.#isShown || this.#setup.isOpen) {
      return;
    }
    const { position } = this.#view;
    const infos = this.#infos.filter(Boolean);
    const [best] = infos;
    const isOn = byId('engine-on').checked;
    infos.forEach((info, rank) => this.#showLine(info, rank, position));
    byId('chances').replaceChildren(...(best?.wdl ? [wdlBar(whiteWdl(best, position.turn === 'w'))] : []));
    byId('depth').textContent = best
      ? `depth ${best.depth}`
      : isOn && !position.verdict ? 'searching …' : '';
    if (best) {
      this.#app.gauge.show(valueOf(best, position.turn === 'w'));
    }
    const isLegal = ({ sans }) => sans.length > 0;
    this.#app.board.arrows = this.#rows.filter(isLegal).map(({ info, sans }) => ({ uci: info.pv[0], san: sans[0] }));
  }

  /** Shows a line. A line that is being clicked or has the focus is not updated. */
  #showLine(info, rank, position) {
    const row = this.#rows[rank];
    if (row?.info === info || row?.item.matches(':active, :focus-within')) {
      return;
    }
    const sans = position.sans(info.pv.slice(0, MAX_LINE));
    const value = valueOf(info, position.turn === 'w');
    const score = make('b', { class: value.cp < 0 || value.mate < 0 ? 'score black' : 'score' }, scoreText(value));
    const item = make('li', {}, score, make('span', { class: 'pv' }, ...lineButtons(position.fen, 0, sans)));
    if (row) {
      row.item.replaceWith(item);
    } else {
      byId('lines').append(item);
    }
    this.#rows[rank] = { info, sans, item };
  }

  /** Plays a line up to the move of this button. */
  #follow(button) {
    const row = button && this.#rows.find(({ item }) => item.contains(button));
    row?.info.pv.slice(0, Number(button.dataset.at) + 1).forEach((uci) => this.#view.play(this.#view.position.find(uci)));
  }
}

/** A sentence about the end of a game, or a draw that can be claimed. */
function ending({ end, claim }) {
  if (end) {
    return `${end.result}: ${end.reason}.`;
  }
  return claim ? `A draw can be claimed: ${claim.reason}.` : '';
}
