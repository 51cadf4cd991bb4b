// A game on the page: which of its positions is shown, the list of its moves, and moves typed.

import { make } from './dom.mjs';
import { Game } from './game.mjs';

/** The most moves listed at a time, and how many of them lie around the one shown, at least. Both are even. */
const MAX_LISTED = 600;
const MARGIN = 100;

export class GameView {
  game = new Game();
  /** The plies before the position shown. */
  ply = 0;
  #list;
  /** The first ply listed. */
  #first = 0;
  #board;
  #onGo;
  /** What is said of the move after so many plies: `{ mark, kind, value }`. */
  note = () => ({});

  /** `list` takes the moves; `onGo` is called when another position is to be shown. */
  constructor(board, list, onGo) {
    this.#board = board;
    this.#list = list;
    this.#onGo = onGo;
  }

  get position() {
    return this.game.positions[this.ply];
  }

  /** The move that led to the position shown. */
  get last() {
    return this.game.moves[this.ply - 1];
  }

  get isAtEnd() {
    return this.ply === this.game.length;
  }

  /** Shows another game, at so many plies. */
  open(game, ply = game.length) {
    this.game = game;
    this.ply = ply;
    this.list();
    this.go(ply, false);
  }

  /** Shows the position after so many plies, as far as there are as many. */
  go(ply, animated = true) {
    this.ply = Math.max(0, Math.min(ply, this.game.length));
    this.#board.show(this.position, { last: this.last, animated });
    const isBehindStart = this.ply >= this.#first + MARGIN || this.#first === 0;
    const isBeforeEnd = this.ply <= this.#first + MAX_LISTED - MARGIN || this.#first + MAX_LISTED >= this.game.length;
    if (!isBehindStart || !isBeforeEnd) {
      this.list();
    }
    this.#mark();
    this.#onGo();
  }

  /** Plays a move in the position shown, instead of what followed there. */
  play(move) {
    if (this.game.moves[this.ply]?.uci !== move.uci) {
      this.game.cut(this.ply);
      this.game.play(move);
      this.list();
    }
    this.go(this.ply + 1);
  }

  /** Writes the list of moves anew: all, or those around the position shown if there are very many. */
  list() {
    const cells = [];
    const { moves, positions } = this.game;
    const latest = Math.max(0, moves.length - MAX_LISTED);
    this.#first = Math.min(Math.max(0, this.ply - MAX_LISTED / 2), latest) & ~1;
    for (let at = this.#first; at < Math.min(this.#first + MAX_LISTED + 1, moves.length); at++) {
      const isBlack = positions[at].turn === 'b';
      if (!isBlack || at === this.#first) {
        cells.push(make('span', { class: 'number' }, `${positions[at].number}.`));
      }
      if (isBlack && at === this.#first) {
        cells.push(make('span', { class: 'none' }, '…'));
      }
      cells.push(this.#cell(moves[at], at));
    }
    this.#list.replaceChildren(...cells);
  }

  #cell(move, at) {
    const { mark = '', kind = '', value } = this.note(at);
    const text = make('span', {}, (move?.san ?? '--') + mark);
    const button = make('button', { type: 'button', class: `move ${kind}`, data: { ply: at + 1 } }, text);
    if (value !== undefined) {
      button.append(make('small', {}, value));
    }
    button.onclick = () => this.go(at + 1);
    return button;
  }

  /** Marks the move that led to the position shown, and has it seen. */
  #mark() {
    this.#list.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const move = this.#list.querySelector(`[data-ply="${this.ply}"]`);
    move?.setAttribute('aria-current', 'true');
    this.#list.scrollTop = move ? move.offsetTop - this.#list.clientHeight / 2 : 0;
  }

  /** Goes about by keys; says whether the key meant something. */
  key(name) {
    const goals = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.game.length };
    if (!(name in goals)) {
      return false;
    }
    this.go(goals[name]);
    return true;
  }

  /** Has buttons go about: those in `bar`, by their `data-go`. */
  control(bar) {
    bar.onclick = ({ target }) => {
      const key = target.closest('[data-go]')?.dataset.go;
      if (key) {
        this.key(key);
      }
    };
  }
}

/**
 * Has a form with one field take typed moves: `position()` is where they are played, undefined
 * if nobody may move (then `refusal()` says why), and `onMove` takes them. What is not understood
 * is said in `answer`.
 */
export function takeTypedMoves(form, answer, position, onMove, refusal) {
  const field = form.querySelector('input');
  form.onsubmit = (event) => {
    event.preventDefault();
    const text = field.value.trim();
    const here = position();
    const move = here?.find(text);
    if (move) {
      field.value = '';
      answer.textContent = '';
      onMove(move);
    } else if (text !== '') {
      answer.textContent = here ? `“${text}” is no legal move here.` : refusal();
    }
  };
}
