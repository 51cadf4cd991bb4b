// A game reviewed: evaluated as a whole, its mistakes marked, saved with annotations.

import { Viewer, summary, tag } from '../../../analyse/src/page/viewer.mjs';
import { Curve } from './curve.mjs';
import { byId, make, recall, remember, save } from './dom.mjs';
import { Game } from './game.mjs';
import { Games } from './games.mjs';
import { Position, START, tidy } from './rules.mjs';
import { inSlices, pause } from './slices.mjs';

const PGN_TYPE = 'application/x-chess-pgn';

/** The longest text of a file that is shown in the field, in bytes: browsers lay out long lines slowly. */
const MAX_SHOWN = 50_000;

/** The most games that the list offers, and the longest name there, in characters. */
const MAX_GAMES = 10_000;
const MAX_NAME = 60;

export class Review {
  name = 'review';
  #app;
  #view;
  #curve;
  /** The games of the text, those in the list, and whether the text is too long for the field. */
  #games = new Games();
  #listed = [];
  #isLong = false;
  #fileName = 'game';
  /** The AbortControllers of the reading and of the review that are under way. */
  #reading;
  #running;
  /** Settles when the file that is being loaded is in the field, or has failed. */
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
    byId('review-time').value = recall('review.time', 'movetime 500');
    byId('review-form').onsubmit = (event) => {
      event.preventDefault();
      this.#start();
    };
    byId('pgn').oninput = () => {
      this.#setText(byId('pgn').value);
      this.#attempt('This cannot be read', () => this.#read());
    };
    byId('pgn-file').onchange = ({ target }) => this.#take(target.files[0]);
    byId('review-cancel').onclick = () => this.#cancel();
    byId('review-again').onclick = () => this.#panel('form');
    byId('review-save').onclick = () => this.#save();
    byId('review-analyse').onclick = () => app.open('analyse', this.#played());
    this.#takeDrops();
    this.#panel('form');
  }

  /** `record` is a game that was played here, to be reviewed at once. */
  enter(record) {
    this.#app.gauge.isShown = true;
    if (record) {
      this.#fill(record);
      this.#start();
    } else {
      this.#view.go(this.#view.ply, { animated: false });
      this.#showPlayers();
    }
  }

  leave() {
    this.#cancel();
  }

  key(name) {
    return this.#view.key(name);
  }

  themeChanged() {
    this.#curve.draw();
  }

