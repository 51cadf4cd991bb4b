// A game reviewed: evaluated as a whole, its mistakes marked, saved with annotations.

import { annotating } from './annotate.mjs';
import { Curve } from './curve.mjs';
import { byId, make, recall, remember, save } from './dom.mjs';
import { bytesOf, decoding } from './file.mjs';
import { GameView } from './gameview.mjs';
import { wdlBar } from './gauge.mjs';
import { JUDGEMENTS, winPercent } from './judgement.mjs';
import { quote } from './lexer.mjs';
import { plainText, reading, tag, writePgn, writing } from './pgn.mjs';
import { START } from './rules.mjs';
import { inSlices, pause } from './slices.mjs';
import { finding, replaying, study } from './study.mjs';
import { scoreText } from './values.mjs';

const PGN_TYPE = 'application/x-chess-pgn';

/** The longest text of a file that is shown in the field, in characters: browsers lay out long lines slowly. */
const MAX_SHOWN = 50_000;

/** The most games that the list offers. */
const MAX_GAMES = 10_000;

export class Review {
  name = 'review';
  #app;
  #view;
  #curve;
  /** The text of a file that is too long for the field. */
  #long = '';
  /** The text that was read, the games in it as `{ game, at, line }`, and the one under review. */
  #text;
  #games = [];
  #pgn;
  #evaluations = [];
  #found;
  #fileName = 'game';
  /** The AbortControllers of the reading and of the review that are under way. */
  #reading;
  #running;
  /** Settles when the file that is being loaded is in the field, or has failed. */
  #loading;

  constructor(app) {
    this.#app = app;
    this.#view = new GameView(app.board, byId('review-moves'), () => this.#show());
    this.#view.control(byId('review-steps'));
    this.#view.note = (at) => this.#note(at);
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
    byId('review-save').onclick = () => this.#save().catch((error) => app.remark(`The game cannot be saved: ${error.message}.`));
    byId('next-mistake').onclick = () => this.#nextMistake();
    byId('review-analyse').onclick = () => app.open('analyse', this.#view.game.until(this.#view.ply));
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
      this.#view.go(this.#view.ply, false);
      this.#showPlayers();
    }
  }

  leave() {
    this.#cancel();
  }

