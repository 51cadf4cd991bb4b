// The tree of a small alpha-beta search, one event after the other: chapter 7, and with a transposition table of eight
// entries chapter 8. The search is that of web/rules/src/tree.rs.

import { make } from './dom.mjs';
import { choice, piecesOf, plural, Squares } from './learn-board.mjs';
import { lesson } from './rules.mjs';

/** The trees of chapter 7: that of the text, the same with C first, and a pawn ending that counts material. */
const TREES = [
  ['A 30 50 40, B 20 70 90, C 60 40 50|2', 'A, B, C'],
  ['C 60 40 50, A 30 50 40, B 20 70 90|2', 'C, A, B'],
  ['8/8/8/8/8/kPp5/8/1K6 w - - 0 1|3', 'Pawns'],
];

/** The pawn ending of chapter 8. */
const TABLE = 'k1K5/p7/8/8/8/8/P7/8 w - - 0 1|4 table';

const CAPTION = 'The table; its scores are for the side to move. Choose an entry: the search goes to where it was written.';

/** The time between two events while playing, in milliseconds. */
const PACE_MS = 900;

const score = (value) => (value === null ? '∞' : value > 0 ? `+${value}` : `${value}`.replace('-', '−'));

export const treePicture = (root, light) => new Tree(root, light, TREES);
export const tablePicture = (root, light) => new Tree(root, light, [[TABLE]]);

class Tree {
  #nodes;
  #events;
  #total;
  /** Whether a node counts. */
  #counts;
  #light;
  /** The number of events shown. */
  #shown;
  #timer;
  #board = new Squares('The position of the node', {});
  /** The element of each node: `{ item, label, list, cut }`. */
  #parts = [];
  #words = make('p', { class: 'status', role: 'status' });
  #count = make('p', { class: 'faint' });
  #tree = make('ul', { class: 'tree', tabIndex: 0, ariaLabel: 'Tree of the search' });
  #table = make('tbody', {});
  #play;