  /** Shows one of the parts: `form`, `progress` or `result`. */
  #panel(name) {
    for (const part of ['form', 'progress', 'result']) {
      byId(`review-${part}`).hidden = part !== name;
    }
  }

  #takeDrops() {
    const zone = document.body;
    const isOurs = (event) => this.#app.mode === this && event.dataTransfer?.types.includes('Files');
    zone.addEventListener('dragover', (event) => {
      if (isOurs(event)) {
        event.preventDefault();
        byId('pgn').classList.add('drop');
      }
    });
    zone.addEventListener('dragleave', () => byId('pgn').classList.remove('drop'));
    zone.addEventListener('drop', (event) => {
      byId('pgn').classList.remove('drop');
      if (isOurs(event)) {
        event.preventDefault();
        this.#take(event.dataTransfer.files[0]);
      }
    });
  }

  /** Runs `act`; shows `what`, with the reason, if it fails. */
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
  }

  /** Reads a file. */
  #take(file) {
    if (!file) {
      return undefined;
    }
    this.#cancel();
    this.#panel('form');
    this.#loading = this.#attempt(`${file.name} cannot be read`, async () => {
      const { signal } = this.#reads();
      byId('review-answer').textContent = `Reading ${file.name} …`;
      const text = await this.#games.load(file, MAX_SHOWN, signal);
      this.#setText(text ?? '', text === null, file.name);
      await this.#read();
    });
    return this.#loading;
  }

  /** Sets the text to be reviewed, and its file. One that `isLong` is not in the field. */
  #setText(text, isLong = false, file = '') {
    this.#loading = undefined;
    this.#isLong = isLong;
    this.#fileName = file.replace(/\.gz$/i, '').replace(/\.pgn$/i, '') || 'game';
    byId('pgn').value = text;
    byId('pgn').placeholder = isLong ? `${file}, too long to be shown here` : '1. e4 e5 2. Nf3 Nc6 …';
  }

  /** Ends the reading that is under way and returns the AbortController of a new one. */
  #reads() {
    this.#reading?.abort();
    this.#reading = new AbortController();
    return this.#reading;
  }

  /** Reads what was pasted, and offers the games in it, of which one is chosen. */
  async #read(chosen) {
    const { signal } = this.#reads();
    if (!this.#isLong) {
      await this.#games.take(byId('pgn').value, signal);
    }
    const games = [];
    const options = document.createDocumentFragment();
    const take = (game) => {
      if (games.push(game) <= MAX_GAMES) {
        options.append(option(game, games.length));
      }
    };
    await inSlices(this.#games.listing(take), signal);
    this.#listed = games;
    const first = games.findIndex(({ problem }) => !problem);
    byId('which-game').replaceChildren(options);
    byId('which-game').selectedIndex = games[chosen] && !games[chosen].problem ? chosen : Math.max(0, first);
    byId('which').hidden = games.length < 2;
    const unread = games.length > MAX_GAMES ? `The list has the first ${MAX_GAMES} of ${games.length} games.` : '';
    byId('review-answer').textContent = first < 0 && games.length > 0 ? `This cannot be read: ${games[0].problem}.` : unread;
  }

  /** Writes a game that was played here as PGN. */
  #fill({ game, white, black, result }) {
    const tags = [['Event', 'Game against Carrybit'], ['Site', '?'], ['Date', today()], ['Round', '-']];
    tags.push(['White', white], ['Black', black], ['Result', result]);
    const { fen, isChess960 } = game.start;
    if (isChess960) {
      tags.push(['Variant', 'Chess960']);
    }
    if (fen !== START) {
      tags.push(['SetUp', '1'], ['FEN', fen]);
    }
    const head = tags.map(([name, value]) => `[${name} "${value}"]\n`).join('');
    const moves = game.moves.map(({ san }) => san).join(' ');
    this.#setText(tidy(`${head}\n${moves} ${result}`));
  }

  async #start() {
    this.#cancel();
    const { signal } = (this.#running = new AbortController());
    let failure = 'This cannot be read';
    try {
      await this.#loading;
      signal.throwIfAborted();
      await this.#read(byId('which-game').selectedIndex);
      signal.throwIfAborted();
      const chosen = byId('which-game').selectedIndex;
      if (this.#listed[chosen]?.problem !== null) {
        this.#running = undefined;
        byId('review-answer').textContent ||= 'Paste a game first.';
        return;
      }
      failure = 'This cannot be played';
      byId('review-answer').textContent = 'Playing the game …';
      const game = await inSlices(this.#games.playing(chosen), signal);
      byId('review-answer').textContent = '';
      failure = 'The game cannot be shown';
      remember('review.time', byId('review-time').value);
      this.#panel('progress');
      this.#view.open(game, 0);
      this.#showPlayers();
      failure = 'The engine cannot go on';
      if (await this.#evaluate(signal)) {
        failure = 'The review cannot be shown';
        await this.#finish(signal);
        this.#running = undefined;
      }
    } catch (error) {
      if (!signal.aborted && error.name !== 'AbortError') {
        this.#fail(failure, error);
      }
    }
  }

  /** Resolves with whether all positions have been evaluated. */
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
    return this.#games.study(this.#app.mind, { [kind]: Number(amount) }, { onProgress, signal });
  }

  #cancel() {
    if (this.#running) {
      this.#running.abort();
      this.#running = undefined;
      this.#app.mind?.cancel();
      this.#panel('form');
    }
  }

  async #finish(signal) {
    const game = this.#games.annotate();
    await pause();
    signal.throwIfAborted();
    this.#panel('result');
    byId('summary').replaceChildren(summary(game));
    this.#view.open(game, 0);
    this.#showPlayers();
    await pause();
    signal.throwIfAborted();
    this.#curve.show(game.percents, [undefined, ...game.judgements.map((name) => name.toLowerCase())]);
  }

  #showPlayers() {
    const { game } = this.#view;
    if (!game.tags) {
      this.#app.showPlayers();
      return;
    }
    const side = (name, index) => ({
      name: tag(game, name) ?? name,
      detail: tag(game, `${name}Elo`) ?? '',
      time: game.accuracies[index] === null ? '' : `${game.accuracies[index].toFixed(0)} %`,
    });
    this.#app.showPlayers({ w: side('White', 0), b: side('Black', 1) });
  }

  /** Shows what was found about the position, beside what the viewer shows. */
  #show() {
    const { ply, game } = this.#view;
    this.#app.board.accept(undefined);
    this.#curve.ply = ply;
    this.#app.gauge.show(game.values?.[ply]);
  }

  /** The game up to the position shown, with its rules. */
  #played() {
    const { uci, san } = this.#view.game;
    const fens = this.#games.fens();
    const moves = uci.map((name, at) => ({ uci: name, san: san[at] }));
    return new Game(new Position(fens[0]), fens, moves).until(this.#view.ply);
  }

  #save() {
    try {
      save(`${this.#fileName}.analysed.pgn`, this.#games.write(), PGN_TYPE);
    } catch (error) {
      this.#app.remark(`The game cannot be saved: ${error.message}.`);
    }
  }
}

/** The entry of a game in the list. */
function option({ white, black, result, problem }, number) {
  const shortened = (name) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);
  const rest = problem === null ? (result ?? '') : `(${problem})`;
  const text = `${number}. ${shortened(white ?? 'White')} – ${shortened(black ?? 'Black')} ${rest}`;
  return make('option', { value: String(number - 1), disabled: problem !== null }, text);
}

/** The date here, as PGN has it. */
function today() {
  const date = new Date();
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('.');
}
