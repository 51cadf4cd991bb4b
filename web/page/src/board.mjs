// The board: pieces, marks, arrows, and moves by pointer.

import { Chessboard, INPUT_EVENT_TYPE } from 'cm-chessboard/src/Chessboard.js';
import { Arrows } from 'cm-chessboard/src/extensions/arrows/Arrows.js';
import { Markers } from 'cm-chessboard/src/extensions/markers/Markers.js';
import { ARROW_TYPE, MARKER_TYPE, RightClickAnnotator } from 'cm-chessboard/src/extensions/right-click-annotator/RightClickAnnotator.js';

import { ends, isWhite, readBoard, squareName, writeBoard } from '../../../src/analyse/page/viewer.mjs';
import { byId, make, pieceIcon } from './dom.mjs';

const ANIMATION_MS = 160;

const MARKS = {
  selected: { class: 'mark-selected', slice: 'markSquare' },
  last: { class: 'mark-last', slice: 'markSquare' },
  check: { class: 'mark-check', slice: 'markCheck' },
  quiet: { class: 'mark-target', slice: 'markDot', position: 'above' },
  capture: { class: 'mark-target', slice: 'markRing' },
};

/** The engine's arrows, the most important first. */
const LINES = [1, 2, 3, 4, 5].map((rank) => ({ class: `arrow-${rank}` }));

/** The colours of drawings in PGN, and the names of cm-chessboard for them. */
const COLORS = { G: 'success', R: 'danger', Y: 'warning', B: 'info' };

/** The order of the promotion chooser, and the minimum side of a piece in it, in pixels. */
const CHOICES = 'qnrb';
const MIN_CHOICE = 44;

export const PIECE_NAMES = { K: 'king', Q: 'queen', R: 'rook', B: 'bishop', N: 'knight', P: 'pawn' };

export class Board {
  #board;
  /** The position in which moves are made, and the callback for them. */
  #position;
  #onMove = () => {};
  #movable;
  /** The moves shown as arrows. */
  #moves = [];
  #orientation = 'w';
  #isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  /** Whether the user holds a piece, or has clicked one. */
  #isHolding = false;
  /** The time of the last `show`. */
  #shown = 0;
  /** Called with `drawings` when the user has changed them. */
  onDraw = () => {};

  constructor(element) {
    // cm-chessboard fetches nothing if the page contains the drawings.
    this.#board = new Chessboard(element, {
      assetsUrl: '',
      style: { cssClass: 'ours', animationDuration: this.#isStill ? 0 : ANIMATION_MS },
      extensions: [
        { class: Markers, props: { autoMarkers: MARKS.selected } },
        { class: Arrows, props: { slice: 'arrowHead' } },
        { class: RightClickAnnotator },
      ],
    });
    // After the annotator's own listener.
    element.addEventListener('mouseup', ({ button }) => {
      if (button === 2) {
        this.arrows = this.#moves;
        this.onDraw(this.drawings);
      }
    });
    const whileDrawing = (type, act) => element.addEventListener(type, (event) => element.classList.contains('drawing') && act(event), true);
    ['down', 'move', 'up'].forEach((name) => whileDrawing(`pointer${name}`, (event) => this.#draw(event, `mouse${name}`)));
    // These would begin a move, except with the right button, which the annotator takes.
    ['mousedown', 'touchstart'].forEach((type) => whileDrawing(type, (event) => event.button !== 2 && event.stopPropagation()));
    // Above the marks of squares.
    this.#board.view.svg.insertBefore(this.#board.view.coordinatesGroup, this.#board.view.piecesLayer);
  }

  /** Passes the main button and touches to the annotator as the right button. */
  #draw({ button, buttons, clientX, clientY, shiftKey, altKey, ctrlKey, metaKey }, type) {
    const target = document.elementFromPoint(clientX, clientY);
    if ((button === 0 || buttons === 1) && this.#board.context.contains(target)) {
      target.dispatchEvent(new MouseEvent(type, { button: 2, bubbles: true, shiftKey, altKey, ctrlKey, metaKey }));
    }
  }

