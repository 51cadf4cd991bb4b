// Shows a game: the position, the moves, and the results of an analysis. The page that `analyse`
// writes (page.mjs) and the page of web/page use it. crates/pgn/src/viewer.rs defines the data of a game.
//
// A game is a tree of positions, `game.root` the first of them. A position has its `parent`, its `children` (the first is the
// main move), the `uci` and `san` of the move that led to it, the number of moves before it, `ply`, and the remarks on that move.

const FILES = 'abcdefgh';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** The maximum number of moves listed, and the minimum before and after the current one. */
const MAX_LISTED = 600;
const MARGIN = 100;

/** The maximum length of a comment, in characters: browsers lay out long ones slowly. */
const MAX_COMMENT = 10_000;

/** The maximum number of moves shown of an engine's line, and of steps by which variations are indented. */
const MAX_LINE = 14;
const MAX_INDENT = 5;

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

/** Makes a bar of the expected wins, draws and losses per thousand games of the engine against itself. */
export function wdlBar([win, draw, loss]) {
  const part = (name, share) => {
    const percent = Math.round(share / 10);
    const element = make('span', { class: name }, percent >= 9 ? `${percent}%` : '');
    element.style.flexGrow = share;
    return element;
  };
  const text = `Between engines: White wins ${win / 10} %, draw ${draw / 10} %, Black wins ${loss / 10} %`;
  const parts = [part('win', win), part('draw', draw), part('loss', loss)];
  const bar = make('div', { class: 'wdl', title: text, aria: { label: text } }, ...parts);
  bar.setAttribute('role', 'img');
  return bar;
}

/** The value of a tag of a game; undefined if it is unknown. */
export function tag({ tags = [] }, name) {
  const value = tags.find(([key]) => key === name)?.[1];
  return ['', '?', '????.??.??'].includes(value) ? undefined : value;
}

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

// --- Trees of positions ---

/** Adds a position to a tree. */
export function grow(parent, move) {
  const node = { ...move, parent, children: [], ply: parent.ply + 1 };
  parent.children.push(node);
  return node;
}

/** Makes the tree of a game from its data. */
export function plant({ nodes: [first = {}, ...moves], ...game }) {
  const root = { ...first, fen: game.fen, isCheck: game.check, children: [], ply: 0 };
  const nodes = [root];
  moves.forEach(({ parent = nodes.length - 1, ...move }) => nodes.push(grow(nodes[parent], move)));
  return { ...game, root };
}

/** The positions from one on along the first moves. */
export function lineFrom(node) {
  const line = [];
  for (let at = node; at; [at] = at.children) {
    line.push(at);
  }
  return line;
}

/** The positions from the first move of a game to this one. */
export function pathTo(node) {
  const path = [];
  for (let at = node; at.parent; at = at.parent) {
    path.push(at);
  }
  return path.reverse();
}

/**
 * The positions of a tree in the order of PGN: a move, the other moves in its place with what follows them, then the next move. As
 * `{ node, depth, isFirst }`: the depth is that of the variation, and `isFirst` its beginning.
 */
export function listTree(root) {
  const rows = [];
  const stack = [{ node: root, depth: 0, isFirst: false }];
  while (stack.length > 0) {
    const row = stack.pop();
    const { node, depth, isFirst } = row;
    rows.push(row);
    if (node.children.length > 0) {
      stack.push({ node: node.children[0], depth, isFirst: false });
    }
    if (!isFirst && node.parent) {
      const { children } = node.parent;
      for (let at = children.length - 1; at > 0; at--) {
        stack.push({ node: children[at], depth: depth + 1, isFirst: true });
      }
    }
  }
  return rows;
}

/** The engine's line from a position. Its positions are not in the tree. */
function engineLine(node) {
  if (!node.ahead) {
    const first = { ...node, ahead: [], children: [] };
    (node.analysis?.line ?? []).reduce((last, [uci, san]) => grow(last, { uci, san, isAhead: true }), first);
    node.ahead = lineFrom(first).slice(1);
    first.children.forEach((child) => { child.parent = node; });
  }
  return node.ahead;
}

/** Comments without commands such as `[%clk 0:05:00]`, as one text of limited length. */
export function wordsOf(comments = [], limit = MAX_COMMENT) {
  const text = comments.join(' ').replace(/\[%[^\]]*(\]|$)/g, ' ').replace(/\s+/g, ' ').trim();
  return text.length > limit ? `${text.slice(0, limit)} …` : text;
}

