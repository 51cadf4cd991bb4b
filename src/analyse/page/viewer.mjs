// Shows a game: the position, the moves, and the results of an analysis. The page that `analyse`
// writes (page.mjs) and the page of web/page use it. crates/pgn/src/viewer.rs defines the data of a game.

const FILES = 'abcdefgh';

/** The maximum number of moves listed, and the minimum before and after the current one. Both are even. */
const MAX_LISTED = 600;
const MARGIN = 100;

/** The maximum length of a comment, in characters: browsers lay out long ones slowly. */
const MAX_COMMENT = 10_000;

/** The buttons that step through a game: key, text and name. */
const STEPS = [
  ['Home', '«', 'First position'],
  ['ArrowLeft', '‹', 'Back'],
  ['ArrowRight', '›', 'Forward'],
  ['End', '»', 'Last position'],
];

/** Makes an element with properties, including `class`, `data` and `aria`, and its content. */
export function make(name, properties = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === 'class') {
      element.className = value;
    } else if (key === 'data') {
      Object.assign(element.dataset, value);
    } else if (key === 'aria') {
      Object.entries(value).forEach(([attribute, text]) => element.setAttribute(`aria-${attribute}`, text));
    } else {
      element[key] = value;
    }
  }
  element.append(...content.filter((part) => part !== undefined));
  return element;
}

// --- Pieces and squares. A board is an array of 64 letters from a1 to h8; `.` is an empty square. ---

export const squareName = (index) => FILES[index % 8] + (Math.floor(index / 8) + 1);
export const squareIndex = (name) => FILES.indexOf(name[0]) + 8 * (name[1] - 1);
export const isWhite = (piece) => piece !== piece.toLowerCase();

/** The board of a FEN. */
export function readBoard(fen) {
  const ranks = fen.split(' ')[0].split('/').reverse();
  return ranks.flatMap((rank) => [...rank.replace(/\d/g, (count) => '.'.repeat(count))]);
}

/** The first field of the FEN of a board. */
export function writeBoard(board) {
  const rank = (from) => board.slice(from, from + 8).join('').replace(/\.+/g, (gap) => gap.length);
  return [56, 48, 40, 32, 24, 16, 8, 0].map(rank).join('/');
}

/** Makes a legal move on a board; castling is king takes rook, and an empty string is a null move. */
export function play(board, uci) {
  if (!uci) {
    return;
  }
  const from = squareIndex(uci);
  const to = squareIndex(uci.slice(2));
  const [piece, taken] = [board[from], board[to]];
  const [kind, rank] = [piece.toLowerCase(), from - (from % 8)];
  board[from] = '.';
  if (kind === 'k' && taken.toLowerCase() === 'r' && isWhite(taken) === isWhite(piece)) {
    board[to] = '.';
    board[rank + (to > from ? 6 : 2)] = piece;
    board[rank + (to > from ? 5 : 3)] = taken;
    return;
  }
  if (kind === 'p' && from % 8 !== to % 8 && taken === '.') {
    // En passant.
    board[rank + (to % 8)] = '.';
  }
  board[to] = uci[4] ? (isWhite(piece) ? uci[4].toUpperCase() : uci[4]) : piece;
}

/** The first and last square of the moving piece; for castling, the king. */
export function ends({ uci, san }) {
  const castled = san.startsWith('O-O-O') ? 'c' : san.startsWith('O-O') ? 'g' : undefined;
  return [uci.slice(0, 2), castled ? castled + uci[3] : uci.slice(2, 4)];
}

// --- Texts, buttons and tables ---

/** Formats a value, `{ cp }`, `{ mate }` or `{ won: { by_white } }`, as `+0.35`, `#3` or `1-0`. */
export function scoreText({ cp, mate, won }) {
  if (won) {
    return won.by_white ? '1-0' : '0-1';
  }
  if (mate !== undefined) {
    return `#${mate < 0 ? '\u2212' : ''}${Math.abs(mate)}`;
  }
  const pawns = (Math.abs(cp) / 100).toFixed(2);
  return pawns === '0.00' ? pawns : `${cp < 0 ? '\u2212' : '+'}${pawns}`;
}

/** The number of the move after `plies`, as `{ number, isBlack }`. */
function moveNumber(fen, plies) {
  const fields = fen.split(' ');
  const ply = plies + (fields[1] === 'b' ? 1 : 0);
  return { number: Number(fields[5] ?? 1) + Math.floor(ply / 2), isBlack: ply % 2 === 1 };
}

/** Makes buttons for the moves of a line that begins after `plies` plies. */
export function lineButtons(fen, plies, sans) {
  return sans.map((san, at) => {
    const { number, isBlack } = moveNumber(fen, plies + at);
    const label = isBlack ? (at === 0 ? `${number}…\u2009` : '') : `${number}.\u2009`;
    return make('button', { type: 'button', data: { at } }, label + san);
  });
}

