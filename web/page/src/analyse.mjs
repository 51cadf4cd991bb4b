// Analyses a tree of positions: the engine's lines, arrows and winning chances; variations, comments and PGN.

import { lineButtons, pathTo, scoreText, wdlBar, wordsOf } from '../../../src/analyse/page/viewer.mjs';
import { PGN_TYPE, answer, byId, copy, make, onSubmit, recall, remember, restore, save, scrollUp, takeDrops } from './dom.mjs';
import { Game, MAX_GLYPH } from './game.mjs';
import { Games } from './games.mjs';
import { GameView, takeTypedMoves } from './gameview.mjs';
import { Position } from './rules.mjs';
import { Setup } from './setup.mjs';
import { inSlices, pause } from './slices.mjs';
import { valueOf, valueOfVerdict, whiteWdl } from './values.mjs';

/** The maximum length of a line, in plies. */
const MAX_LINE = 14;

/** The maximum number of changes that can be undone. */
const MAX_UNDO = 500;

/** The minimum time between two changes of the address, in milliseconds: browsers let a page make few. */
const SETTLE_MS = 400;

/** The name of the stored game. */
const STORED = 'analyse.game';

/** The longest text that the field for PGN shows, in characters: browsers lay out long lines slowly. */
const MAX_SHOWN = 50_000;

/** A viewer that removes what was drawn in another position: a drawing belongs to its position. */
class AnalysisView extends GameView {
  get shown() {
    return { squares: [], arrows: [], ...super.shown };
  }
}

export class Analyse {
  name = 'analyse';
  #app;
  #view;
  #setup;
  /** The last text read, and those of its games that were shown, by number. */
  #games;
  #opened = [];
  /** The AbortController of the current reading. */
  #reading;
  /**
   * The changes that can be undone, and those undone: `{ from, to, states }`. `from` and `to` are what was shown before and after,
   * `{ game, node }`; `states` has the changed nodes, each with its state before the change.
   */
  #past = [];
  #future = [];
  /** Whether the last change was typed in the comment, and the next character belongs to it. */
  #isTyping = false;
  /** The engine's reports on the position, by MultiPV rank. */
  #infos = [];
  /** The lines shown, by MultiPV rank: `{ info, sans, item }`. */
  #rows = [];
  #isShown = false;
  #frame;
  /** When the address was last set and the game stored, and the timer for the next time. */
  #settled = -Infinity;
  #later;

