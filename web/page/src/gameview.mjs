// A viewer for a game that is being played or analysed, and a form for typed moves.

import { Viewer } from '../../../src/analyse/page/viewer.mjs';
import { onSubmit } from './dom.mjs';
import { Game } from './game.mjs';

export class GameView extends Viewer {
  /** The game shown, with its legal moves. `game` has only the data for the viewer. */
  played = new Game();

  get position() {
    return this.played.position(this.ply);
  }

  get isAtEnd() {
    return this.ply === this.played.length;
  }

  /** Shows a game at its end. */
  follow(played, options) {
    this.played = played;
    this.open(played.shown, played.length, options);
  }

  /** Plays a move in the position shown; replaces the moves after it. */
  play(move) {
    if (this.played.moves[this.ply]?.uci === move.uci) {
      this.go(this.ply + 1);
      return;
    }
    this.played.cut(this.ply);
    this.played.play(move);
    this.follow(this.played, { animated: true });
  }
}

/**
 * Reads moves from a form with one field and passes them to `onMove`. `position()` is the current position,
 * or undefined if no move is allowed; then `refusal()` is the reason. `answer` shows errors.
 */
export function takeTypedMoves(form, answer, position, onMove, refusal) {
  const field = form.querySelector('input');
  onSubmit(form, () => {
    const text = field.value.trim();
    const here = position();
    const move = here?.find(text);
    if (move) {
      field.value = '';
      answer.textContent = '';
      onMove(move);
    } else if (text !== '') {
      // The next key replaces the text.
      field.select();
      answer.textContent = here ? `“${text}” is not a legal move.` : refusal();
    }
  });
}