  key(name) {
    if (name === 'm') {
      this.#nextMistake();
      return true;
    }
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
    if (name === 'form') {
      this.#evaluations = [];
      this.#found = undefined;
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
      const bytes = await bytesOf(file);
      signal.throwIfAborted();
      const text = await inSlices(decoding(bytes), signal);
      const [shown, hidden] = text.length > MAX_SHOWN ? ['', text] : [text, ''];
      this.#setText(shown, hidden, file.name);
      await this.#read();
    });
    return this.#loading;
  }

  /** Sets the text to be reviewed, and its file. `hidden` is one that is too long for the field. */
  #setText(shown, hidden = '', file = '') {
    this.#loading = undefined;
    this.#long = hidden;
    this.#fileName = file.replace(/\.gz$/i, '').replace(/\.pgn$/i, '') || 'game';
    byId('pgn').value = shown;
    byId('pgn').placeholder = hidden === '' ? '1. e4 e5 2. Nf3 Nc6 …' : `${file}, too long to be shown here`;
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
    const text = this.#long || plainText(byId('pgn').value);
    const games = [];
    const options = document.createDocumentFragment();
    const take = ({ game, at, line }) => {
      // Its moves are read again when it is chosen: those of all games would take too much memory.
      const { tags, result, problem } = game;
      games.push({ tags, result, problem, at, line });
      if (games.length <= MAX_GAMES) {
        options.append(option(games.at(-1), games.length - 1));
      }
    };
    await inSlices(reading(text, take), signal);
    this.#text = text;
    this.#games = games;
    const first = games.findIndex(({ problem }) => problem === undefined);
    byId('which-game').replaceChildren(options);
    byId('which-game').selectedIndex = games[chosen] && !games[chosen].problem ? chosen : Math.max(0, first);
    byId('which').hidden = games.length < 2;
    const unread = games.length > MAX_GAMES ? `The list has the first ${MAX_GAMES} of ${games.length} games.` : '';
    byId('review-answer').textContent = first < 0 && games.length > 0 ? `This cannot be read: ${games[0].problem.message}.` : unread;
  }

  /** The game that is chosen, with all its moves; undefined if there is none that can be read. */
  async #chosen(signal) {
    const chosen = this.#games[byId('which-game').selectedIndex];
    let found;
    if (chosen && !chosen.problem) {
      const take = ({ game }) => (found = game);
      await inSlices(reading(this.#text, take, chosen.at, chosen.line), signal);
    }
    return found;
  }

  /** Writes a game that was played here as PGN. */
  #fill({ game, white, black, result }) {
    const tags = [['Event', 'Game against Carrybit'], ['Site', '?'], ['Date', today()], ['Round', '-']];
    tags.push(['White', white], ['Black', black], ['Result', result]);
    const { fen, isChess960, number, turn } = game.start;
    if (isChess960) {
      tags.push(['Variant', 'Chess960']);
    }
    if (fen !== START) {
      tags.push(['SetUp', '1'], ['FEN', fen]);
    }
    const moves = game.moves.map(({ san }) => ({ text: san, nags: [], after: [] }));
    this.#setText(writePgn({ tags, before: [], moves, result }, number, turn));
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
      const pgn = await this.#chosen(signal);
      if (!pgn) {
        this.#running = undefined;
        byId('review-answer').textContent ||= 'Paste a game first.';
        return;
      }
      failure = 'This cannot be played';
      byId('review-answer').textContent = 'Playing the game …';
      const game = await inSlices(replaying(pgn), signal);
      byId('review-answer').textContent = '';
      failure = 'The game cannot be shown';
      this.#pgn = pgn;
      remember('review.time', byId('review-time').value);
      this.#panel('progress');
      this.#view.open(game, 0);
      this.#showPlayers();
      failure = 'The engine cannot go on';
      const evaluations = await this.#evaluate(game, signal);
      if (evaluations && !signal.aborted) {
        failure = 'The review cannot be shown';
        await this.#finish(game, evaluations, signal);
        this.#running = undefined;
      }
    } catch (error) {
      if (!signal.aborted && error.name !== 'AbortError') {
        this.#fail(failure, error);
      }
    }
  }

  async #evaluate(game, signal) {
    const bar = byId('review-bar');
    bar.max = game.length + 1;
    const onProgress = (done) => {
      bar.value = done;
      byId('review-count').textContent = `${done} of ${game.length + 1} positions`;
    };
    onProgress(0);
    await this.#app.ready;
    const [kind, amount] = byId('review-time').value.split(' ');
    return study(this.#app.mind, game, { [kind]: Number(amount) }, { onProgress, signal });
  }

  #cancel() {
    if (this.#running) {
      this.#running.abort();
      this.#running = undefined;
      this.#app.mind?.cancel();
      this.#panel('form');
    }
  }

  async #finish(game, evaluations, signal) {
    const found = await inSlices(finding(game, evaluations), signal);
    await inSlices(annotating(this.#pgn, found.about, this.#app.mind.name, game.start.turn), signal);
    await pause();
    signal.throwIfAborted();
    this.#evaluations = evaluations;
    this.#found = found;
    this.#panel('result');
    this.#summarise();
    this.#view.open(game, 0);
    this.#showPlayers();
    await pause();
    signal.throwIfAborted();
    const percents = evaluations.map(({ value }) => winPercent(value));
    const mistakes = [undefined, ...this.#found.about.map(({ judgement }) => judgement?.name.toLowerCase())];
    this.#curve.show(percents, mistakes);
  }

  #summarise() {
    const { accuracies, counts } = this.#found;
    const head = ['', 'Accuracy', ...JUDGEMENTS.map(({ mark }) => mark)];
    const row = (side, color) => {
      const accuracy = accuracies[color] === undefined ? '–' : `${accuracies[color].toFixed(1)} %`;
      const numbers = JUDGEMENTS.map(({ name }) => make('td', { class: name.toLowerCase() }, String(counts[color][name])));
      const name = make('th', { scope: 'row' }, tag(this.#pgn, side) ?? side);
      return make('tr', {}, name, make('td', {}, accuracy), ...numbers);
    };
    const headings = head.map((text, at) => {
      const title = JUDGEMENTS[at - 2]?.name;
      return make(text === '' ? 'td' : 'th', { scope: 'col', title: title ? `${title}s` : '' }, text);
    });
    const body = [make('tr', {}, ...headings), row('White', 'w'), row('Black', 'b')];
    byId('summary').replaceChildren(make('tbody', {}, ...body));
  }

  #showPlayers() {
    if (!this.#pgn) {
      this.#app.showPlayers();
      return;
    }
    const side = (name, color) => ({
      name: tag(this.#pgn, name) ?? name,
      detail: tag(this.#pgn, `${name}Elo`) ?? '',
      time: this.#found?.accuracies[color] === undefined ? '' : `${this.#found.accuracies[color].toFixed(0)} %`,
    });
    this.#app.showPlayers({ w: side('White', 'w'), b: side('Black', 'b') });
  }

  #note(at) {
    const found = this.#found?.about[at];
    if (!found) {
      return {};
    }
    const { judgement, value } = found;
    return { mark: judgement?.mark, kind: judgement?.name.toLowerCase(), value: scoreText(value) };
  }

  /** Shows what was found about the position. */
  #show() {
    const { ply, position } = this.#view;
    this.#app.board.accept(undefined);
    this.#curve.ply = ply;
    const evaluation = this.#evaluations[ply];
    this.#app.gauge.show(evaluation?.value);
    if (!evaluation) {
      byId('review-now').replaceChildren();
      return;
    }
    const words = this.#words(ply);
    const line = this.#line(this.#found.lines[ply], position);
    const depth = evaluation.depth > 0 ? ` · depth ${evaluation.depth}` : '';
    const detail = make('p', { class: 'faint' }, `${scoreText(evaluation.value)}${depth}`);
    byId('review-now').replaceChildren(words, detail, wdlBar(evaluation.wdl), line);
    const [best] = this.#found.lines[ply];
    this.#app.board.arrows = best ? [{ from: best.move.from, to: best.move.castled ?? best.move.to, rank: 1 }] : [];
  }

  /** What there is to say about the move that led here. */
  #words(ply) {
    if (ply === 0) {
      return make('p', {}, 'The first position. Go through the game with the arrow keys, to mistakes with M.');
    }
    const { judgement, line } = this.#found.about[ply - 1];
    const { game } = this.#view;
    const move = `${game.label(ply - 1)} ${game.moves[ply - 1]?.san ?? '--'}`;
    if (!judgement) {
      return make('p', {}, make('b', {}, move));
    }
    const kind = make('b', { class: judgement.name.toLowerCase() }, `${move}${judgement.mark} ${judgement.name}.`);
    return make('p', {}, kind, line.length > 0 ? ` ${line[0]} was best.` : '');
  }

  /** The best line, each of its moves to be looked at. */
  #line(steps, position) {
    let before = position;
    const buttons = steps.map(({ move, position: after }, at) => {
      const number = before.turn === 'w' ? `${before.number}.` : at === 0 ? `${before.number}…` : '';
      before = after;
      const button = make('button', { type: 'button' }, `${number}${number ? '\u2009' : ''}${move.san}`);
      button.onclick = () => this.#app.board.show(after, { last: move });
      return button;
    });
    const heading = steps.length > 0 ? make('b', {}, 'Best: ') : '';
    return make('p', { class: 'pv' }, heading, ...buttons);
  }

  #nextMistake() {
    const at = this.#found?.about.findIndex(({ judgement }, index) => judgement && index >= this.#view.ply) ?? -1;
    if (at >= 0) {
      this.#view.go(at + 1);
    }
  }

  async #save() {
    const { number, turn } = this.#view.game.start;
    save(`${this.#fileName}.analysed.pgn`, await inSlices(writing(this.#pgn, number, turn)), PGN_TYPE);
  }
}

/** The entry of a game in the list. */
function option({ problem, ...game }, at) {
  const players = ['White', 'Black'].map((side) => quote(tag(game, side) ?? side)).join(' – ');
  const rest = problem ? `(${problem.message})` : (game.result ?? '');
  return make('option', { value: String(at), disabled: problem !== undefined }, `${at + 1}. ${players} ${rest}`);
}

/** The date here, as PGN has it. */
function today() {
  const date = new Date();
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('.');
}
