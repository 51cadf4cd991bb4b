// Reviews a game: evaluates all positions, marks mistakes, and saves the annotated game.

import { Viewer, pathTo, summary, tag } from '../../../src/analyse/page/viewer.mjs';
import { Curve } from './curve.mjs';
import { PGN_TYPE, answer, byId, copy, onSubmit, recall, remember, restore, save, scrollUp, takeDrops } from './dom.mjs';
import { Game, MAX_GLYPH } from './game.mjs';
import { Games, evaluateQuickly } from './games.mjs';
import { Retry } from './retry.mjs';
import { inSlices, pause } from './slices.mjs';

/** The maximum size of a file that the field shows, in bytes: browsers lay out long lines slowly. */
const MAX_SHOWN = 50_000;

/** The names of the stored review and of the ply that it shows. */
const STORED = 'review.result';
const PLY = 'review.ply';

/** The glyphs of the engine's judgements. */
const NAGS = { Inaccuracy: 6, Mistake: 2, Blunder: 4 };

export class Review {
  name = 'review';
  #app;
  #view;
  #curve;
  #games = new Games();
  #retry;
  /** The problem of each game of the text, or null; undefined until it is read. */
  #problems;
  /** Whether the text is too long for the field. */
  #isLong = false;
  #fileName = 'game';
  /** The game shown, and the last finished review as PGN and the name of its file. */
  #data = {};
  #result = {};
  /** The AbortControllers of the current reading and review. */
  #reading;
  #running;
  /** Resolves when the current file is loaded, or has failed. */
  #loading;

