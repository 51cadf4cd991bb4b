// The board on the page: what stands on it, marks and arrows, and moves made by pointer.

import { Chessboard, COLOR, INPUT_EVENT_TYPE } from 'cm-chessboard/src/Chessboard.js';
import { Arrows } from 'cm-chessboard/src/extensions/arrows/Arrows.js';
import { Markers } from 'cm-chessboard/src/extensions/markers/Markers.js';

import { ends, isWhite, squareName, writeBoard } from '../../../analyse/src/page/viewer.mjs';
import { byId, make, pieceIcon } from './dom.mjs';

/** Milliseconds that a piece takes to its square. */
const ANIMATION_MS = 160;

const MARKS = {
  selected: { class: 'mark-selected', slice: 'markSquare' },
  last: { class: 'mark-last', slice: 'markSquare' },
  check: { class: 'mark-check', slice: 'markCheck' },
  quiet: { class: 'mark-target', slice: 'markDot', position: 'above' },
  capture: { class: 'mark-target', slice: 'markRing' },
};

const PIECE_NAMES = { K: 'king', Q: 'queen', R: 'rook', B: 'bishop', N: 'knight', P: 'pawn' };

export class Board {
  #board;
  /** The position in which moves are made, and the callback for them. */
  #position;
  #onMove = () => {};
  #movable;
  /** When a position was shown last. */
  #shown = 0;

  constructor(element) {
    const stillness = matchMedia('(prefers-reduced-motion: reduce)').matches;
    // The drawings stand in the page itself; cm-chessboard fetches nothing where it finds these.
    this.#board = new Chessboard(element, {
      assetsUrl: '',
      style: {
        cssClass: 'ours',
        animationDuration: stillness ? 0 : ANIMATION_MS,
      },
      extensions: [
        { class: Markers, props: { autoMarkers: MARKS.selected } },
        { class: Arrows, props: { slice: 'arrowHead' } },
      ],
    });
    this.#board.enableMoveInput((event) => this.#input(event));
  }

  /** Shows a position of the viewer: the move that led to it, check, and the engine's move in it. */
  show({ board, turn, isCheck, last, next }, { animated = true } = {}) {
    // No animation while a person hurries through a game.
    const isHurried = performance.now() - this.#shown < 2 * ANIMATION_MS;
    this.#shown = performance.now();
    this.#board.setPosition(writeBoard(board), animated && !isHurried);
    this.#board.removeMarkers();
    if (last) {
      ends(last).forEach((square) => this.#board.addMarker(MARKS.last, square));
    }
    if (isCheck) {
      this.#board.addMarker(MARKS.check, squareName(board.indexOf(turn === 'w' ? 'K' : 'k')));
    }
    this.arrows = next ? [next] : [];
    this.#board.view.svg.setAttribute('aria-label', describe(board, turn));
  }

  /** The moves shown by arrows, the most important first. */
  set arrows(moves) {
    this.#board.removeArrows();
    const arrows = moves.map((move, at) => [{ class: `arrow-${at + 1}` }, ...ends(move)]);
    arrows.reverse().forEach((arrow) => this.#board.addArrow(...arrow));
  }

  /** Sets the side whose pieces can be moved (`w`, `b`, `both`, or undefined), and the callback for the move. */
  accept(movable, position, onMove = () => {}) {
    this.#movable = movable;
    this.#position = position;
    this.#onMove = onMove;
    this.#board.context.classList.toggle('movable', movable !== undefined);
  }

  /** Whose pieces stand at the bottom. */
  get orientation() {
    return this.#board.getOrientation();
  }

  set orientation(color) {
    if (color !== this.orientation) {
      this.#board.setOrientation(color === 'w' ? COLOR.white : COLOR.black);
    }
  }

  /** Has squares chosen instead of moves, as long as a listener is set. */
  onSquare(listener) {
    this.#board.disableMoveInput();
    this.#board.disableSquareSelect('pointerdown');
    if (listener) {
      this.#board.enableSquareSelect('pointerdown', ({ square }) => square && listener(square));
    } else {
      this.#board.enableMoveInput((event) => this.#input(event));
    }
  }

  /** Shows pieces that need not be a legal position. */
  showPieces(placement) {
    this.#board.removeMarkers();
    this.arrows = [];
    this.#board.setPosition(placement, false);
    this.#board.view.svg.setAttribute('aria-label', 'The position being set up');
  }

  /** The legal moves from a square to another, or to wherever if none is named. */
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
      return moves.length > 0;
    }
    if (type === INPUT_EVENT_TYPE.validateMoveInput) {
      const moves = squareTo ? this.#candidates(squareFrom, squareTo) : [];
      if (moves.length > 1) {
        // The pawn goes back, and on when it is known what it becomes.
        setTimeout(() => this.#promote(moves));
      }
      return moves.length === 1;
    }
    if (type === INPUT_EVENT_TYPE.moveInputFinished || type === INPUT_EVENT_TYPE.moveInputCanceled) {
      this.#hideTargets();
      if (legalMove) {
        this.#onMove(this.#candidates(squareFrom, squareTo)[0]);
      }
    }
    return true;
  }

  async #promote(moves) {
    const move = await choosePromotion(moves, this.#position.turn);
    // Meanwhile another position may be shown, or the time be up.
    if (move && this.#candidates(move.from, move.to).includes(move)) {
      this.#onMove(move);
    }
  }

  #hideTargets() {
    this.#board.removeMarkers(MARKS.quiet);
    this.#board.removeMarkers(MARKS.capture);
    this.#board.removeMarkers(MARKS.selected);
  }
}

/** Asks which piece a pawn becomes; resolves with one of the moves, or undefined. */
function choosePromotion(moves, color) {
  const dialog = byId('promotion');
  return new Promise((resolve) => {
    const buttons = moves.map((move) => {
      const label = PIECE_NAMES[move.promotion.toUpperCase()];
      const button = make('button', { type: 'submit', value: move.uci, aria: { label }, title: label });
      button.append(pieceIcon(color + move.promotion));
      return button;
    });
    dialog.querySelector('form').replaceChildren(...buttons);
    dialog.returnValue = '';
    dialog.onclose = () => resolve(moves.find(({ uci }) => uci === dialog.returnValue));
    dialog.showModal();
  });
}

/** A position in words, for screen readers. */
function describe(board, turn) {
  const side = (isMine) => {
    const pieces = [...board.entries()].filter(([, letter]) => letter !== '.' && isMine(letter));
    return pieces.map(([index, letter]) => `${PIECE_NAMES[letter.toUpperCase()]} ${squareName(index)}`).join(', ');
  };
  const black = side((letter) => !isWhite(letter));
  return `${turn === 'w' ? 'White' : 'Black'} to move. White: ${side(isWhite)}. Black: ${black}.`;
}