  constructor(root, light, searches) {
    this.#light = light;
    const button = (text, act) => make('button', { type: 'button', onclick: act }, text);
    this.#play = button('Play', () => (this.#timer ? this.pause() : this.#begin()));
    const next = button('Next', () => this.#step(this.#shown === this.#events.length ? 1 - this.#shown : 1));
    next.classList.add('main');
    const buttons = make('div', { class: 'buttons' }, next, button('Back', () => this.#step(-1)), this.#play);
    const hasTable = searches.length === 1;
    const isHit = ({ node, probe }) => probe && this.#nodes[node].isHit;
    if (hasTable) {
      buttons.append(button('To the next hit', () => this.#step(this.#next(isHit) - this.#shown)));
    }
    const head = make('tr', {}, ...['#', 'Key', 'Depth', 'Score', 'Best'].map((text) => make('th', { scope: 'col' }, text)));
    const choices = hasTable
      ? make('table', { class: 'entries' }, make('caption', {}, CAPTION), make('thead', {}, head), this.#table)
      : choice('tree', 'Order of the moves', searches, searches[0][0], (search) => this.#load(search));
    const words = make('div', { class: 'try' }, this.#words, this.#count, buttons);
    root.append(make('div', { class: 'try' }, choices, make('div', { class: 'beside' }, this.#board.element, words)), this.#tree);
    this.#tree.onclick = ({ target }) => {
      const node = Number(target.closest('[data-node]')?.dataset.node ?? NaN);
      this.#jump((event) => event.node === node);
    };
    this.#table.onclick = ({ target }) => {
      const chosen = target.closest('button');
      this.#jump(({ store }) => chosen && store?.key === chosen.dataset.key);
    };
    this.#load(searches[0][0]);
    // First the text's own example: the whole tree, or the first hit.
    this.#go(hasTable ? this.#next(isHit) : this.#events.length);
  }

  /** Begins a search: a tree or a FEN, and the depth. */
  #load(search) {
    this.pause();
    const { nodes, events, leaves, without } = lesson('tree', ...search.split('|'));
    [this.#nodes, this.#events, this.#shown] = [nodes, events, 1];
    const hasTable = search.endsWith('table');
    this.#total = hasTable ? `${nodes.length} nodes (${without} without the table)` : `${leaves} leaves`;
    this.#counts = hasTable ? () => true : ({ isLeaf }) => isLeaf;
    this.#build();
    this.#show();
  }

  pause() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#play.textContent = 'Play';
  }

  #begin() {
    if (this.#shown === this.#events.length) {
      this.#shown = 1;
    }
    this.#timer = setInterval(() => this.#go(this.#shown + 1), PACE_MS);
    this.#play.textContent = 'Pause';
    this.#go(this.#shown + 1);
  }

  #step(by) {
    this.pause();
    this.#go(this.#shown + by);
  }

  #go(shown) {
    this.#shown = Math.min(this.#events.length, Math.max(1, shown));
    this.#show();
    if (this.#shown === this.#events.length) {
      this.pause();
    }
  }

  /** Goes to the last event shown so far, or else the first of all, for which `isWanted`. */
  #jump(isWanted) {
    const last = this.#events.slice(0, this.#shown).findLastIndex(isWanted);
    const at = last >= 0 ? last : this.#events.findIndex(isWanted);
    if (at >= 0) {
      this.#step(at + 1 - this.#shown);
    }
  }

  /** The number of events up to the next one for which `isWanted`, or of all. */
  #next(isWanted) {
    const at = this.#events.findIndex((event, index) => index >= this.#shown && isWanted(event));
    return at < 0 ? this.#events.length : at + 1;
  }

  /** Builds the whole tree. Nodes not yet visited are invisible, so that nothing moves later. */
  #build() {
    this.#parts = this.#nodes.map((_, node) => {
      const label = make('button', { type: 'button', class: 'node', data: { node } });
      const [list, cut] = [make('ul', {}), make('li', { class: 'cut' })];
      return { item: make('li', {}, label, list), label, list, cut };
    });
    this.#nodes.forEach(({ parent }, at) => this.#parts[parent]?.list.append(this.#parts[at].item));
    for (const { node, cut } of this.#events.filter((event) => event.cut > 0)) {
      const part = this.#parts[this.#nodes[node].parent];
      part.cut.append(make('span', { aria: { hidden: 'true' } }, '✂'), `${cut} skipped`);
      part.list.append(part.cut);
    }
    this.#parts.filter(({ list }) => list.children.length === 0).forEach(({ list }) => list.remove());
    this.#tree.replaceChildren(this.#parts[0].item);
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
    const event = this.#events[this.#shown - 1];
    const { node: current } = event;
    this.#parts.forEach(({ item, label, cut }, at) => {
      const { isVisited = false, isCut = false, value, bound, window } = state[at];
      const { san, isLeaf, isHit } = this.#nodes[at];
      const [alpha, beta] = window;
      const range = `${alpha === null ? '−' : ''}${score(alpha)} … ${score(beta)}`;
      const result = value === undefined ? '' : ` ${bound}${score(value)}`;
      item.classList.toggle('later', !isVisited);
      label.classList.toggle('current', at === current);
      label.classList.toggle('done', value !== undefined);
      label.classList.toggle('hit', isHit === true);
      cut.classList.toggle('later', !isCut);
      label.replaceChildren(make('b', {}, san ?? 'Start'), result, ...(isLeaf ? [] : [make('small', {}, isHit ? 'from the table' : range)]));
    });
    this.#scroll(this.#parts[current].label);
    const { fen } = this.#nodes[current];
    this.#board.element.hidden = fen === null;
    if (fen !== null) {
      this.#board.show({ pieces: piecesOf(fen), text: () => '' });
      this.#board.label = `The position after ${this.#line(current) || 'no move'}`;
    }
    const visited = this.#nodes.filter((node, at) => this.#counts(node) && state[at].isVisited).length;
    this.#words.textContent = this.#describe(event);
    this.#count.textContent = `${visited} of ${this.#total}, step ${this.#shown} of ${this.#events.length}`;
    this.#showTable(event);
    const { isCutoff, isBetter, probe, store } = event;
    this.#light(...Object.entries({
      visit: event.score === undefined, better: isBetter, cut: isCutoff, probe, hit: probe && this.#nodes[current].isHit, store,
    }).filter(([, isLit]) => isLit).map(([key]) => key));
  }

  /** The eight entries after the events so far. */
  #showTable({ probe, store }) {
    const entries = Array.from({ length: 8 });
    this.#events.slice(0, this.#shown).forEach((event) => event.store && (entries[event.store.index] = event.store));
    const here = (probe ?? store)?.index;
    const keyButton = ({ key }) => make('button', { type: 'button', data: { key } }, make('code', {}, `${key.slice(0, 4)}…`));
    this.#table.replaceChildren(...entries.map((entry, index) => {
      const cells = entry
        ? [keyButton(entry), entry.depth, `${entry.bound}${score(entry.score)}`, entry.best]
        : ['', '', '', ''];
      const name = index === here ? 'here' : '';
      return make('tr', { class: name }, make('th', { scope: 'row' }, `${index}`), ...cells.map((cell) => make('td', {}, cell)));
    }));
  }

  /** Scrolls the tree, but not the page, to a node. */
  #scroll(label) {
    const tree = this.#tree;
    const top = label.offsetTop - tree.clientHeight + 2.5 * label.offsetHeight;
    tree.scrollTop = Math.min(Math.max(tree.scrollTop, top), Math.max(0, label.offsetTop - 2 * label.offsetHeight));
  }

  /** The moves that lead to a node. */
  #line(node) {
    const { parent, san } = this.#nodes[node];
    return parent === null ? '' : `${this.#line(parent)} ${san}`.trim();
  }

  /** An event in words. */
  #describe({ node, score: value, bound, isBetter, window, isCutoff, cut, probe, store }) {
    const { san, side, moves, isLeaf, isHit, parent } = this.#nodes[node];
    const [mover, other] = side === 'w' ? ['Black', 'White'] : ['White', 'Black'];
    const written = store ? ` Entry ${store.index} now has it, with depth ${store.depth}.` : '';
    if (value === undefined) {
      const met = probe?.found;
      const found = !probe ? '' : !met ? ' is empty.' : isHit ? ` has this key, and depth ${met.depth} is enough: a hit.` :
        met.isSame ? ` has this key, but depth ${met.depth} or its bound is not enough.` : ' has another key.';
      const asked = probe ? ` Key ${probe.key.slice(0, 4)}…, entry ${probe.index}${found}` : '';
      return `${san ? `${mover} plays ${san}. ${other}` : 'The search begins. White'} has ${plural(moves, 'move')}.${asked}`;
    }
    if (parent === null) {
      const best = this.#events.findLast((event) => event.isBetter && this.#nodes[event.node].parent === 0);
      return `The search is complete. The best move is ${this.#nodes[best.node].san}, with a score of ${score(value)}.${written}`;
    }
    const [alpha, beta] = window;
    const source = isHit ? ' from the table' : isLeaf && this.#nodes[node].fen ? ' by material' : '';
    const result = `${san}: ${bound ? `${bound} ` : ''}${score(value)}${source}.${written}`;
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