/** Shows a game and one of its positions. */
export class Viewer {
  game;
  /** The position shown, and those of the main line, by ply. */
  node;
  main;
  #parts;
  /** All positions, in the order of the list; their numbers; and the number of the first one listed. */
  #rows;
  #numbers;
  #first = 0;

  /**
   * `board.show` draws a position (see `shown`); `list` is the element for the moves, `now` the one for the
   * engine's results; `onGo` is called when the position changes. `game` is the game until `open`.
   */
  constructor({ board, list, now, onGo = () => {}, game = plant({ fen: START, nodes: [] }) }) {
    this.#parts = { board, list, now, onGo };
    this.#take(game, game.root);
    list.onclick = ({ target }) => {
      const button = target.closest('[data-row]');
      if (button) {
        this.go(this.#rows[button.dataset.row].node);
      }
    };
  }

  /** The number of moves of the main line. */
  get length() {
    return this.main.length - 1;
  }

  /** The last position of the main line before the position shown, or this one. */
  get trunk() {
    let at = this.node;
    while (this.main[at.ply] !== at) {
      at = at.parent;
    }
    return at;
  }

  get ply() {
    return this.trunk.ply;
  }

  /** The position shown, or the last one before the engine's line that is shown. */
  get listed() {
    let at = this.node;
    while (at.isAhead) {
      at = at.parent;
    }
    return at;
  }

  /** The position for the board; `next` is the engine's move in it. */
  get shown() {
    const { node, game: { root } } = this;
    const board = readBoard(root.fen);
    pathTo(node).forEach(({ uci }) => play(board, uci));
    const turn = moveNumber(root.fen, node.ply).isBlack ? 'b' : 'w';
    const isCheck = node.parent ? /[+#]$/.test(node.san) : root.isCheck;
    const [next] = node.isAhead ? node.children : engineLine(node);
    const { squares = [], arrows = [] } = node;
    // Without these, the board may keep what the user has drawn.
    const drawings = node.squares || node.arrows ? { squares, arrows } : {};
    return { board, turn, isCheck, last: node.uci ? node : undefined, next, ...drawings };
  }

  /** Shows another game, or the changed game, at a position; by default, at its end. */
  open(game, where = Infinity, { animated = false } = {}) {
    this.#take(game, where);
    this.#showList();
    this.go(this.node, { animated });
  }

  /** Lists the moves again, after a change of remarks. */
  refresh() {
    const { list } = this.#parts;
    const hadFocus = list.contains(document.activeElement?.closest('button'));
    this.#showList();
    this.#mark();
    if (hadFocus) {
      (list.querySelector('[aria-current]') ?? list).focus({ preventScroll: true });
    }
  }

  #take(game, where) {
    this.game = game;
    this.main = lineFrom(game.root);
    this.#rows = listTree(game.root);
    this.#numbers = new Map(this.#rows.map(({ node }, number) => [node, number]));
    this.node = this.#at(where);
  }

  #at(where) {
    return typeof where === 'number' ? this.main[Math.max(0, Math.min(where, this.length))] : where;
  }

