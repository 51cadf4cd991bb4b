// A game: a tree of positions (see viewer.mjs) with its tags, and its end by the rules. A reload and a change that is taken back
// restore it; `pgn` writes it.

import { grow, isWhite, lineFrom, listTree, pathTo, plant, readBoard, wordsOf } from '../../../src/analyse/page/viewer.mjs';
import { outcomes, Position, positionAfter, START, writeComments, writeText } from './rules.mjs';

/** The plies of history sent to the engine, as in crates/pgn/src/batch.rs. */
const PAST_PLIES = 150;

/** The maximum length of a line in an address. */
const MAX_MOVES = 300;

/** The glyphs of moves in PGN, `$1` to `$6`. */
const GLYPHS = ['', '!', '?', '!!', '??', '!?', '?!'];
export const MAX_GLYPH = GLYPHS.length - 1;

/** The commands for coloured squares and arrows in a comment. */
const MARKS = /\[%c[as]l\s[^\]]*\]\s*/g;

export class Game {
  root;
  /** Pairs of names and values; undefined in a new game. */
  tags;
  result;
  /** The positions parsed so far, by node. */
  #positions = new WeakMap();

  constructor(start = new Position()) {
    this.#read({ fen: start.fen, check: start.isCheck, nodes: [] });
  }

  /** Reads the data that crates/pgn/src/viewer.rs defines and `data` returns. */
  static from(data) {
    const game = new Game();
    game.#read(data);
    return game;
  }

