// The position editor.

import { isWhite, readBoard, squareIndex, writeBoard } from '../../../src/analyse/page/viewer.mjs';
import { PIECE_NAMES } from './board.mjs';
import { answer, byId, make, onSubmit, pieceIcon, scrollUp } from './dom.mjs';
import { Position, START } from './rules.mjs';

const RIGHTS = ['K', 'Q', 'k', 'q'];

export class Setup {
  #board;
  #onDone;
  #pieces = readBoard(START);
  /** The castling rights of the FEN by checkbox: X-FEN names an inner rook by its file. */
  #letters = {};
  /** The en passant square and the counters of the FEN, unless the pieces or the turn have changed. */
  #rest;
  #form = byId('setup');
  isOpen = false;

  /** `onDone` gets the FEN, or undefined if the user cancels. */
  constructor(board, onDone) {
    this.#board = board;
    this.#onDone = onDone;
    const choices = ['w', 'b'].flatMap((color) => [...'kqrbnp'].map((kind) => pieceChoice(color, kind)));
    byId('palette').append(...choices, eraser());
    byId('setup-square').oninput = ({ target }) => this.#typeSquare(target);
    byId('setup-square').onkeydown = (event) => {
      // It would end the setup.
      if (event.key === 'Enter') {
        event.preventDefault();
      }
    };
    byId('setup-clear').onclick = () => this.#fill(`8/8/8/8/8/8/8/8 ${this.#form.elements.turn.value} - - 0 1`);
    this.#form.elements.turn.forEach((radio) => {
      radio.onchange = () => this.#show(writeBoard(this.#pieces));
    });
    byId('setup-start').onclick = () => this.#fill(START);
    byId('setup-cancel').onclick = () => {
      this.close();
      this.#onDone();
    };
    onSubmit(this.#form, () => this.#finish());
  }

  open(fen) {
    this.isOpen = true;
    // No piece is chosen: a first tap must not change the position.
    this.#form.reset();
    this.#form.hidden = false;
    byId('analysis').hidden = true;
    this.#board.accept(undefined);
    this.#fill(fen);
    this.#board.onSquare((square) => this.#put(square));
    this.#form.elements.piece[0].focus({ preventScroll: true });
    scrollUp();
  }

  close() {
    this.isOpen = false;
    this.#form.hidden = true;
    byId('analysis').hidden = false;
    this.#board.onSquare(undefined);
  }

  #fill(fen) {
    const [placement, turn, rights, ...rest] = fen.split(' ');
    this.#show(placement, rest.join(' '));
    this.#form.elements.turn.value = turn;
    this.#letters = Object.fromEntries([...rights.replace('-', '')].map((letter) => [this.#right(letter), letter]));
    RIGHTS.forEach((right) => {
      this.#form.elements[`castle-${right}`].checked = right in this.#letters;
    });
  }

  /** The checkbox of a castling right of a FEN. */
  #right(letter) {
    if (RIGHTS.includes(letter)) {
      return letter;
    }
    const king = this.#pieces.indexOf(isWhite(letter) ? 'K' : 'k');
    const side = squareIndex(`${letter.toLowerCase()}1`) > king % 8 ? 'k' : 'q';
    return isWhite(letter) ? side.toUpperCase() : side;
  }

  #show(placement, rest = '- 0 1') {
    this.#rest = rest;
    this.#pieces = readBoard(placement);
    this.#board.showPieces(placement);
    answer('setup-answer', '');
  }

  /** Puts the chosen piece on a square, or removes it if it is already there. */
  #put(square) {
    const piece = this.#form.elements.piece.value;
    if (!piece) {
      answer('setup-answer', 'Choose a piece first.');
      return;
    }
    const index = squareIndex(square);
    this.#pieces[index] = this.#pieces[index] === piece ? '.' : piece;
    this.#show(writeBoard(this.#pieces));
    answer('setup-answer', `${square}: ${nameOf(this.#pieces[index])}`, true);
  }

  /** Handles a typed square as soon as it is complete. */
  #typeSquare(field) {
    const square = field.value.toLowerCase();
    if (/^[a-h][1-8]$/.test(square)) {
      field.value = '';
      this.#put(square);
    } else if (square.length === 2) {
      field.select();
      answer('setup-answer', `${square} is no square.`);
    }
  }

  #finish() {
    const checked = RIGHTS.filter((right) => this.#form.elements[`castle-${right}`].checked);
    const rights = checked.map((right) => this.#letters[right] ?? right).join('') || '-';
    const fen = `${writeBoard(this.#pieces)} ${this.#form.elements.turn.value} ${rights} ${this.#rest}`;
    try {
      const position = new Position(fen);
      this.close();
      this.#onDone(position.fen);
    } catch (error) {
      answer('setup-answer', `Invalid position: ${error.message}.`);
    }
  }
}

/** The name of a piece, such as `White queen`; `empty` for a dot. */
function nameOf(letter) {
  const color = isWhite(letter) ? 'White' : 'Black';
  return letter === '.' ? 'empty' : `${color} ${PIECE_NAMES[letter.toUpperCase()]}`;
}

function pieceChoice(color, kind) {
  const letter = color === 'w' ? kind.toUpperCase() : kind;
  const name = nameOf(letter);
  const radio = make('input', { type: 'radio', name: 'piece', value: letter, aria: { label: name } });
  return make('label', { title: name }, radio, pieceIcon(color + kind));
}

function eraser() {
  const radio = make('input', { type: 'radio', name: 'piece', value: '.', aria: { label: 'Remove' } });
  return make('label', { title: 'Remove a piece', class: 'eraser' }, radio, make('span', { aria: { hidden: 'true' } }, '✕'));
}