  /** Shows a position: a ply of the main line, or a position of the tree or of an engine's line. */
  go(where, { animated = true } = {}) {
    this.node = this.#at(where);
    this.#parts.board.show(this.shown, { animated });
    const number = this.#numbers.get(this.listed);
    const isBehindStart = number >= this.#first + MARGIN || this.#first === 0;
    const isBeforeEnd = number <= this.#first + MAX_LISTED - MARGIN || this.#first + MAX_LISTED >= this.#rows.length;
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

  /** Handles a key; returns false if the key has no function. The arrows walk the line that is shown. */
  key(name) {
    const actions = {
      ArrowLeft: () => this.go(this.node.parent ?? this.node),
      ArrowRight: () => this.go(this.node.children[0] ?? this.node),
      Home: () => this.go(0),
      End: () => this.go(lineFrom(this.node).at(-1)),
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
    const mistake = this.main.slice(this.ply + 1).find(({ judgement }) => judgement);
    if (mistake) {
      this.go(mistake);
    }
  }

  /** Lists the moves; in a very long game, only those around the position shown. */
  #showList() {
    const { list } = this.#parts;
    const last = Math.max(0, this.#rows.length - MAX_LISTED);
    this.#first = Math.min(Math.max(0, this.#numbers.get(this.listed) - MAX_LISTED / 2), last);
    const cells = [];
    /** The element of the current variation, and its depth. */
    let block;
    let blockDepth = 0;
    /** Whether the next move needs a number. */
    let begins = true;
    for (let at = this.#first; at < Math.min(this.#first + MAX_LISTED + 1, this.#rows.length); at++) {
      const { node, depth, isFirst } = this.#rows[at];
      const { number, isBlack } = moveNumber(this.game.root.fen, node.ply - 1);
      const comment = wordsOf(node.comments);
      const isNew = isFirst || depth !== blockDepth;
      begins ||= isNew;
      blockDepth = depth;
      if (depth > 0) {
        if (isNew || !block) {
          block = make('div', { class: 'variation' });
          block.style.marginLeft = `${Math.min(depth, MAX_INDENT) - 1}rem`;
          cells.push(block);
        }
        const before = wordsOf(node.before);
        const label = isBlack ? (begins ? `${number}…\u2009` : '') : `${number}.\u2009`;
        block.append(before ? `${before} ` : '', label, this.#cell(at), comment ? ` ${comment} ` : ' ');
      } else {
        if (node.parent && (!isBlack || begins)) {
          cells.push(make('span', { class: 'number' }, `${number}.`));
        }
        if (node.parent && isBlack && begins) {
          cells.push(make('span', { class: 'none' }, '…'));
        }
        cells.push(...(node.parent ? [this.#cell(at)] : []));
        cells.push(...(comment ? [make('span', { class: 'comment' }, comment)] : []));
      }
      begins = comment !== '' || !node.parent;
    }
    list.replaceChildren(...cells);
  }

  /** The button of a move. */
  #cell(row) {
    const { node } = this.#rows[row];
    const text = make('span', {}, node.san + (node.glyphs ?? ''));
    const button = make('button', { type: 'button', class: `move ${kindOf(node.judgement)}`, data: { row } }, text);
    const details = [node.clock, node.analysis && scoreText(node.analysis.value)].filter(Boolean);
    button.append(...details.map((detail) => make('small', {}, detail)));
    return button;
  }

  /** Marks the move that led to the position shown, and scrolls to it. */
  #mark() {
    const { list } = this.#parts;
    list.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const move = list.querySelector(`[data-row="${this.#numbers.get(this.listed)}"]`);
    move?.setAttribute('aria-current', 'true');
    list.scrollTop = move ? move.offsetTop - list.clientHeight / 2 : 0;
  }

  /** Elements with the results for the position shown and the move that led to it. */
  #words() {
    const at = this.listed;
    const { analysis, judgement, parent } = at;
    if (!analysis && !parent) {
      return [];
    }
    const parts = [this.#verdict(at)];
    if (judgement) {
      parts.push(this.#line('Instead: ', parent));
    }
    if (analysis) {
      const { value, depth, wdl } = analysis;
      parts.push(this.#line(judgement ? 'Now best: ' : 'Best: ', at));
      parts.push(make('p', { class: 'faint' }, scoreText(value) + (depth > 0 ? ` · depth ${depth}` : '')), wdlBar(wdl));
    }
    const comment = wordsOf(at.comments);
    parts.push(comment ? make('p', { class: 'faint' }, comment) : undefined);
    return parts.filter(Boolean);
  }

  /** The engine's line from a position; undefined if there is none. */
  #line(title, from) {
    const line = engineLine(from).slice(0, MAX_LINE);
    const path = new Set(this.node.isAhead ? pathTo(this.node) : []);
    const buttons = lineButtons(this.game.root.fen, from.ply, line.map(({ san }) => san));
    buttons.forEach((button, at) => {
      button.classList.toggle('on', path.has(line[at]));
      button.onclick = () => this.go(line[at]);
    });
    const rest = engineLine(from).length > MAX_LINE ? [' …'] : [];
    return line.length > 0 ? make('p', { class: 'pv' }, make('b', {}, title), ...buttons, ...rest) : undefined;
  }

  /** The last move and its judgement. */
  #verdict({ parent, ply, san, glyphs = '', judgement }) {
    if (!parent) {
      const keys = 'Use the arrow keys to step through the game, and M to jump to the next mistake.';
      return make('p', {}, `First position. ${matchMedia('(hover: none)').matches ? '' : keys}`);
    }
    const { number, isBlack } = moveNumber(this.game.root.fen, ply - 1);
    const text = `${number}${isBlack ? '...' : '.'} ${san}${glyphs}${judgement ? ` ${judgement}.` : ''}`;
    return make('p', {}, make('b', { class: kindOf(judgement) }, text));
  }
}

/** The CSS class of a judgement. */
const kindOf = (judgement) => (judgement ?? '').toLowerCase();