  /** Shows a position of the viewer with its last move, check, the engine's move, and the drawings of its annotator. */
  show({ board, turn, isCheck, last, next, squares, arrows }, { animated = true } = {}) {
    // No animation while the user steps quickly through a game; but one for a reply after PAUSE_MS of play.mjs.
    const isHurried = performance.now() - this.#shown < 1.25 * ANIMATION_MS;
    this.#shown = performance.now();
    this.#letGo();
    this.#clear(writeBoard(board));
    if (squares && arrows) {
      this.drawings = [...squares, ...arrows];
    }
    this.#place(writeBoard(board), animated && !isHurried);
    if (last) {
      ends(last).forEach((square) => this.#board.addMarker(MARKS.last, square));
    }
    if (isCheck) {
      this.#board.addMarker(MARKS.check, squareName(board.indexOf(turn === 'w' ? 'K' : 'k')));
    }
    this.arrows = next ? [next] : [];
    this.#board.view.svg.setAttribute('aria-label', describe(board, turn));
  }

  /** Moves to show as arrows, the most important first, unless the user has drawn the same arrow. */
  set arrows(moves) {
    this.#moves = moves;
    LINES.forEach((type) => this.#board.removeArrows(type));
    const drawn = this.drawings.map((drawing) => drawing.slice(1));
    const arrows = moves.map((move, at) => [LINES[at], ...ends(move)]).filter(([, from, to]) => !drawn.includes(from + to));
    arrows.reverse().forEach((arrow) => this.#board.addArrow(...arrow));
  }

  /** The squares and arrows that the user has drawn, as in `%csl` and `%cal` of PGN: `Ge4`, `Rg1f3`. */
  get drawings() {
    return Object.entries(COLORS).flatMap(([letter, name]) => [
      ...this.#board.getMarkers(MARKER_TYPE[name]).map(({ square }) => letter + square),
      ...this.#board.getArrows(ARROW_TYPE[name]).map(({ from, to }) => letter + from + to),
    ]);
  }

  set drawings(drawings) {
    Object.values(COLORS).forEach((name) => {
      this.#board.removeMarkers(MARKER_TYPE[name]);
      this.#board.removeArrows(ARROW_TYPE[name]);
    });
    for (const [letter, ...squares] of drawings) {
      const [from, to] = [squares.slice(0, 2).join(''), squares.slice(2).join('')];
      if (to) {
        this.#board.addArrow(ARROW_TYPE[COLORS[letter]], from, to);
      } else {
        this.#board.addMarker(MARKER_TYPE[COLORS[letter]], from);
      }
    }
  }

  /** Removes all marks and arrows; keeps the user's drawings if the pieces stay where they are. */
  #clear(placement) {
    const kept = placement === this.#board.getPosition() ? this.drawings : [];
    this.#board.removeMarkers();
    this.arrows = [];
    this.drawings = kept;
  }

  /** Sets the side that can move (`w`, `b`, `both`, or undefined), and the callback for its moves. */
  accept(movable, position, onMove = () => {}) {
    this.#movable = movable;
    this.#position = position;
    this.#onMove = onMove;
    this.#board.context.classList.toggle('movable', movable !== undefined);
    // While input is enabled, a swipe that begins on a piece does not scroll the page.
    const isEnabled = this.#board.isMoveInputEnabled();
    if (movable === undefined && isEnabled) {
      this.#letGo();
      this.#board.disableMoveInput();
    } else if (movable !== undefined && !isEnabled) {
      this.#board.enableMoveInput((event) => this.#input(event));
    }
  }

  /** The side at the bottom. */
  get orientation() {
    return this.#orientation;
  }

  set orientation(color) {
    if (color !== this.#orientation) {
      this.#orientation = color;
      this.#redraw(({ state, view }) => {
        state.orientation = color;
        view.redrawBoard();
      });
    }
  }

