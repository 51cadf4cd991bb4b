// Retry: shows the position before each mistake of a reviewed game. The engine judges the moves tried there.

import { lineButtons, make, readBoard } from '../../../src/analyse/page/viewer.mjs';
import { answer, byId } from './dom.mjs';
import { evaluateQuickly } from './games.mjs';
import { takeTypedMoves } from './gameview.mjs';
import { Position, winPercent } from './rules.mjs';

/** A good move loses less of the winning chances than an inaccuracy does, in percent. */
const INACCURACY = 5;

/** The maximum number of moves shown of a line. */
const MAX_LINE = 8;

export class Retry {
  #app;
  #onClose;
  /** All mistakes, as `mistakesOf` makes them; those of the chosen side, and the index of the current one. */
  #all = [];
  #mistakes = [];
  #at = 0;
  /** Whether the better line to the current mistake is shown. */
  #isSolved = false;
  /** The mistakes for which a good move was found before. */
  #found = new Set();
  /** Incremented at each move tried: a search result of an earlier one is dropped. */
  #attempt = 0;
  isOpen = false;

  /** `onClose` gets the ply of the current mistake. */
  constructor(app, onClose) {
    this.#app = app;
    this.#onClose = onClose;
    byId('retry-next').onclick = () => this.#go(this.#at + 1);
    byId('retry-show').onclick = () => {
      this.#ask(this.#mistake.best);
      this.#solve(`The best move was ${this.#mistake.best.san}.`);
    };
    byId('retry-side').onchange = () => this.#begin();
    byId('retry-close').onclick = () => this.close();
    takeTypedMoves(byId('retry-entry'), byId('retry-answer'), () => this.#mistake.position, (move) => this.#try(move));
  }

  get #mistake() {
    return this.#mistakes[this.#at];
  }

  /** Begins with the mistakes of the side at the bottom; if it made none, with all. */
  start(game) {
    this.#all = mistakesOf(game);
    const choices = Object.entries({ w: `White's mistakes`, b: `Black's mistakes`, wb: 'Mistakes of both sides' });
    byId('retry-side').replaceChildren(...choices.map(([value, text]) => make('option', { value }, `${text} (${this.#of(value).length})`)));
    const { orientation } = this.#app.board;
    byId('retry-side').value = this.#of(orientation).length > 0 ? orientation : 'wb';
    this.isOpen = true;
    this.#app.gauge.show(undefined);
    this.#begin();
  }

  #of(sides) {
    return this.#all.filter(({ position }) => sides.includes(position.turn));
  }

  #begin() {
    this.#mistakes = this.#of(byId('retry-side').value);
    this.#found.clear();
    this.#go(0);
  }

  close() {
    if (this.isOpen) {
      this.#onClose((this.#mistake ?? this.#mistakes.at(-1))?.ply ?? 0);
    }
  }

  /** Ends without `onClose`, which must call it. */
  stop() {
    if (this.isOpen) {
      this.isOpen = false;
      this.#attempt += 1;
      this.#app.engine?.cancel();
      this.#app.board.accept(undefined);
    }
  }

  /** Shows a mistake; after the last one, the result. */
  #go(at) {
    this.#attempt += 1;
    this.#at = at;
    const count = this.#mistakes.length;
    byId('retry-move').value = '';
    ['retry-entry', 'retry-next', 'retry-show'].forEach((id) => { byId(id).hidden = at === count; });
    this.#solve();
    if (at < count) {
      const { position, played, name } = this.#mistake;
      byId('retry-status').textContent =
        `${at + 1} of ${count}: ${position.label} ${played} (${name}). Find a better move for ${sideOf(position)}.`;
      this.#ask();
    } else {
      const done = count > 0 ? `Done: you found ${this.#found.size} of ${count} better moves.` : 'The engine found no mistakes.';
      byId('retry-status').textContent = done;
      this.#app.board.accept(undefined);
      byId('retry-close').focus();
    }
  }

  /** Shows the position before the mistake, and waits for a move. */
  #ask(next) {
    const { position, last } = this.#mistake;
    this.#attempt += 1;
    this.#show(position, last, next);
    this.#app.board.accept(position.turn, position, (move) => this.#try(move));
  }

  async #try(move) {
    const attempt = ++this.#attempt;
    const { position, uci, best, percent } = this.#mistake;
    const after = new Position(move.fen);
    this.#show(after, move);
    this.#app.board.accept(undefined);
    byId('retry-move').value = '';
    answer('retry-answer', 'Carrybit is searching …', true);
    const isBest = move.uci === best.uci;
    const found = isBest ? {} : await evaluateQuickly(this.#app, after);
    if (attempt !== this.#attempt || !found) {
      return;
    }
    const side = sideOf(position);
    const [had, has] = [percent, isBest ? percent : winPercent(found.value)].map((white) => (side === 'White' ? white : 100 - white));
    if (move.uci === uci || had - has >= INACCURACY) {
      const chances = `lowers ${side}'s winning chances from ${had.toFixed(0)} to ${has.toFixed(0)} %`;
      this.#ask();
      answer('retry-answer', `${move.san} ${move.uci === uci ? 'is the move of the game' : chances}. Try again.`);
      return;
    }
    if (!this.#isSolved) {
      this.#found.add(this.#at);
    }
    this.#solve(isBest ? `${move.san} is the best move.` : `${move.san} is good. The engine's choice was ${best.san}.`);
  }

  /** Shows a text with the better line and the one that punishes the mistake; without a text, hides them. */
  #solve(text = '') {
    this.#isSolved = text !== '';
    answer('retry-answer', text, true);
    byId('retry-show').hidden ||= this.#isSolved;
    byId('retry-next').textContent = this.#isSolved ? 'Next' : 'Skip';
    byId('retry-next').classList.toggle('main', this.#isSolved);
    byId('retry-lines').replaceChildren(...(this.#isSolved ? this.#mistake.lines : []));
    if (this.#isSolved) {
      byId('retry-next').focus();
    }
  }

  #show({ fen, turn, isCheck }, last, next) {
    this.#app.board.show({ board: readBoard(fen), turn, isCheck, last, next });
  }
}

const sideOf = ({ turn }) => (turn === 'w' ? 'White' : 'Black');

/** A line of the engine from `plies` plies after a position; undefined if it has none. */
function lineOf(title, { fen }, plies, { line = [] } = {}) {
  const moves = lineButtons(fen, plies, line.slice(0, MAX_LINE).map(([, san]) => san)).map(({ textContent }) => textContent);
  return moves.length > 0 ? make('p', {}, make('b', {}, title), moves.join(' ')) : undefined;
}

/** The mistakes of a reviewed game for which the engine has another move. */
function mistakesOf(game) {
  const nodes = game.moves.filter(({ judgement, uci, parent }) => judgement && ![undefined, uci].includes(parent.analysis.line[0]?.[0]));
  return nodes.map(({ judgement, ply, uci, san, glyphs, parent, analysis }) => {
    const [best] = parent.analysis.line;
    const position = game.position(parent);
    const played = san + glyphs;
    const lines = [lineOf('Better: ', position, 0, parent.analysis), lineOf(`After ${position.label} ${played}: `, position, 1, analysis)];
    return {
      name: judgement.toLowerCase(), ply, uci, played, percent: parent.analysis.percent, lines: lines.filter(Boolean),
      position, last: parent.uci && parent, best: { uci: best[0], san: best[1] },
    };
  });
}