  #read(data) {
    const { root, tags, result = '*' } = plant(data);
    Object.assign(this, { root, tags, result });
  }

  /** The game as data for `from`. */
  get data() {
    const numbers = new Map();
    const nodes = listTree(this.root).map(({ node }, number) => {
      numbers.set(node, number);
      const { parent, children, ply, fen, isCheck, ahead, ...kept } = node;
      return parent ? { ...kept, parent: numbers.get(parent) } : kept;
    });
    const { fen, isCheck } = this.root;
    return { fen, check: isCheck, tags: this.tags, result: this.result, nodes };
  }

  #node(where) {
    return typeof where === 'number' ? lineFrom(this.root)[where] : where;
  }

  #fen(node) {
    const moves = [];
    let at = node;
    for (; at.fen === undefined; at = at.parent) {
      moves.push(at.uci || '0000');
    }
    node.fen ??= positionAfter(at.fen, moves.reverse());
    return node.fen;
  }

  /** The position of a node, or after a number of moves of the main line. */
  position(where) {
    const node = this.#node(where);
    if (!this.#positions.has(node)) {
      this.#positions.set(node, new Position(this.#fen(node)));
    }
    return this.#positions.get(node);
  }

  get start() {
    return this.position(this.root);
  }

  /** The node at the end of the main line. */
  get tip() {
    return lineFrom(this.root).at(-1);
  }

  get last() {
    return this.position(this.tip);
  }

  /** The moves of the main line, as nodes. */
  get moves() {
    return lineFrom(this.root).slice(1);
  }

  get length() {
    return this.moves.length;
  }

  /** Plays moves, `{ uci, san, fen }`, after a node. Moves that are there already are only followed. Returns the last node. */
  add(node, moves) {
    return moves.reduce((last, { uci, san, fen }) => {
      const known = last.children.find((child) => child.uci === uci);
      return known ?? grow(last, { uci, san, fen });
    }, node);
  }

  /** Plays a move at the end of the main line. */
  play(move) {
    this.add(this.tip, [move]);
  }

  /** Removes everything after `plies` plies of the main line. */
  cut(plies) {
    this.#node(plies).children.length = 0;
  }

  /** Removes the move that led to a node, with everything after it. */
  remove(node) {
    node.parent.children = node.parent.children.filter((child) => child !== node);
  }

  /** Makes the line that leads to a node the main line. */
  promote(node) {
    for (const at of pathTo(node)) {
      const { children } = at.parent;
      at.parent.children = [at, ...children.filter((child) => child !== at)];
    }
  }

  /** Replaces the coloured squares and arrows of a position, as in PGN: `Ge4`, `Rg1f3`. */
  draw(node, drawings) {
    node.squares = drawings.filter(({ length }) => length === 3);
    node.arrows = drawings.filter(({ length }) => length > 3);
    const commands = Object.entries({ csl: node.squares, cal: node.arrows }).filter(([, list]) => list.length > 0);
    const [first = '', ...others] = (node.comments ?? []).map((text) => text.replace(MARKS, ''));
    const marked = [...commands.map(([name, list]) => `[%${name} ${list.join(',')}]`), first].join(' ').trim();
    node.comments = [marked, ...others].filter(Boolean);
  }

  /** Replaces the comment on a position; its commands stay, and `text` adds none. */
  note(node, text) {
    const commands = (node.comments ?? []).flatMap((comment) => comment.match(/\[%[^\]]*\]/g) ?? []);
    const comment = [...commands, wordsOf([text], Infinity)].join(' ').trim();
    node.comments = comment ? [comment] : [];
  }

  /** Replaces the glyph of a move, `$1` (`!`) to `$6` (`?!`), and the engine's judgement; 0 removes them. */
  mark(node, nag) {
    node.judgement = undefined;
    node.nags = [...(nag > 0 ? [nag] : []), ...(node.nags ?? []).filter((other) => other > MAX_GLYPH)];
    node.glyphs = GLYPHS[nag] + (node.glyphs ?? '').replace(/^[!?]+/, '');
  }

  /** The first `plies` plies of the main line, as a new game. */
  until(plies) {
    const game = new Game(this.start);
    game.add(game.root, this.moves.slice(0, plies));
    return game;
  }

  /** The node of this tree for a node of another; undefined unless this tree has all that `pgn` writes of the other. */
  matching(game, node) {
    const hasTags = !game.tags || JSON.stringify([this.tags, this.result]) === JSON.stringify([game.tags, game.result]);
    if (!hasTags || !hasRemarks(this.root, game.root)) {
      return undefined;
    }
    // Several variations may begin with the same move, so a node of the other may have several nodes here.
    const found = new Map([[game.root, [this.root]]]);
    // By move; a game may have thousands of variations on one move.
    const children = new Map();
    for (const { node: other } of listTree(game.root).slice(1)) {
      if (!children.has(other.parent)) {
        const byMove = new Map();
        for (const child of found.get(other.parent).flatMap((parent) => parent.children)) {
          byMove.set(child.uci, byMove.get(child.uci) ?? []);
          byMove.get(child.uci).push(child);
        }
        children.set(other.parent, byMove);
      }
      const own = (children.get(other.parent).get(other.uci) ?? []).filter((child) => hasRemarks(child, other));
      if (own.length === 0) {
        return undefined;
      }
      found.set(other, own);
    }
    return this.root.fen === game.root.fen ? found.get(node)[0] : undefined;
  }

  /** The address of a node, without the page: `?fen=…&moves=…`. */
  address(node) {
    const path = pathTo(node).map(({ uci }) => uci);
    const isLine = path.length <= MAX_MOVES && path.every(Boolean);
    const fen = isLine ? this.root.fen : this.#fen(node);
    const parts = [...(fen === START ? [] : [`fen=${fen.replaceAll(' ', '_')}`])];
    parts.push(...(isLine && path.length > 0 ? [`moves=${path.join('_')}`] : []));
    // Without a query, it would be the address of the mode.
    return `?${parts.join('&') || 'moves='}`;
  }

  /** Reads an address. Throws an Error with what is wrong in it. */
  static at(address) {
    const [fen, moves] = ['fen', 'moves'].map((name) => new URLSearchParams(address).get(name)?.replaceAll('_', ' ').trim());
    const game = new Game(new Position(fen || START));
    for (const text of moves?.split(/[\s,]+/).filter(Boolean) ?? []) {
      const move = game.last.find(text);
      if (!move) {
        throw new Error(`${text} is not a legal move`);
      }
      game.play(move);
    }
    return game;
  }

  /** The game as PGN. */
  get pgn() {
    const words = [];
    let depth = 0;
    const close = (count) => words.push(...Array(count).fill(')'));
    for (const row of listTree(this.root)) {
      const { node, isFirst } = row;
      close(Math.max(0, depth - row.depth + (isFirst ? 1 : 0)));
      words.push(...(isFirst ? ['('] : []), ...writeComments(node.before));
      words.push(node.san ?? '', ...(node.nags ?? []).map((nag) => `$${nag}`), ...writeComments(node.comments), ...(node.verbatim ?? []));
      ({ depth } = row);
    }
    close(depth);
    const { root: { fen }, tags, result } = this;
    return writeText({ tags: Object.fromEntries(tags ?? []), fen, result, isNew: !tags }, words.join(' '));
  }

  /** The position of a node for the engine, with its history. */
  forEngine(where = this.tip) {
    const moves = [];
    let since = this.#node(where);
    for (; since.uci && moves.length < PAST_PLIES; since = since.parent) {
      moves.push(since.uci);
    }
    return { fen: this.#fen(since), moves: moves.reverse() };
  }

  /** The end of the game at a node without a claim, and the draw that a player may claim, each `{ result, reason }` or null. */
  outcomes(where) {
    return outcomes(this.forEngine(where));
  }

  get end() {
    return this.outcomes()[0];
  }

  get claim() {
    return this.outcomes()[1];
  }

  /** The end of the game if every possible draw is claimed. */
  get verdict() {
    return this.end ?? this.claim;
  }

  /** The end of the game when a side's flag falls: a draw if the other side has only its king. */
  verdictOnTime(color) {
    const [rival, result] = color === 'w' ? ['b', '0-1'] : ['w', '1-0'];
    const pieces = readBoard(this.last.fen).filter((piece) => piece !== '.' && isWhite(piece) === (rival === 'w'));
    return pieces.length === 1 ? { result: '1/2-1/2', reason: 'time, against a king alone' } : { result, reason: 'time' };
  }
}

/** Whether a node has all comments and glyphs of another. */
function hasRemarks(node, other) {
  return ['before', 'comments', 'nags', 'verbatim'].every((key) => (other[key] ?? []).every((remark) => node[key]?.includes(remark)));
}
