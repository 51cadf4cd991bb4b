// Games against the engine.

import { readBoard, scoreText } from '../../../src/analyse/page/viewer.mjs';
import { Clock, timeText } from './clock.mjs';
import { PGN_TYPE, answer, byId, confirmed, copy, onSubmit, recall, remember, restore, save, scrollUp } from './dom.mjs';
import { Game } from './game.mjs';
import { GameView, takeTypedMoves } from './gameview.mjs';
import { Position, start960 } from './rules.mjs';
import { valueOf } from './values.mjs';

/** Full strength: the maximum of the slider, one step above the maximum of UCI_Elo. */
const FULL_ELO = 3100;

/** The names of the levels, from these numbers on, roughly those of people who err as often (docs/strength.md). */
const LEVELS = [
  [0, 'Beginner'], [600, 'Novice'], [800, 'Casual player'], [1200, 'Club player'], [1600, 'Strong club player'],
  [1900, 'Expert'], [2200, 'Master'], [2600, 'Grandmaster'],
];

/** The engine agrees to a draw from this ply on if its score is at most this, in centipawns. */
const DRAWS = [{ plies: 20, score: -150 }, { plies: 60, score: 10 }];

/** The engine's time for a move without a clock, and for a hint, in milliseconds. */
const MOVE_MS = 1000;
const HINT_MS = 700;

/** The minimum time of a reply, so that players can follow, in milliseconds. */
const PAUSE_MS = 250;

/** The maximum share of the engine's clock that this pause may take. */
const PAUSE_SHARE = 1 / 40;

/** The name of the stored game. */
const STORED = 'play.game';