/** Makes a bar of wins, draws and losses per thousand games. */
export function wdlBar([win, draw, loss]) {
  const part = (name, share) => {
    const percent = Math.round(share / 10);
    const element = make('span', { class: name }, percent >= 9 ? `${percent}%` : '');
    element.style.flexGrow = share;
    return element;
  };
  const text = `White wins ${win / 10} %, draw ${draw / 10} %, Black wins ${loss / 10} %`;
  const parts = [part('win', win), part('draw', draw), part('loss', loss)];
  const bar = make('div', { class: 'wdl', title: text, aria: { label: text } }, ...parts);
  bar.setAttribute('role', 'img');
  return bar;
}

/** The value of a tag of a game. */
export const tag = (game, name) => game.tags.find(([key]) => key === name)?.[1];

/** Makes the body of the table of accuracies and mistakes. */
export function summary(game) {
  const marks = [['inaccuracy', '?!'], ['mistake', '?'], ['blunder', '??']];
  const titles = marks.map(([kind, mark]) => make('th', { scope: 'col', title: kind }, mark));
  const rows = ['White', 'Black'].map((side, index) => {
    const accuracy = game.accuracies[index];
    const counts = marks.map(([kind], at) => make('td', { class: kind }, String(game.counts[index][at])));
    const name = make('th', { scope: 'row' }, tag(game, side) ?? side);
    return make('tr', {}, name, make('td', {}, accuracy === null ? '–' : `${accuracy.toFixed(1)} %`), ...counts);
  });
  const head = make('tr', {}, make('td', {}, game.result), make('th', { scope: 'col' }, 'Accuracy'), ...titles);
  return make('tbody', {}, head, ...rows);
}

/** Shows a game and one of its positions. */
export class Viewer {
  game = { fen: 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1', uci: [], san: [] };
  /** The number of plies of the game before the position shown. */
  ply = 0;
  /** The number of moves of the engine's line played after these plies. */
  deep = 0;
  #parts;
  /** The first ply listed. */
  #first = 0;

  /**
   * `board.show` draws a position (see `shown`); `list` is the element for the moves, `now` the one for the
   * engine's results; `onGo` is called when the position changes.
   */
  constructor({ board, list, now, onGo = () => {} }) {
    this.#parts = { board, list, now, onGo };
  }

  get length() {
    return this.game.uci.length;
  }

  /** The engine's line from the position after `ply`, as `{ uci, san }`. */
  #line(ply = this.ply) {
    return (this.game.lines?.[ply] ?? []).map(([uci, san]) => ({ uci, san }));
  }

