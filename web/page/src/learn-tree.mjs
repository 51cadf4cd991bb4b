// The tree of a small alpha-beta search, one event after the other.

import { byId, make } from './dom.mjs';
import { piecesOf, plural, Squares } from './learn-board.mjs';
import { lesson } from './rules.mjs';

/** A pawn ending with few moves; the search counts material. */
const FEN = '8/8/8/8/8/kPp5/8/1K6 w - - 0 1';
const DEPTH = 3;

/** The time between two events while playing, in milliseconds. */
const PACE_MS = 900;

const score = (value) => (value === null ? '∞' : value > 0 ? `+${value}` : `${value}`.replace('-', '−'));

export class Tree {
  #nodes;
  #events;
  #leaves;
  /** The number of events shown. */
  #shown = 1;
  #timer;
  #board = new Squares('The position of the node');
  /** The element of each node: `{ item, label, list, cut }`. */
  #parts = [];

  constructor() {
    const { nodes, events, leaves } = lesson('tree', FEN, DEPTH);
    this.#nodes = nodes;
    this.#events = events;
    this.#leaves = leaves;
    this.#build();
    byId('tree-board').append(this.#board.element);
    byId('tree-next').onclick = () => this.#step(1);
    byId('tree-back').onclick = () => this.#step(-1);
    byId('tree-play').onclick = () => (this.#timer ? this.pause() : this.#play());
    this.#show();
  }

  pause() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    byId('tree-play').textContent = 'Play';
  }

  #play() {
    if (this.#shown === this.#events.length) {
      this.#shown = 1;
    }
    this.#timer = setInterval(() => this.#go(1), PACE_MS);
    byId('tree-play').textContent = 'Pause';
    this.#go(1);
  }

  #step(by) {
    this.pause();
    this.#go(by);
  }

  #go(by) {
    this.#shown = Math.min(this.#events.length, Math.max(1, this.#shown + by));
    this.#show();
    if (this.#shown === this.#events.length) {
      this.pause();
    }
  }

  /** Builds the whole tree. Nodes not yet visited are invisible, so that nothing moves later. */
  #build() {
    this.#parts = this.#nodes.map(() => {
      const [label, list, cut] = [make('div', { class: 'node' }), make('ul', {}), make('li', { class: 'cut' })];
      return { item: make('li', {}, label, list), label, list, cut };
    });
    this.#nodes.forEach(({ parent }, at) => this.#parts[parent]?.list.append(this.#parts[at].item));
    for (const { node, cut } of this.#events.filter((event) => event.cut > 0)) {
      const part = this.#parts[this.#nodes[node].parent];
      part.cut.append(make('span', { aria: { hidden: 'true' } }, '✂'), `${cut} skipped`);
      part.list.append(part.cut);
    }
    this.#parts.filter(({ list }) => list.children.length === 0).forEach(({ list }) => list.remove());
    byId('tree').append(this.#parts[0].item);
  }

  #show() {
    const state = this.#nodes.map(({ window }) => ({ window }));
    for (const { node, score: value, bound, window, cut } of this.#events.slice(0, this.#shown)) {
      Object.assign(state[node], { isVisited: true, value, bound });
      const { parent } = this.#nodes[node];
      if (window) {
        Object.assign(state[parent], { window, isCut: cut > 0 });
      }
    }
    const { node: current } = this.#events[this.#shown - 1];
    this.#parts.forEach(({ item, label, cut }, at) => {
      const { isVisited = false, isCut = false, value, bound, window } = state[at];
      const { san = 'Start', isLeaf } = this.#nodes[at];
      const [alpha, beta] = window;
      const range = `${alpha === null ? '−' : ''}${score(alpha)} … ${score(beta)}`;
      const result = value === undefined ? '' : ` ${bound}${score(value)}`;
      item.classList.toggle('later', !isVisited);
      label.classList.toggle('current', at === current);
      label.classList.toggle('done', value !== undefined);
      cut.classList.toggle('later', !isCut);
      label.replaceChildren(make('b', {}, san), result, ...(isLeaf ? [] : [make('small', {}, range)]));
    });
    this.#scroll(this.#parts[current].label);
    this.#board.show({ pieces: piecesOf(this.#nodes[current].fen), text: () => '' });
    this.#board.element.ariaLabel = `The position after ${this.#line(current) || 'no move'}`;
    const visited = this.#nodes.filter(({ isLeaf }, at) => isLeaf && state[at].isVisited).length;
    byId('tree-status').textContent = this.#words();
    byId('tree-count').textContent = `${visited} of ${this.#leaves} leaves, step ${this.#shown} of ${this.#events.length}`;
  }

  /** Scrolls the tree, but not the page, to a node. */
  #scroll(label) {
    const tree = byId('tree');
    const top = label.offsetTop - tree.clientHeight + 2.5 * label.offsetHeight;
    tree.scrollTop = Math.min(Math.max(tree.scrollTop, top), Math.max(0, label.offsetTop - 2 * label.offsetHeight));
  }

  /** The moves that lead to a node. */
  #line(node) {
    const { parent, san } = this.#nodes[node];
    return parent === undefined ? '' : `${this.#line(parent)} ${san}`.trim();
  }

  /** The last event in words. */
  #words() {
    const { node, score: value, bound, isBetter, window, isCutoff, cut } = this.#events[this.#shown - 1];
    const { san, fen, moves, isLeaf, parent } = this.#nodes[node];
    const [mover, other] = fen.split(' ')[1] === 'w' ? ['Black', 'White'] : ['White', 'Black'];
    if (value === undefined) {
      return san ? `${mover} plays ${san}. ${other} has ${plural(moves, 'move')}.` : `The search begins. White has ${plural(moves, 'move')}.`;
    }
    if (parent === undefined) {
      const best = this.#events.findLast((event) => event.isBetter && this.#nodes[event.node].parent === 0);
      return `The search is complete. The best move is ${this.#nodes[best.node].san}, with a score of ${score(value)}.`;
    }
    const [alpha, beta] = window;
    const result = `${san}: ${bound ? `${bound} ` : ''}${score(value)}${isLeaf ? ' by material' : ''}.`;
    if (isCutoff && cut > 0) {
      const refused = mover === 'White' ? ['Black', beta] : ['White', alpha];
      return `${result} Cutoff: ${refused[0]} already has ${score(refused[1])} elsewhere, so ${plural(cut, 'move')} of ${mover} can be skipped.`;
    }
    if (!isBetter) {
      return `${result} This is no better for ${mover}.`;
    }
    return `${result} ${mover === 'White' ? `White has at least ${score(alpha)} here` : `Black allows at most ${score(beta)} here`}.`;
  }
}