  constructor(app) {
    this.#app = app;
    this.#view = new AnalysisView({ board: app.board, list: byId('analyse-moves'), onGo: () => this.#look() });
    this.#view.control(byId('analyse-steps'));
    this.#setup = new Setup(app.board, (fen) => (fen ? this.open(new Game(new Position(fen))) : this.enter()));
    byId('engine-on').checked = recall('analyse.on', 'true') === 'true';
    restore('analyse.lines', byId('line-count'));
    byId('engine-on').onchange = () => this.#set();
    byId('line-count').onchange = () => this.#set();
    this.#makeRoom();
    byId('start-position').onclick = () => this.open(new Game());
    byId('analyse-play').onclick = () => app.playFrom(this.#view.position.fen);
    byId('copy-fen').onclick = () => copy(byId('fen').value, 'fen-answer');
    byId('copy-link').onclick = () => copy(this.#link, 'fen-answer', 'Copied, without variations, comments and arrows.');
    byId('lines').onclick = ({ target }) => this.#follow(target.closest('button'));
    byId('lines').addEventListener('focusout', () => this.#showSoon());
    byId('set-up').onclick = () => {
      app.engine?.cancel();
      this.#setDrawing(false);
      this.#setup.open(this.#view.position.fen);
    };
    onSubmit(byId('fen-form'), () => this.#read(byId('fen').value));
    const here = () => this.#view.position;
    const takeText = (text) => this.#takeLine(text);
    takeTypedMoves(byId('analyse-entry'), byId('analyse-answer'), here, (move) => this.#play([move]), { takeText });
    byId('draw-on').onclick = () => this.#setDrawing(byId('draw-on').ariaPressed === 'false');
    this.#controlTree();
    this.#controlPgn();
    this.#restore();
    // Back and Forward change the address before `hashchange`: a late `settle` would replace it.
    addEventListener('popstate', () => clearTimeout(this.#later));
    ['visibilitychange', 'pagehide'].forEach((type) => addEventListener(type, () => this.#isShown && this.settle(), true));
  }

  /** The buttons that change the tree. */
  #controlTree() {
    byId('promote').onclick = () => {
      const { node } = this.#view;
      this.#change(pathTo(node).map(({ parent }) => parent), (game) => game.promote(node));
    };
    byId('delete').onclick = () => {
      const { node, node: { parent } } = this.#view;
      this.#change([parent], (game) => {
        game.remove(node);
        return parent;
      });
    };
    byId('undo').onclick = () => this.#restep(this.#past, this.#future);
    byId('redo').onclick = () => this.#restep(this.#future, this.#past);
    byId('comment').oninput = ({ target }) => this.#remark((game, node) => game.note(node, target.value), true);
    byId('glyph').onchange = ({ target }) => this.#remark((game, node) => game.mark(node, Number(target.value)));
  }

  #controlPgn() {
    byId('pgn-box').ontoggle = () => this.#showPgn();
    onSubmit(byId('analyse-pgn-form'), () => this.#takeText(byId('analyse-pgn').value));
    byId('analyse-game').onchange = ({ target }) => this.#choose(target.selectedIndex);
    byId('copy-pgn').onclick = () => copy(this.#view.played.pgn, 'pgn-answer');
    byId('save-pgn').onclick = () => save('analysis.pgn', this.#view.played.pgn, PGN_TYPE);
    const takeFile = (file) => file && this.#take(file.name, (games, signal) => games.load(file, 0, signal));
    byId('analyse-file').onchange = ({ target }) => {
      takeFile(target.files[0]);
      // Choosing the same file again must be a change.
      target.value = '';
    };
    takeDrops(byId('analyse-pgn'), () => this.#isShown, takeFile);
    // A field with one line would join the lines of a game.
    byId('fen').onpaste = (event) => {
      const text = event.clipboardData.getData('text');
      if (isMoveText(text)) {
        event.preventDefault();
        this.#takeText(text);
      }
    };
  }

  /** Shows a position of a game; without a game, the current position again. */
  enter(game, node = game?.tip) {
    this.#isShown = true;
    this.#setup.close();
    this.#app.gauge.isShown = true;
    this.#app.showPlayers();
    // The address of a very long line has only its last position.
    const isHere = game?.length === 0 && game.root.fen === this.#view.position.fen;
    if (game && !isHere) {
      // A tree may already have this line.
      const others = [...this.#future, ...this.#past].reverse().map(({ from }) => from.game);
      const known = [...new Set([this.#view.played, ...others])].find((one) => one.matching(game, node));
      this.#open(known ?? game, known?.matching(game, node) ?? node);
    } else {
      this.#view.go(this.#view.node, { animated: false });
    }
  }

  leave() {
    this.#store();
    this.#reading?.abort();
    answer('pgn-answer', '');
    this.#isShown = false;
    this.#setup.close();
    this.#app.board.onDraw = () => {};
    this.#setDrawing(false);
    this.#app.engine?.cancel();
  }

  key(name) {
    if (this.#setup.isOpen) {
      return false;
    }
    if (['undo', 'redo'].includes(name)) {
      byId(name).click();
      return true;
    }
    return this.#view.key(name);
  }

  /** Opens another game, as a new entry of the browser's history. */
  open(game, node = game.tip) {
    this.#app.push(this.name);
    this.#settled = -Infinity;
    this.#open(game, node);
    scrollUp();
  }

  #open(game, node) {
    if (game !== this.#view.played) {
      this.#keep({ game, node });
    }
    this.#setup.close();
    this.#view.open(game, node);
  }

  /** Keeps a change for undo: from what is shown to `to`, with the nodes that it changes and their states before. */
  #keep(to, states = []) {
    const { played: game, node } = this.#view;
    this.#past.push({ from: { game, node }, to, states });
    this.#past.splice(0, this.#past.length - MAX_UNDO);
    this.#future = [];
  }

  /** Changes nodes of the game. `act` may return the position to show then. */
  #change(nodes, act, options) {
    const { played: game, node } = this.#view;
    const states = nodes.map((at) => [at, stateOf(at)]);
    const shown = act(game) ?? node;
    this.#keep({ game, node: shown }, states);
    this.#view.open(game, shown, options);
  }

  /** Changes the remarks on the position shown; the engine searches on. All typing in one position is one change. */
  #remark(act, isTyping = false) {
    const { played: game, node } = this.#view;
    if (!isTyping || !this.#isTyping) {
      this.#keep({ game, node }, [[node, stateOf(node)]]);
    }
    this.#isTyping = isTyping;
    act(game, node);
    this.#view.refresh();
    this.#showUndo();
    this.#settleSoon();
  }

  /** Undoes the last of `changes`, and adds to `others` the change back. */
  #restep(changes, others) {
    const { from, to, states } = changes.pop();
    others.push({ from: to, to: from, states: states.map(([node]) => [node, stateOf(node)]) });
    states.forEach(([node, state]) => Object.assign(node, state));
    this.#view.open(from.game, from.node, { animated: true });
  }

  #showUndo() {
    byId('undo').disabled = this.#past.length === 0;
    byId('redo').disabled = this.#future.length === 0;
  }

  #setDrawing(isDrawing) {
    byId('board').classList.toggle('drawing', isDrawing);
    byId('draw-on').ariaPressed = String(isDrawing);
  }

  /** Takes a FEN, or plays several moves; returns false if the text is neither. */
  #takeLine(text) {
    try {
      if (isFen(text)) {
        this.#read(text, 'analyse-answer');
      } else {
        this.#play(Game.at(`fen=${this.#view.position.fen}&moves=${text.replace(/\d+\s*\.+/g, ' ')}`).moves);
      }
      return true;
    } catch {
      return false;
    }
  }

  /** Plays moves, which may begin a variation. */
  #play(moves) {
    let at = this.#view.node;
    const firstNew = moves.findIndex(({ uci }) => {
      const next = at.children.find((child) => child.uci === uci);
      at = next ?? at;
      return !next;
    });
    if (firstNew < 0) {
      this.#view.go(at);
    } else {
      this.#change([at], (game) => game.add(at, moves.slice(firstNew)), { animated: true });
    }
  }

  get #link() {
    const { played, node } = this.#view;
    return `${location.href.split('#')[0]}#${this.name}${played.address(node)}`;
  }

  /** Sets the address, and stores the game. */
  settle() {
    const { played, node } = this.#view;
    this.#app.replace(this.name + played.address(node));
    this.#store();
  }

  /** Stores the game for a reload, and for the next visit. */
  #store() {
    clearTimeout(this.#later);
    this.#settled = performance.now();
    const { played, node } = this.#view;
    const text = JSON.stringify({ data: played.data, path: pathTo(node).map((at) => at.parent.children.indexOf(at)) });
    ['sessionStorage', 'localStorage'].forEach((storage) => remember(STORED, text, storage));
    this.#showPgn();
  }

  #settleSoon() {
    clearTimeout(this.#later);
    this.#later = setTimeout(() => this.settle(), Math.max(0, this.#settled + SETTLE_MS - performance.now()));
  }

  #restore() {
    try {
      const { data, path } = JSON.parse(recall(STORED, recall(STORED, ''), 'sessionStorage'));
      const game = Game.from(data);
      const node = path.reduce((at, index) => at.children[index], game.root);
      // Throws an error if the data are damaged.
      game.position(node);
      this.#view.open(game, node);
      // The page may have been reloaded before `settle` has set the address.
      if (performance.getEntriesByType('navigation')[0]?.type === 'reload' && location.hash.split('?')[0] === `#${this.name}`) {
        this.#app.replace(this.name + game.address(node));
      }
    } catch {
      // Nothing is stored.
    }
  }

  #showPgn() {
    const field = byId('analyse-pgn');
    if (byId('pgn-box').open && document.activeElement !== field) {
      const { pgn } = this.#view.played;
      field.value = pgn.length > MAX_SHOWN ? '' : pgn;
    }
  }

  #takeText(text) {
    this.#take('the text', (games, signal) => games.take(text, signal));
  }

