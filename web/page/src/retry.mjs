// Retry: shows the position before each mistake of a reviewed game. The engine judges the moves tried there.

import { readBoard } from '../../../src/analyse/page/viewer.mjs';
import { answer, byId } from './dom.mjs';
import { evaluateQuickly } from './games.mjs';
import { takeTypedMoves } from './gameview.mjs';
import { Position, winPercent } from './rules.mjs';

/** A good move loses less of the winning chances than an inaccuracy does, in percent. */
const INACCURACY = 5;

export class Retry {
  #app;
  #onClose;
  /** The mistakes, as `mistakesOf` makes them, and the index of the current one. */
  #mistakes = [];
  #at = 0;
  /** The mistakes for which a good move was found. */
  #found = new Set();
  /** Incremented at each move tried: a search result of an earlier one is dropped. */
  #attempt = 0;
  isOpen = false;

  /** `onClose` gets the ply of the current mistake. */
  constructor(app, onClose) {
    this.#app = app;
    this.#onClose = onClose;
    byId('retry-next').onclick = () => this.#go(this.#at + 1);
    byId('retry-show').onclick = () => this.#ask(`The best move was ${this.#mistake.best.san}.`, '', this.#mistake.best);
    byId('retry-close').onclick = () => this.close();
    takeTypedMoves(byId('retry-entry'), byId('retry-answer'), () => this.#mistake.position, (move) => this.#try(move));
  }

  get #mistake() {
    return this.#mistakes[this.#at];
  }

  /** Begins with the first mistake of the side at the bottom; if it made none, of the other side. */
  start(game) {
    const all = mistakesOf(game);
    const own = all.filter(({ position }) => position.turn === this.#app.board.orientation);
    this.#mistakes = own.length > 0 ? own : all;
    this.#found.clear();
    this.isOpen = true;
    this.#app.gauge.show(undefined);
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
    this.#at = at;
    const count = this.#mistakes.length;
    byId('retry-move').value = '';
    ['retry-entry', 'retry-next', 'retry-show'].forEach((id) => { byId(id).hidden = at === count; });
    if (at < count) {
      const { position: { label, turn }, played, name } = this.#mistake;
      this.#ask(`${at + 1} of ${count}: ${label} ${played} (${name}). Find a better move for ${turn === 'w' ? 'White' : 'Black'}.`);
    } else {
      this.#say(count > 0 ? `Done: you found ${this.#found.size} of ${count} better moves.` : 'The engine found no mistakes.');
      this.#app.board.accept(undefined);
      byId('retry-close').focus();
    }
  }

  /** Shows the position before the mistake, and waits for a move. */
  #ask(text, problem, next) {
    const { position, last } = this.#mistake;
    this.#attempt += 1;
    this.#say(text, problem);
    this.#show(position, last, next);
    this.#app.board.accept(position.turn, position, (move) => this.#try(move));
  }

  async #try(move) {
    const attempt = ++this.#attempt;
    const { position, uci, best, percent } = this.#mistake;
    const after = new Position(move.fen);
    this.#show(after, move);
    this.#app.board.accept(undefined);
    this.#say('Carrybit is searching …');
    const isBest = move.uci === best.uci;
    const found = isBest ? {} : await evaluateQuickly(this.#app, after);
    if (attempt !== this.#attempt || !found) {
      return;
    }
    const loss = isBest ? 0 : (position.turn === 'w' ? 1 : -1) * (percent - winPercent(found.value));
    if (move.uci === uci || loss >= INACCURACY) {
      const fault = move.uci === uci ? 'is the move of the game' : `loses ${loss.toFixed(0)} % of the winning chances`;
      this.#ask('Find a better move.', `${move.san} ${fault}. Try again.`);
      return;
    }
    this.#found.add(this.#at);
    this.#say(isBest ? `${move.san} is the best move.` : `${move.san} is good. The engine's choice was ${best.san}.`);
    byId('retry-next').focus();
  }

  #show({ fen, turn, isCheck }, last, next) {
    this.#app.board.show({ board: readBoard(fen), turn, isCheck, last, next });
  }

  #say(text, problem = '') {
    byId('retry-status').textContent = text;
    answer('retry-answer', problem);
  }
}

/** The mistakes of a reviewed game for which the engine has another move. */
function mistakesOf(game) {
  const nodes = game.moves.filter(({ judgement, uci, parent }) => judgement && ![undefined, uci].includes(parent.analysis.line[0]?.[0]));
  return nodes.map(({ judgement, ply, uci, san, glyphs, parent }) => {
    const [best] = parent.analysis.line;
    return {
      name: judgement.toLowerCase(), ply, uci, played: san + glyphs, percent: parent.analysis.percent,
      position: game.position(parent), last: parent.uci && parent, best: { uci: best[0], san: best[1] },
    };
  });
}