  constructor(app) {
    this.#app = app;
    this.#view = new Viewer({
      board: app.board,
      list: byId('review-moves'),
      now: byId('review-now'),
      onGo: () => this.#show(),
    });
    this.#view.control(byId('review-steps'));
    this.#curve = new Curve(byId('curve'), (ply) => this.#view.go(ply));
    this.#retry = new Retry(app, (ply) => {
      this.#panel('result');
      this.#view.go(ply);
    });
    byId('review-retry-start').onclick = () => {
      this.#panel('retry');
      this.#retry.start(this.#view.game);
    };
    byId('review-play').onclick = () => {
      const [game, node] = this.#played();
      app.playFrom(game.position(node).fen);
    };
    restore('review.time', byId('review-time'));
    onSubmit(byId('review-form'), () => this.#start());
    byId('pgn').oninput = () => {
      this.#cancel();
      this.#setText(byId('pgn').value);
      this.#attempt('Cannot read the game', () => this.#read());
    };
    byId('pgn-file').onchange = ({ target }) => {
      this.#take(target.files[0]);
      // Choosing the same file again must be a change.
      target.value = '';
    };
    byId('which-game').onchange = () => byId('review-form').hidden && this.#start();
    byId('review-cancel').onclick = () => this.#cancel();
    byId('review-again').onclick = () => {
      byId('review-back').hidden = false;
      this.#panel('form');
    };
    byId('review-back').onclick = () => this.#panel('result');
    byId('review-save').onclick = () => this.#save();
    byId('review-copy').onclick = () => copy(this.#result.text, 'review-copied');
    byId('review-analyse').onclick = () => app.open('analyse', ...this.#played());
    takeDrops(byId('pgn'), () => app.mode === this, (file) => this.#take(file));
    this.#panel('form');
    this.#restore();
  }

  /** `game` is a game played in this page; its review starts at once. */
  enter(game) {
    this.#app.gauge.isShown = true;
    if (game) {
      this.#setText(game.pgn);
      this.#start();
    } else {
      this.#view.go(this.#view.node, { animated: false });
      this.#showPlayers();
    }
  }

  /** The review continues until another mode needs the engine; see `interrupt`. */
  leave() {
    this.#retry.close();
    if (!this.#running) {
      this.#app.engine?.cancel();
    }
  }

  /** Cancels the review for another mode. */
  interrupt() {
    if (this.#running) {
      this.#cancel();
      byId('review-answer').textContent = 'The review was cancelled: Play and Analyse need the same engine.';
    }
  }

  key(name) {
    return !this.#retry.isOpen && this.#view.key(name);
  }

  themeChanged() {
    this.#curve.draw();
  }

  /** Shows a part of the panel: `form`, `progress`, `result` or `retry`. */
  #panel(name) {
    if (name !== 'retry') {
      this.#retry.stop();
    }
    for (const part of ['form', 'progress', 'result', 'retry']) {
      byId(`review-${part}`).hidden = part !== name;
    }
    // A review may end while the user reads in Learn.
    if (this.#app.mode === this) {
      scrollUp();
    }
  }

  /** Runs `act`. If it fails, shows `what` and the reason. */
  async #attempt(what, act) {
    try {
      await act();
    } catch (error) {
      if (error.name !== 'AbortError') {
        this.#fail(what, error);
      }
    }
  }

  #fail(what, error) {
    this.#cancel();
    this.#panel('form');
    byId('review-answer').textContent = `${what}: ${error.message}.`;
    // On a phone, it is below the screen.
    byId('review-answer').scrollIntoView({ block: 'center' });
  }

  /** Loads a file. */
  #take(file) {
    if (!file) {
      return;
    }
    this.#cancel();
    this.#panel('form');
    this.#loading = this.#attempt(`Cannot read ${file.name}`, async () => {
      const signal = this.#startReading();
      this.#setText('');
      byId('review-answer').textContent = `Reading ${file.name} …`;
      const text = await this.#games.load(file, MAX_SHOWN, signal);
      this.#setText(text ?? '', text === null, file.name);
      await this.#read();
    });
  }

  /** Sets the text and the name of its file. A text that `isLong` is not shown in the field. */
  #setText(text, isLong = false, file = '') {
    this.#loading = undefined;
    this.#isLong = isLong;
    this.#fileName = file.replace(/\.gz$/i, '').replace(/\.pgn$/i, '') || 'game';
    byId('pgn').value = text;
    byId('which-game').replaceChildren();
    byId('pgn').placeholder = isLong ? `${file} is too long to be shown here` : '1. e4 e5 2. Nf3 Nc6 …';
  }

  /** Aborts the current reading; returns the signal of a new one. It replaces the game of the last review. */
  #startReading() {
    byId('review-back').hidden = true;
    remember(STORED, '', 'sessionStorage');
    this.#problems = undefined;
    this.#reading?.abort();
    this.#reading = new AbortController();
    return this.#reading.signal;
  }

  /** Reads the text and lists its games; selects the game with the index `chosen`, if it is readable. */
  async #read(chosen) {
    const signal = this.#startReading();
    if (!this.#isLong) {
      await this.#games.take(byId('pgn').value, signal);
    }
    const { problems, options, remark } = await this.#games.list(signal);
    this.#problems = problems;
    const first = problems.indexOf(null);
    byId('which-game').replaceChildren(options);
    byId('which-game').selectedIndex = problems[chosen] === null ? chosen : Math.max(0, first);
    byId('which').hidden = problems.length < 2;
    byId('which').firstElementChild.textContent = `One of ${problems.length} games`;
    byId('review-answer').textContent = first < 0 && problems.length > 0 ? `Cannot read the game: ${problems[0]}.` : remark;
  }

  async #start() {
    this.#cancel();
    const { signal } = (this.#running = new AbortController());
    byId('review-back').hidden = true;
    let failure = 'Cannot read the game';
    try {
      await this.#loading;
      signal.throwIfAborted();
      // Browsers may restore the field without an event.
      if (!this.#isLong || !this.#problems) {
        await this.#read(byId('which-game').selectedIndex);
        signal.throwIfAborted();
      }
      const chosen = byId('which-game').selectedIndex;
      if (this.#problems[chosen] !== null) {
        this.#running = undefined;
        byId('review-answer').textContent ||= 'Paste a game first.';
        byId('review-answer').scrollIntoView({ block: 'center' });
        return;
      }
      failure = 'Cannot play the game';
      byId('review-answer').textContent = 'Checking the moves …';
      const game = await inSlices(this.#games.playing(chosen), signal);
      await pause();
      signal.throwIfAborted();
      byId('review-answer').textContent = '';
      failure = 'Cannot show the game';
      remember('review.time', byId('review-time').value);
      this.#panel('progress');
      this.#open(game);
      this.#showPlayers();
      failure = 'The engine failed (reload the page and try again)';
      if (await this.#evaluate(signal)) {
        failure = 'Cannot show the review';
        await this.#finish(signal);
        this.#running = undefined;
      }
    } catch (error) {
      if (!signal.aborted && error.name !== 'AbortError') {
        this.#fail(failure, error);
      }
    }
  }

  /** Evaluates all positions; resolves with false if it was cancelled. */
  async #evaluate(signal) {
    const bar = byId('review-bar');
    const positions = this.#view.length + 1;
    bar.max = positions;
    const onProgress = (done) => {
      bar.value = done;
      byId('review-count').textContent = `${done} of ${positions} positions`;
    };
    onProgress(0);
    await this.#app.ready;
    const [kind, amount] = byId('review-time').value.split(' ');
    return this.#games.study(this.#app.engine, { [kind]: Number(amount) }, { onProgress, signal });
  }

  #cancel() {
    if (this.#running) {
      this.#running.abort();
      this.#running = undefined;
      this.#app.engine?.cancel();
      this.#panel('form');
    }
  }

  async #finish(signal) {
    const data = this.#games.annotate();
    await pause();
    signal.throwIfAborted();
    this.#result = { text: this.#games.write(), name: this.#fileName };
    await pause();
    signal.throwIfAborted();
    this.#showResult(data, 0);
    this.#showPlayers();
    await pause();
    signal.throwIfAborted();
    remember(STORED, JSON.stringify({ data, ...this.#result }), 'sessionStorage');
    this.#drawCurve();
  }

  #open(data, ply = 0) {
    const game = Game.from(data);
    this.#data = data;
    this.#view.open(game, ply);
  }

  #showResult(data, ply) {
    this.#panel('result');
    byId('summary').replaceChildren(summary(data));
    answer('review-copied', '');
    this.#open(data, ply);
  }

  #drawCurve() {
    const { main } = this.#view;
    this.#curve.show(main.map(({ analysis }) => analysis?.percent ?? null), main.map(({ judgement }) => judgement?.toLowerCase()));
  }

  /** Shows the review that was finished before a reload. */
  #restore() {
    try {
      const { data, ...result } = JSON.parse(recall(STORED, '', 'sessionStorage'));
      this.#showResult(data, Number(recall(PLY, '0', 'sessionStorage')));
      this.#result = result;
      this.#drawCurve();
    } catch {
      // Nothing is stored.
      this.#panel('form');
    }
  }

  #showPlayers() {
    const { accuracies } = this.#data;
    if (!accuracies) {
      this.#app.showPlayers();
      return;
    }
    const side = (name, index) => ({
      name: tag(this.#data, name) ?? name,
      detail: tag(this.#data, `${name}Elo`) ?? '',
      time: accuracies[index] === null ? '' : `${accuracies[index].toFixed(0)} %`,
    });
    this.#app.showPlayers({ w: side('White', 0), b: side('Black', 1) });
  }

  #show() {
    const { ply, listed: { analysis } } = this.#view;
    this.#app.board.accept(undefined);
    this.#curve.ply = ply;
    remember(PLY, String(ply), 'sessionStorage');
    const isReviewed = !this.#running && this.#result.text !== undefined;
    if (analysis || !isReviewed) {
      this.#app.gauge.show(analysis?.value);
    } else if (this.#app.mode === this) {
      this.#evaluateHere();
    }
  }

  /** Evaluates the position shown, in a variation: the review has only the moves of the game. */
  async #evaluateHere() {
    const { node, game } = this.#view;
    const position = game.position(node);
    const found = await evaluateQuickly(this.#app, position, game.forEngine(node));
    if (!found || this.#view.game !== game) {
      return;
    }
    const sans = position.sans(found.line);
    const line = sans.map((san, at) => [found.line[at], san]);
    Object.assign(node, { analysis: { ...found, line }, ahead: undefined });
    if (this.#view.node === node && this.#app.mode === this && !this.#retry.isOpen) {
      this.#view.refresh();
      this.#view.go(node, { animated: false });
    }
  }

  /** The game and the position shown, for the analysis: a move of the engine's line begins a variation. */
  #played() {
    const { node, listed } = this.#view;
    const played = Game.from(this.#data);
    // The analysis writes and removes only glyphs that are NAGs.
    for (const move of played.moves) {
      const { judgement, nags = [] } = move;
      if (judgement && !nags.some((nag) => nag > 0 && nag <= MAX_GLYPH)) {
        move.nags = [NAGS[judgement], ...nags];
      }
    }
    // Both trees come from the same data.
    const here = pathTo(listed).reduce((at, step) => at.children[step.parent.children.indexOf(step)], played.root);
    return [played, played.add(here, pathTo(node).slice(listed.ply))];
  }

  #save() {
    try {
      save(`${this.#result.name}.analysed.pgn`, this.#result.text, PGN_TYPE);
    } catch (error) {
      this.#app.remark(`Cannot save the game: ${error.message}.`);
    }
  }
}
