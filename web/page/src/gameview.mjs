// A viewer for a game that is being played or analysed, and a form for typed moves.

import { Viewer } from '../../../src/analyse/page/viewer.mjs';
import { onSubmit } from './dom.mjs';
import { Game } from './game.mjs';

export class GameView extends Viewer {
  constructor(parts) {
    super({ ...parts, game: new Game() });
  }

  /** The game shown, with its legal moves. */
  get played() {
    return this.game;
  }

  get position() {
    return this.played.position(this.node);
  }

  get isAtEnd() {
    return this.node.children.length === 0;
  }

  /** Shows a game at its end. */
  follow(played, options) {
    this.open(played, played.tip, options);
  }

  /** Plays moves in the position shown. Where they differ from the next moves, they begin a variation. */
  play(...moves) {
    this.open(this.played, this.played.add(this.node, moves), { animated: true });
  }
}

/**
 * Reads moves from a form with one field and passes them to `onMove`. `position()` is the current position,
 * or undefined if no move is allowed; then `refusal()` is the reason. `takeText` takes other texts, and returns whether it could.
 * `answer` shows errors.
 */
export function takeTypedMoves(form, answer, position, onMove, { refusal, takeText = () => false } = {}) {
  const field = form.querySelector('input');
  onSubmit(form, () => {
    const text = field.value.trim();
    const here = position();
    const move = here?.find(text);
    if (move) {
      field.value = '';
      answer.textContent = '';
      onMove(move);
    } else if (text !== '' && !takeText(text)) {
      // The next key replaces the text.
      field.select();
      answer.textContent = here ? `“${text}” is not a legal move.` : refusal();
    }
  });
}
