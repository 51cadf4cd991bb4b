// Boards and numbers of the tab Learn. Squares are numbers of the 0x88 board: the rank, then the file.

import { isWhite, readBoard } from '../../../src/analyse/page/viewer.mjs';
import { PIECE_NAMES } from './board.mjs';
import { make, pieceIcon } from './dom.mjs';

const ARROWS = { ArrowUp: 0x10, ArrowDown: -0x10, ArrowRight: 1, ArrowLeft: -1 };

export const hex = (number) => number.toString(16).toUpperCase().padStart(2, '0');

export const code = (...numbers) => make('code', {}, numbers.map(hex).join(' '));

export const squareOf = (number) => 'abcdefgh'[number & 15] + ((number >> 4) + 1);

export const plural = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** The names of kinds, given as letters: `rook, queen`. */
export const kindNames = (letters) => [...letters].map((letter) => PIECE_NAMES[letter.toUpperCase()]).join(', ');

/** The icon of a piece, given as a letter of FEN. */
export const iconOf = (letter) => pieceIcon((isWhite(letter) ? 'w' : 'b') + letter.toLowerCase());

/** The bits of a byte, with those of 0x88 marked as spare bits. */
export function bits(byte) {
  const digits = [...byte.toString(2).padStart(8, '0')].map((digit, at) => {
    const name = at % 4 > 0 ? '' : digit === '1' ? 'spare set' : 'spare';
    return make('span', { class: name }, digit);
  });
  return make('code', { class: 'bits' }, ...digits.slice(0, 4), ' ', ...digits.slice(4));
}

/** Radio buttons side by side; `options` are `[value, text, content]`. */
export function choice(name, legend, options, chosen, onChange) {
  const labels = options.map(([value, text, content]) => {
    const radio = make('input', { type: 'radio', name, value, checked: value === chosen });
    if (content) {
      radio.ariaLabel = text;
    }
    return make('label', { title: content ? text : '' }, radio, make('span', {}, content ?? text));
  });
  const set = make('fieldset', { class: 'choice' }, make('legend', {}, legend), ...labels);
  set.onchange = ({ target }) => onChange(target.value);
  return set;
}

/**
 * A board of eight ranks. With `onChoose`, squares can be chosen by pointer and arrow keys; the callback
 * gets the square and whether it was clicked. Without it, the board is an image or a table.
 */
export class Squares {
  element;
  #cells = new Map();
  #chosen;

  constructor(label, { files = 8, role = 'img', onChoose } = {}) {
    const ranks = [7, 6, 5, 4, 3, 2, 1, 0].map((rank) => {
      const cells = Array.from({ length: files }, (_, file) => this.#make((rank << 4) | file, role));
      return make('div', { class: 'rank', role: { grid: 'row', table: 'row' }[role] ?? null }, ...cells);
    });
    this.element = make('div', { class: `squares files-${files}`, role, ariaLabel: label }, ...ranks);
    if (onChoose) {
      this.element.onclick = ({ target }) => {
        const number = Number(target.closest('button')?.dataset.number ?? NaN);
        if (!Number.isNaN(number)) {
          onChoose(number, true);
        }
      };
      this.element.onkeydown = (event) => {
        const step = ARROWS[event.key];
        const to = this.#chosen + step;
        if (step !== undefined) {
          event.preventDefault();
          if (this.#cells.get(to)?.tagName === 'BUTTON') {
            onChoose(to, false);
            this.#cells.get(to).focus();
          }
        }
      };
    }
  }

  #make(number, role) {
    const [file, rank] = [number & 15, number >> 4];
    const isGap = file > 7;
    const shade = isGap ? 'gap' : (file + rank) % 2 === 0 ? 'dark' : 'light';
    const properties = { class: `cell ${shade}`, data: { number }, role: { grid: 'gridcell', table: 'cell' }[role] ?? null };
    const cell = role === 'grid' && !isGap
      ? make('button', { ...properties, type: 'button', tabIndex: -1 })
      : make('div', properties);
    this.#cells.set(number, cell);
    return cell;
  }

  /** The square that has the focus of the keyboard. */
  set chosen(number) {
    this.#cells.get(this.#chosen)?.setAttribute('tabindex', '-1');
    this.#chosen = number;
    this.#cells.get(number).tabIndex = 0;
  }

  /**
   * Fills the cells: `pieces` are letters of FEN by square, `marks` names by square, `text(number)` is the
   * text of a cell, by default its number.
   */
  show({ pieces = new Map(), marks = new Map(), text = hex }) {
    for (const [number, cell] of this.#cells) {
      const letter = pieces.get(number);
      const mark = marks.get(number) ?? '';
      const words = text(number);
      const content = letter ? [iconOf(letter)] : [];
      cell.replaceChildren(...content, make('span', { class: 'value' }, words));
      cell.dataset.mark = mark;
      if (cell.tagName === 'BUTTON') {
        const piece = letter ? `, ${PIECE_NAMES[letter.toUpperCase()]}` : '';
        cell.ariaLabel = `${squareOf(number)}, ${words}${piece}${mark ? `, ${mark}` : ''}`;
      }
    }
  }
}

/** The pieces of a FEN by square. */
export function piecesOf(fen) {
  const letters = [...readBoard(fen).entries()].filter(([, letter]) => letter !== '.');
  return new Map(letters.map(([at, letter]) => [((at >> 3) << 4) | (at & 7), letter]));
}