  /** Draws the pieces after `change`. cm-chessboard would wait some frames, and print warnings if the layout changed meanwhile. */
  #redraw(change = () => {}) {
    const { squares } = this.#board.state.position.clone();
    this.#board.positionAnimationsQueue.enqueue(async () => {
      change(this.#board);
      this.#board.view.redrawPieces(squares);
    });
  }

  #place(placement, animated) {
    if (animated && !this.#isStill) {
      this.#board.setPosition(placement, true);
    } else {
      this.#board.state.position.setFen(placement);
      this.#board.view.visualMoveInput.positionChanged();
      this.#redraw();
    }
  }

  /** Reports clicks on squares while a listener is set. `accept` no moves meanwhile. */
  onSquare(listener) {
    this.#board.disableSquareSelect('click');
    if (listener) {
      // A swipe that scrolls the page is no click, but begins with `pointerdown`.
      this.#board.enableSquareSelect('click', ({ square }) => square && listener(square));
    }
  }

  /** Shows pieces, in any arrangement. */
  showPieces(placement) {
    this.#clear(placement);
    this.#place(placement, false);
    this.#board.view.svg.setAttribute('aria-label', `The position being set up. ${listPieces(readBoard(placement))}`);
  }

  /** The legal moves between two squares, or to any square if `to` is undefined. */
  #candidates(from, to) {
    if (this.#movable === undefined || ![this.#position.turn, 'both'].includes(this.#movable)) {
      return [];
    }
    const { moves } = this.#position;
    const found = moves.filter((move) => move.from === from && (to === undefined || move.to === to));
    return found.length > 0 ? found : moves.filter((move) => move.from === from && move.castled === to);
  }

  #input({ type, squareFrom, squareTo, legalMove }) {
    if (type === INPUT_EVENT_TYPE.moveInputStarted) {
      const moves = this.#candidates(squareFrom);
      this.#hideTargets();
      for (const move of moves.filter(({ promotion = 'q' }) => promotion === 'q')) {
        const mark = move.isCapture || move.castled ? MARKS.capture : MARKS.quiet;
        this.#board.addMarker(mark, move.castled && !this.#position.isChess960 ? move.castled : move.to);
      }
      this.#isHolding = moves.length > 0;
      return this.#isHolding;
    }
    if (type === INPUT_EVENT_TYPE.movingOverSquare) {
      return true;
    }
    this.#isHolding = false;
    if (type === INPUT_EVENT_TYPE.validateMoveInput) {
      const moves = squareTo ? this.#candidates(squareFrom, squareTo) : [];
      if (moves.length > 1) {
        // The pawn returns to its square until the user has chosen a piece.
        setTimeout(() => this.#promote(moves));
      }
      return moves.length === 1;
    }
    this.#hideTargets();
    if (legalMove) {
      this.drawings = [];
      this.#onMove(this.#candidates(squareFrom, squareTo)[0]);
    }
    return true;
  }

  async #promote(moves) {
    const { turn } = this.#position;
    const square = this.#board.context.querySelector(`.square[data-square="${moves[0].to}"]`);
    const move = await choosePromotion(moves, turn, square.getBoundingClientRect(), turn === this.#orientation);
    // Meanwhile the position may have changed, or the flag may have fallen.
    if (move && this.#candidates(move.from, move.to).includes(move)) {
      this.#onMove(move);
    }
  }

  #letGo() {
    if (this.#isHolding) {
      this.#board.cancelMoveInput();
    }
  }

  #hideTargets() {
    this.#board.removeMarkers(MARKS.quiet);
    this.#board.removeMarkers(MARKS.capture);
    this.#board.removeMarkers(MARKS.selected);
  }
}

/**
 * Shows the promotion dialog over the file of the promotion `square`, the queen on it; resolves with one of the
 * moves, or undefined. `isAtTop`: the square is on the upper edge of the board.
 */
function choosePromotion(moves, color, { left, top, bottom, width }, isAtTop) {
  const dialog = byId('promotion');
  const form = dialog.querySelector('form');
  const within = (place, length, limit) => `${Math.max(0, Math.min(place, limit - length))}px`;
  const side = Math.max(width, MIN_CHOICE);
  const height = moves.length * side;
  return new Promise((resolve) => {
    const sorted = [...moves].sort((one, other) => CHOICES.indexOf(one.promotion) - CHOICES.indexOf(other.promotion));
    const buttons = sorted.map((move) => {
      const label = PIECE_NAMES[move.promotion.toUpperCase()];
      const button = make('button', { type: 'submit', value: move.uci, aria: { label }, title: label });
      button.append(pieceIcon(color + move.promotion));
      return button;
    });
    form.replaceChildren(...buttons);
    form.classList.toggle('from-below', !isAtTop);
    dialog.style.setProperty('--side', `${side}px`);
    dialog.style.left = within(left + (width - side) / 2, side, innerWidth);
    dialog.style.top = within(isAtTop ? top : bottom - height, height, innerHeight);
    dialog.returnValue = '';
    dialog.onclose = () => resolve(moves.find(({ uci }) => uci === dialog.returnValue));
    // Beside the pieces. (A handler must not return false: that cancels the click.)
    dialog.onclick = ({ target }) => void (target === dialog && dialog.close());
    dialog.showModal();
  });
}

/** Describes a position for screen readers. */
const describe = (board, turn) => `${turn === 'w' ? 'White' : 'Black'} to move. ${listPieces(board)}`;

function listPieces(board) {
  const side = (isMine) => {
    const pieces = [...board.entries()].filter(([, letter]) => letter !== '.' && isMine(letter));
    return pieces.map(([index, letter]) => `${PIECE_NAMES[letter.toUpperCase()]} ${squareName(index)}`).join(', ');
  };
  return `White: ${side(isWhite)}. Black: ${side((letter) => !isWhite(letter))}.`;
}