  /** Reads PGN with `load`, and shows its first game. */
  #take(name, load) {
    this.#attempt(name, async (signal) => {
      const games = new Games();
      await load(games, signal);
      const { problems, options, remark } = await games.list(signal);
      const first = problems.indexOf(null);
      if (first < 0) {
        throw new Error(problems[0] ?? 'it has no moves');
      }
      const game = await playedOf(games, first, signal);
      this.#games = games;
      this.#opened = [];
      this.#opened[first] = game;
      byId('analyse-game').replaceChildren(options);
      answer('pgn-answer', remark, true);
      this.open(game, game.root);
    });
  }

  /** Shows the game with this number of the last text; one that was shown before, with its changes. */
  #choose(number) {
    this.#attempt(`game ${number + 1}`, async (signal) => {
      const game = this.#opened[number] ?? await playedOf(this.#games, number, signal);
      this.#opened[number] = game;
      answer('pgn-answer', '');
      this.open(game, game.root);
    });
  }

  /** Reads with `act`, and shows why it failed. */
  async #attempt(name, act) {
    this.#reading?.abort();
    this.#reading = new AbortController();
    answer('pgn-answer', `Reading ${name} …`, true);
    try {
      await act(this.#reading.signal);
    } catch (error) {
      if (error.name !== 'AbortError') {
        this.#showChoice();
        byId('pgn-box').open = true;
        answer('pgn-answer', `Cannot read ${name}: ${error.message}.`);
      }
    }
  }

  /** Shows the games of the last text while one of them is shown. */
  #showChoice() {
    const number = this.#opened.indexOf(this.#view.played);
    const field = byId('analyse-game');
    field.parentElement.hidden = number < 0 || field.length < 2;
    field.selectedIndex = number;
  }

  #set() {
    remember('analyse.on', String(byId('engine-on').checked));
    remember('analyse.lines', byId('line-count').value);
    this.#makeRoom();
    this.#look();
  }

  #makeRoom() {
    byId('lines').style.setProperty('--count', byId('engine-on').checked ? byId('line-count').value : '0');
  }

  /** Reads a FEN, or moves; shows an error at `place`. */
  #read(fen, place = 'fen-answer') {
    if (isMoveText(fen)) {
      this.#takeText(fen);
      return;
    }
    try {
      this.open(new Game(new Position(fen)));
      answer(place, '');
    } catch (error) {
      answer(place, `Invalid FEN: ${error.message}.`);
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
    const { position, played, node } = this.#view;
    this.#clear();
    this.#settleSoon();
    this.#app.board.accept('both', position, (move) => this.#play([move]));
    this.#app.board.onDraw = (drawings) => {
      // A drag from outside the board draws nothing.
      const isNew = `${drawings.toSorted()}` !== `${[...(node.squares ?? []), ...(node.arrows ?? [])].sort()}`;
      if (isNew && !this.#setup.isOpen) {
        this.#remark(() => played.draw(node, drawings));
      }
    };
    byId('promote').disabled = this.#view.trunk === node;
    byId('delete').disabled = !node.parent;
    this.#isTyping = false;
    this.#showUndo();
    this.#showChoice();
    byId('comment').value = wordsOf(node.comments, Infinity);
    byId('glyph').value = node.nags?.find((nag) => nag <= MAX_GLYPH) ?? 0;
    byId('glyph').disabled = !node.parent;
    byId('fen').value = position.fen;
    answer('fen-answer', '');
    byId('analyse-answer').textContent = '';
    byId('analyse-move').value = '';
    byId('analyse-status').textContent = ending(played.outcomes(node));
    this.#show();
    if (position.verdict || !byId('engine-on').checked) {
      this.#app.engine?.cancel();
      this.#app.gauge.show(position.verdict && valueOfVerdict(position.verdict));
      return;
    }
    try {
      await this.#search(position, played.forEngine(node));
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
    if (row) {
      // The engine writes castling as the page does.
      const moves = row.sans.slice(0, Number(button.dataset.at) + 1);
      this.#play(moves.map((san, at) => ({ uci: row.info.pv[at], san })));
    }
  }
}

/** The parts of a node that a change replaces. */
function stateOf({ children, comments, squares = [], arrows = [], nags, glyphs, judgement }) {
  return { children: [...children], comments, squares, arrows, nags, glyphs, judgement };
}

/** A sentence about the end of a game, or a draw that can be claimed. */
function ending([end, claim]) {
  if (end) {
    return `${end.result}: ${end.reason}.`;
  }
  return claim ? `A draw can be claimed: ${claim.reason}.` : '';
}

/** The game with this number. */
async function playedOf(games, number, signal) {
  const data = await inSlices(games.playing(number), signal);
  await pause();
  const game = Game.from(data);
  await pause();
  signal.throwIfAborted();
  return game;
}

const isFen = (text) => /^\s*([\dkqrbnp]+\/){7}/i.test(text);

/** Whether a text has moves or tags of PGN, and is no FEN. */
const isMoveText = (text) => !isFen(text) && /\d\s*\.|\[\w+\s+"/.test(text);