const FIELDS = ['elo', 'color', 'time', 'start'];

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Play {
  name = 'play';
  #app;
  #view;
  #clock;
  #isOver = true;
  /** Incremented at each turn: a search result of an earlier turn is dropped. */
  #turn = 0;
  /** Resolves when the engine is ready for a new game. */
  #prepared = Promise.resolve();
  #you = 'w';
  #result = '*';
  /** The engine's strength in this game; undefined before the first one. */
  #gameElo;
  /** The engine's score at its last move, in centipawns, and the ply at which it has declined a draw. */
  #score;
  #declined;
  #form = byId('play-form');
  #clockEvents = {
    onTick: () => this.#showPlayers(),
    onFlag: (side) => this.#end(this.#game.verdictOnTime(side)),
  };

  constructor(app) {
    this.#app = app;
    this.#view = new GameView({ board: app.board, list: byId('play-moves'), onGo: () => this.#accept() });
    this.#view.control(byId('play-steps'));
    FIELDS.forEach((field) => restore(`play.${field}`, this.#form.elements[field]));
    this.#form.elements.elo.oninput = () => this.#showElo();
    this.#form.elements.start.onchange = () => this.#showStart();
    this.#form.elements.fen.onchange = () => this.#preview();
    onSubmit(this.#form, () => this.#begin());
    byId('take-back').onclick = () => this.#takeBack();
    byId('hint').onclick = () => this.#hint().catch((error) => this.#showStatus(`No hint available: ${error.message}.`));
    byId('draw').onclick = () => this.#offerDraw();
    byId('resign').onclick = () => this.#resign();
    byId('play-back').onclick = () => this.enter();
    byId('new-game').onclick = () => this.#showForm(true);
    byId('play-review').onclick = () => app.open('review', this.#record());
    byId('play-analyse').onclick = () => app.open('analyse', this.#record());
    byId('play-copy').onclick = () => copy(this.#record().pgn, 'play-answer');
    byId('play-save').onclick = () => save('game.pgn', this.#record().pgn, PGN_TYPE);
    const yours = () => (this.#mayMove ? this.#view.position : undefined);
    const refusal = () => this.#isOver ? 'The game is over.' : (this.#isYourTurn ? 'Go to the last position first (End).' : 'It is not your move.');
    takeTypedMoves(byId('play-entry'), byId('play-answer'), yours, (move) => this.#yourMove(move), { refusal });
    // The browser may discard the page without a later event; the time used for the current move is stored as well.
    document.addEventListener('visibilitychange', () => this.#store());
    this.#showStart();
    this.#showForm(true);
    this.#restore();
    this.#showElo();
  }

  /** The side at the bottom of the board, unless the user has turned it. */
  get side() {
    return this.#you;
  }

  /** With a FEN, shows the settings of a game from there. */
  enter(fen) {
    this.#app.gauge.isShown = false;
    if (fen) {
      this.#from(fen);
      return;
    }
    // The game has no address.
    this.#app.replace(this.name);
    if (!this.#isOver) {
      this.#showForm(false);
    }
    this.#view.go(this.#view.ply, { animated: false });
    this.#showPlayers();
    this.#goOn();
  }

  /** Shows the settings of a game from a position. A running game waits. */
  #from(fen) {
    const { elements } = this.#form;
    elements.start.value = 'position';
    elements.fen.value = fen;
    this.#showStart();
    this.#showForm(true);
    this.#app.showPlayers();
    this.#preview();
  }

  leave() {
    this.#turn += 1;
    this.#clock?.stop();
    if (!this.#isOver) {
      this.#showStatus('');
    }
  }

  key(name) {
    return !byId('play-game').hidden && this.#view.key(name);
  }

  get #game() {
    return this.#view.played;
  }

  get #elo() {
    return Number(this.#form.elements.elo.value);
  }

  get #isYourTurn() {
    return !this.#isOver && this.#game.last.turn === this.#you;
  }

  get #mayMove() {
    return this.#isYourTurn && this.#view.isAtEnd;
  }

  #showElo() {
    const [, name] = LEVELS.findLast(([least]) => this.#elo >= least);
    const text = this.#elo >= FULL_ELO ? 'Full strength' : `${this.#elo} · ${name}`;
    byId('elo-text').textContent = text;
    this.#form.elements.elo.setAttribute('aria-valuetext', text);
  }

  /** Shows the field that the choice of the start position needs. */
  #showStart() {
    const { start, number, fen } = this.#form.elements;
    for (const [id, field, choice] of [['start-number', number, 'number'], ['start-fen', fen, 'position']]) {
      field.disabled = start.value !== choice;
      byId(id).hidden = field.disabled;
    }
    answer('begin-answer', '');
  }

  /** The chosen start position; if no game can begin there, shows why and returns undefined. */
  #start() {
    const { start, number, fen } = this.#form.elements;
    answer('begin-answer', '');
    if (start.value === 'standard') {
      return { position: new Position(), words: 'New game.' };
    }
    if (start.value !== 'position') {
      const chosen = start.value === 'random' ? Math.floor(960 * Math.random()) : Number(number.value);
      return { position: new Position(start960(chosen)), words: `Chess960, position ${chosen}.` };
    }
    try {
      const game = new Game(new Position(fen.value.trim()));
      if (game.end) {
        throw new Error(`the game is over: ${game.end.reason}`);
      }
      return { position: game.start, words: 'New game from a position.' };
    } catch (error) {
      answer('begin-answer', `Invalid position: ${error.message}.`);
      return undefined;
    }
  }

  /** Shows the position of the field on the board, or what is wrong with it. */
  #preview() {
    const { position } = this.#start() ?? {};
    if (position) {
      this.#app.board.show({ board: readBoard(position.fen), turn: position.turn, isCheck: position.isCheck });
    }
  }

  /** Shows the settings of a new game, or the game. Meanwhile a running game waits. */
  #showForm(isShown) {
    byId('play-form').hidden = !isShown;
    byId('play-game').hidden = isShown;
    byId('play-back').hidden = this.#isOver;
    if (isShown) {
      this.leave();
      this.#app.engine?.cancel();
      this.#app.board.accept(undefined);
    }
  }

  #stop() {
    this.#turn += 1;
    this.#isOver = true;
    this.#clock?.stop();
    this.#app.engine?.cancel();
  }

  #begin() {
    FIELDS.forEach((field) => remember(`play.${field}`, this.#form.elements[field].value));
    const { color, time } = this.#form.elements;
    const start = this.#start();
    if (!start) {
      return;
    }
    this.#app.replace(this.name);
    this.#gameElo = this.#elo;
    this.#you = color.value === 'random' ? 'wb'[Math.floor(2 * Math.random())] : color.value;
    this.#app.board.orientation = this.#you;
    const [minutes, seconds] = time.value.split('+').map(Number);
    const clock = time.value === 'none' ? undefined : new Clock(minutes * 60_000, seconds * 1000, this.#clockEvents);
    this.#open(new Game(start.position), clock);
    scrollUp();
    this.#showStatus(`${start.words}${this.#isYourTurn ? ' Your move.' : ''}`);
    this.#showPlayers();
    if (!matchMedia('(pointer: coarse)').matches) {
      byId('play-entry').querySelector('input').focus({ preventScroll: true });
    }
    this.#prepared = this.#prepare(this.#game);
    this.#goOn();
  }

  /** Shows a game that is to be played. */
  #open(game, clock) {
    this.#stop();
    this.#isOver = false;
    this.#result = '*';
    this.#score = undefined;
    this.#declined = undefined;
    this.#clock = clock;
    this.#showForm(false);
    answer('play-answer', '');
    byId('play-move').value = '';
    byId('play-entry').hidden = false;
    byId('play-over').hidden = true;
    byId('play-controls').hidden = false;
    this.#view.follow(game);
  }

  /** Stores the game until this browser tab is closed, so that it survives a reload. */
  #store() {
    if (!this.#isOver) {
      const { start, moves } = this.#game;
      const [elo, clock] = [this.#gameElo, this.#clock?.stored];
      const game = { fen: start.fen, moves: moves.map(({ uci }) => uci), you: this.#you, elo, clock };
      remember(STORED, JSON.stringify(game), 'sessionStorage');
    }
  }

  /** Opens the stored game. `enter` continues it and its clock; the time without the page is not counted. */
  #restore() {
    const stored = readStored(this.#clockEvents);
    if (stored) {
      this.#you = stored.you;
      // The slider accepts only its own values.
      this.#form.elements.elo.value = stored.elo;
      this.#gameElo = this.#elo;
      this.#prepared = this.#app.ready;
      this.#open(stored.game, stored.clock);
      this.#showStatus('Game restored.');
    }
  }

  /** Clears the engine, unless another game or mode has started meanwhile. */
  async #prepare(game) {
    await this.#app.ready;
    if (this.#app.mode === this && this.#game === game) {
      await this.#app.engine.clear();
    }
  }

  /** Starts the turn of the side to move when the engine is ready. */
  async #goOn() {
    if (this.#isOver) {
      return;
    }
    this.#store();
    const turn = ++this.#turn;
    try {
      await this.#prepared;
      if (turn !== this.#turn) {
        return;
      }
      const color = this.#game.last.turn;
      this.#clock?.run(color);
      this.#accept();
      if (color !== this.#you) {
        await this.#reply(turn);
      }
    } catch (error) {
      if (turn === this.#turn) {
        this.#close(`The engine failed: ${error.message}. Reload the page to play on.`);
      }
    }
  }

  #accept() {
    this.#app.board.accept(this.#mayMove ? this.#you : undefined, this.#view.position, (move) => this.#yourMove(move));
    byId('take-back').disabled = this.#isOver || this.#game.length === 0;
    byId('hint').disabled = !this.#mayMove;
    const { claim } = this.#game;
    byId('draw').textContent = claim ? 'Claim draw' : 'Draw';
    byId('draw').title = claim ? claim.reason : 'Offer a draw';
    byId('draw').disabled = !this.#isYourTurn || (!claim && this.#declined === this.#game.length);
  }

  #yourMove(move) {
    if (this.#mayMove) {
      byId('play-move').value = '';
      this.#move(move);
    }
  }

  #move(move) {
    if (this.#clock?.moved() === false) {
      // The flag has fallen: the board has the move already.
      this.#view.go(this.#view.node, { animated: false });
      return;
    }
    byId('play-answer').textContent = '';
    this.#view.play(move);
    const { end, claim, last } = this.#game;
    // The engine claims a draw unless it is better.
    const isClaimed = claim && last.turn !== this.#you && this.#score <= 0;
    if (end || isClaimed) {
      this.#end(end ?? claim);
    } else {
      this.#goOn();
    }
  }

  async #reply(turn) {
    const game = this.#game;
    const isLimited = this.#gameElo < FULL_ELO;
    const settings = isLimited ? { UCI_LimitStrength: true, UCI_Elo: this.#gameElo } : {};
    this.#showStatus('Carrybit is searching …');
    const left = this.#clock?.left(game.last.turn) ?? Infinity;
    const [best] = await Promise.all([
      this.#app.engine.search(game.forEngine(), this.#limit(), settings, ({ score, multipv = 1 }) => {
        if (score && multipv === 1) {
          this.#score = score.cp ?? score.mate * Infinity;
        }
      }),
      pause(Math.min(PAUSE_MS, left * PAUSE_SHARE)),
    ]);
    if (turn !== this.#turn || !best) {
      return;
    }
    const move = game.last.find(best.bestmove);
    if (!this.#view.isAtEnd) {
      this.#view.go(game.length, { animated: false });
    }
    this.#showStatus(`${game.last.label} ${move.san}. Your move.`);
    this.#move(move);
  }

  #limit() {
    if (!this.#clock) {
      return { movetime: MOVE_MS };
    }
    const { increment } = this.#clock;
    const [wtime, btime] = ['w', 'b'].map((color) => this.#clock.left(color));
    return { wtime, btime, winc: increment, binc: increment };
  }

  /** Takes back your last move and the reply. */
  #takeBack() {
    this.#app.engine?.cancel();
    const game = this.#game;
    const isYours = game.last.turn === this.#you;
    game.cut(Math.max(0, game.length - (isYours ? 2 : 1)));
    this.#clock?.takeBack(game.length);
    this.#view.follow(game, { animated: true });
    this.#showStatus(`Taken back.${this.#isYourTurn ? ' Your move.' : ''}`);
    this.#goOn();
  }

  async #hint() {
    const turn = this.#turn;
    const { position, played } = this.#view;
    let found;
    this.#showStatus('Searching for a hint …');
    await this.#prepared;
    if (turn !== this.#turn) {
      return;
    }
    const best = await this.#app.engine.search(played.forEngine(), { movetime: HINT_MS }, {}, (info) => {
      found = info.score && info.pv.length > 0 ? info : found;
    });
    if (turn !== this.#turn || !best) {
      return;
    }
    const move = position.find(best.bestmove);
    const line = position.sans((found?.pv ?? []).slice(0, 3));
    const score = found ? ` (${scoreText(valueOf(found, position.turn === 'w'))})` : '';
    this.#view.go(played.length, { animated: false });
    this.#app.board.arrows = [move];
    this.#showStatus(`Hint: ${line.join(' ') || move.san}${score}`);
  }

  /** Claims a draw, or offers one to the engine. */
  #offerDraw() {
    const { claim, length } = this.#game;
    const agrees = DRAWS.some(({ plies, score }) => length >= plies && this.#score <= score);
    if (claim || agrees) {
      this.#end(claim ?? { result: '1/2-1/2', reason: 'by agreement' });
      return;
    }
    this.#declined = length;
    this.#showStatus('Carrybit declines the draw. Your move.');
    this.#accept();
  }

  async #resign() {
    const game = this.#game;
    if ((await confirmed('Resign this game?', 'Resign', 'Play on')) && !this.#isOver && this.#game === game) {
      this.#end({ result: this.#you === 'w' ? '0-1' : '1-0', reason: 'you resigned' });
    }
  }

  #end({ result, reason }) {
    const yours = this.#you === 'w' ? '1-0' : '0-1';
    const outcome = result === '1/2-1/2' ? 'Draw' : result === yours ? 'You win' : 'Carrybit wins';
    this.#result = result;
    remember(STORED, '', 'sessionStorage');
    this.#close(`${outcome}: ${reason}. ${result}`);
  }

  /** Ends the game and shows the reason. */
  #close(text) {
    this.#stop();
    this.#showStatus(text);
    byId('play-answer').textContent = '';
    byId('play-over').hidden = false;
    if (['play-entry', 'play-controls'].some((id) => byId(id).contains(document.activeElement))) {
      byId('play-moves').focus({ preventScroll: true });
    }
    byId('play-entry').hidden = true;
    byId('play-controls').hidden = true;
    this.#app.board.arrows = [];
    this.#accept();
    this.#showPlayers();
  }

  #showStatus(text) {
    byId('play-status').textContent = text;
  }

  #showPlayers() {
    const elo = this.#gameElo ?? this.#elo;
    const engine = { name: 'Carrybit', detail: elo >= FULL_ELO ? 'full strength' : `${elo}` };
    const side = (color) => ({
      ...(color === this.#you ? { name: 'You' } : engine),
      time: this.#clock ? timeText(this.#clock.left(color)) : '',
      isRunning: !this.#isOver && this.#game.last.turn === color,
    });
    this.#app.showPlayers({ w: side('w'), b: side('b') });
  }

  /** The game with its tags. */
  #record() {
    const engine = `Carrybit ${this.#gameElo >= FULL_ELO ? '' : this.#gameElo}`.trim();
    const [White, Black] = this.#you === 'w' ? ['You', engine] : [engine, 'You'];
    const tags = { Event: 'Game against Carrybit', Site: '?', Date: today(), Round: '-', White, Black, Result: this.#result };
    return Object.assign(this.#game.until(this.#game.length), { tags: Object.entries(tags), result: this.#result });
  }
}

/** The stored game, `{ game, you, elo, clock }`; undefined if there is none, or if its data are invalid. */
function readStored(clockEvents) {
  try {
    const { fen, moves, you, elo, clock } = JSON.parse(recall(STORED, '', 'sessionStorage'));
    const game = new Game(new Position(fen));
    // An illegal move is undefined, which `play` refuses.
    moves.forEach((uci) => game.play(game.last.find(uci)));
    const isValid = ['w', 'b'].includes(you) && !game.end;
    return isValid ? { game, you, elo, clock: clock && Clock.restore(clock, game.length, clockEvents) } : undefined;
  } catch {
    return undefined;
  }
}

/** The local date in PGN format. */
function today() {
  const date = new Date();
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('.');
}