  /** The position shown: `{ board, turn, isCheck, last, next }`; `next` is the engine's move in it. */
  get shown() {
    const { fen, uci, san, check } = this.game;
    const line = this.#line();
    const board = readBoard(fen);
    uci.slice(0, this.ply).forEach((move) => play(board, move));
    line.slice(0, this.deep).forEach((move) => play(board, move.uci));
    const at = this.ply - 1;
    const last = this.deep > 0 ? line[this.deep - 1] : at >= 0 ? { uci: uci[at], san: san[at] } : undefined;
    const turn = moveNumber(fen, this.ply + this.deep).isBlack ? 'b' : 'w';
    const isCheck = last ? /[+#]$/.test(last.san) : check;
    return { board, turn, isCheck, last: last?.uci ? last : undefined, next: line[this.deep] };
  }

  /** Shows another game, at `ply`. */
  open(game, ply = game.uci.length, { animated = false } = {}) {
    this.game = game;
    this.ply = ply;
    this.#showList();
    this.go(ply, { animated });
  }

  /** Shows the position at `ply`, and `deep` moves into the engine's line. */
  go(ply, { deep = 0, animated = true } = {}) {
    this.ply = Math.max(0, Math.min(ply, this.length));
    this.deep = Math.max(0, Math.min(deep, this.#line().length));
    this.#parts.board.show(this.shown, { animated });
    const isBehindStart = this.ply >= this.#first + MARGIN || this.#first === 0;
    const isBeforeEnd = this.ply <= this.#first + MAX_LISTED - MARGIN || this.#first + MAX_LISTED >= this.length;
    if (!isBehindStart || !isBeforeEnd) {
      this.#showList();
    }
    this.#mark();
    const { now, list } = this.#parts;
    const hadFocus = now?.contains(document.activeElement);
    now?.replaceChildren(...this.#words());
    if (hadFocus) {
      ([...now.querySelectorAll('.on')].at(-1) ?? list).focus();
    }
    this.#parts.onGo();
  }

  /** Handles a key; returns false if the key has no function. */
  key(name) {
    const step = (by) => (this.deep > 0 ? this.go(this.ply, { deep: this.deep + by }) : this.go(this.ply + by));
    const actions = {
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      Home: () => this.go(0),
      End: () => this.go(this.length),
      m: () => this.#nextMistake(),
    };
    actions[name]?.();
    return name in actions;
  }

  /** Adds the buttons of `STEPS` to `bar`. Each button with `data-go` in `bar` then acts as that key. */
  control(bar) {
    const buttons = STEPS.map(([go, text, label]) => {
      const title = `${label} (${{ ArrowLeft: '←', ArrowRight: '→' }[go] ?? go})`;
      return make('button', { type: 'button', data: { go }, title, aria: { label } }, text);
    });
    bar.prepend(...buttons);
    bar.onclick = ({ target }) => this.key(target.closest('[data-go]')?.dataset.go);
  }

  #nextMistake() {
    const at = this.game.judgements?.findIndex((name, index) => name && index >= this.ply) ?? -1;
    if (at >= 0) {
      this.go(at + 1);
    }
  }

  /** Lists the moves; in a very long game, only those around the position shown. */
  #showList() {
    const cells = [];
    const { fen, san, comments = [] } = this.game;
    this.#first = Math.min(Math.max(0, this.ply - MAX_LISTED / 2), Math.max(0, san.length - MAX_LISTED)) & ~1;
    let begins = true;
    for (let at = this.#first; at < Math.min(this.#first + MAX_LISTED + 1, san.length); at++) {
      const { number, isBlack } = moveNumber(fen, at);
      if (!isBlack || begins) {
        cells.push(make('span', { class: 'number' }, `${number}.`));
      }
      if (isBlack && begins) {
        cells.push(make('span', { class: 'none' }, '…'));
      }
      cells.push(this.#cell(at));
      if (comments[at]) {
        cells.push(make('span', { class: 'comment' }, shortened(comments[at])));
      }
      begins = Boolean(comments[at]);
    }
    this.#parts.list.replaceChildren(...cells);
  }

  #cell(at) {
    const { san, glyphs, judgements, values } = this.game;
    const text = make('span', {}, san[at] + (glyphs?.[at] ?? ''));
    const button = make('button', { type: 'button', class: `move ${kindOf(judgements?.[at])}`, data: { ply: at + 1 } }, text);
    if (values?.[at + 1]) {
      button.append(make('small', {}, scoreText(values[at + 1])));
    }
    button.onclick = () => this.go(at + 1);
    return button;
  }

  /** Marks the move that led to the position shown, and scrolls to it. */
  #mark() {
    const { list } = this.#parts;
    list.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const move = list.querySelector(`[data-ply="${this.ply}"]`);
    move?.setAttribute('aria-current', 'true');
    list.scrollTop = move ? move.offsetTop - list.clientHeight / 2 : 0;
  }

  /** Elements with the results for the position shown and the move that led to it. */
  #words() {
    const { fen, values, depths, wdl, comments } = this.game;
    const { ply } = this;
    if (!values?.[ply]) {
      return [];
    }
    const depth = depths[ply] > 0 ? ` · depth ${depths[ply]}` : '';
    const parts = [this.#verdict(), make('p', { class: 'faint' }, scoreText(values[ply]) + depth), wdlBar(wdl[ply])];
    const line = this.#line();
    if (line.length > 0) {
      const buttons = lineButtons(fen, ply, line.map(({ san }) => san));
      buttons.forEach((button, at) => {
        button.classList.toggle('on', at < this.deep);
        button.onclick = () => this.go(ply, { deep: at + 1 });
      });
      parts.push(make('p', { class: 'pv' }, make('b', {}, 'Best: '), ...buttons));
    }
    if (comments[ply - 1]) {
      parts.push(make('p', { class: 'faint' }, shortened(comments[ply - 1])));
    }
    return parts;
  }

  /** The last move and its judgement. */
  #verdict() {
    const { fen, san, glyphs, judgements } = this.game;
    if (this.ply === 0) {
      return make('p', {}, 'First position. Use the arrow keys to step through the game, and M to jump to the next mistake.');
    }
    const at = this.ply - 1;
    const { number, isBlack } = moveNumber(fen, at);
    const judgement = judgements[at] ? ` ${judgements[at]}.` : '';
    const text = `${number}${isBlack ? '...' : '.'} ${san[at]}${glyphs[at]}${judgement}`;
    const [better] = judgement ? this.#line(at) : [];
    const button = better && make('button', { type: 'button' }, better.san);
    if (button) {
      button.onclick = () => this.go(at, { deep: 1 });
    }
    const words = button ? [' ', button, ' was best.'] : [];
    return make('p', { class: 'pv' }, make('b', { class: kindOf(judgements[at]) }, text), ...words);
  }
}

const shortened = (comment) => (comment.length > MAX_COMMENT ? `${comment.slice(0, MAX_COMMENT)} …` : comment);

/** The CSS class of a judgement. */
const kindOf = (judgement) => (judgement ?? '').toLowerCase();
