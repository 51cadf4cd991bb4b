// A game reviewed: evaluated as a whole, its mistakes marked, saved with annotations.

import { annotate } from './annotate.mjs';
import { Curve } from './curve.mjs';
import { byId, make, recall, remember, save } from './dom.mjs';
import { GameView } from './gameview.mjs';
import { wdlBar } from './gauge.mjs';
import { JUDGEMENTS, winPercent } from './judgement.mjs';
import { readGames, tag, writePgn } from './pgn.mjs';
import { START } from './rules.mjs';
import { findings, replay, study } from './study.mjs';
import { scoreText } from './values.mjs';

const PGN_TYPE = 'application/x-chess-pgn';

export class Review {
  name = 'review';
  #app;
  #view;
  #curve;
  /** The games that were pasted, and the one under review. */
  #games = [];
  #pgn;
  #evaluations = [];
  #found;
  #fileName = 'game';
  /** What ends the review that is under way, an AbortController. */
  #running;

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
      this.#fileName = 'game';
      this.#read();
    };
    byId('pgn-file').onchange = ({ target }) => this.#take(target.files[0]);
    byId('review-cancel').onclick = () => this.#cancel();
    byId('review-again').onclick = () => this.#panel('form');
    byId('review-save').onclick = () => this.#save();
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

  async #take(file) {
    if (file) {
      this.#cancel();
      const bytes = await file.arrayBuffer();
      this.#panel('form');
      byId('pgn').value = decode(bytes);
      this.#fileName = file.name.replace(/\.pgn$/i, '');
      this.#read();
    }
  }

  /** Reads what was pasted, and offers the games in it, of which one is chosen. */
  #read(chosen) {
    this.#games = readGames(byId('pgn').value);
    const isReadable = this.#games.map(({ problem }) => problem === undefined);
    const option = ({ problem, ...game }, at) => {
      const players = ['White', 'Black'].map((side) => tag(game, side) ?? side).join(' – ');
      const rest = problem ? `(${problem.message})` : (game.result ?? '');
      return make('option', { value: String(at), disabled: !isReadable[at] }, `${at + 1}. ${players} ${rest}`);
    };
    byId('which-game').replaceChildren(...this.#games.map(option));
    byId('which-game').selectedIndex = isReadable[chosen] ? chosen : Math.max(0, isReadable.indexOf(true));
    byId('which').hidden = this.#games.length < 2;
    const problem = isReadable.includes(true) ? undefined : this.#games[0]?.problem;
    byId('review-answer').textContent = problem ? `This cannot be read: ${problem.message}.` : '';
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
    byId('pgn').value = writePgn({ tags, before: [], moves, result }, number, turn);
    this.#fileName = 'game';
    this.#read();
  }

  async #start() {
    this.#read(byId('which-game').selectedIndex);
    const answer = byId('review-answer');
    const chosen = this.#games[byId('which-game').selectedIndex];
    if (!chosen || chosen.problem) {
      answer.textContent ||= 'Paste a game first.';
      return;
    }
    let game;
    this.#pgn = structuredClone(chosen);
    try {
      game = replay(this.#pgn);
    } catch (error) {
      answer.textContent = `This cannot be played: ${error.message}.`;
      return;
    }
    remember('review.time', byId('review-time').value);
    this.#panel('progress');
    this.#view.open(game, 0);
    this.#showPlayers();
    this.#running = new AbortController();
    const { signal } = this.#running;
    try {
      await this.#evaluate(game, signal);
    } catch (error) {
      if (!signal.aborted) {
        this.#cancel();
        answer.textContent = `The engine cannot go on: ${error.message}.`;
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
    const evaluations = await study(this.#app.mind, game, { [kind]: Number(amount) }, { onProgress, signal });
    if (evaluations && !signal.aborted) {
      this.#running = undefined;
      this.#finish(game, evaluations);
    }
  }

  #cancel() {
    if (this.#running) {
      this.#running.abort();
      this.#running = undefined;
      this.#app.mind?.cancel();
      this.#panel('form');
    }
  }

  #finish(game, evaluations) {
    this.#evaluations = evaluations;
    this.#found = findings(game, evaluations);
    annotate(this.#pgn, this.#found.about, this.#app.mind.name);
    this.#panel('result');
    this.#summarise();
    this.#view.open(game, 0);
    const percents = evaluations.map(({ value }) => winPercent(value));
    const mistakes = [undefined, ...this.#found.about.map(({ judgement }) => judgement?.name.toLowerCase())];
    this.#curve.show(percents, mistakes);
    this.#showPlayers();
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

  #save() {
    const { number, turn } = this.#view.game.start;
    save(`${this.#fileName}.analysed.pgn`, writePgn(this.#pgn, number, turn), PGN_TYPE);
  }
}

/** The date here, as PGN has it. */
function today() {
  const date = new Date();
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('.');
}

/** A file's text, in UTF-8 or else in Latin-1. */
function decode(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}
