// Boards and numbers of the live pictures. Squares are numbers of the 0x88 board: the rank, then the file.

import { isWhite, readBoard, writeBoard } from '../../../src/analyse/page/viewer.mjs';
import { PIECE_NAMES } from './board.mjs';
import { make, pieceIcon } from './dom.mjs';

/** The least movement of the pointer that is a drag. */
const DRAG_PX = 4;

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

/** The bits of a byte, with those of 0x88 marked as spare bits if it is a square. */
export function bits(byte, isSquare = true) {
  const digits = [...byte.toString(2).padStart(8, '0')].map((digit, at) => {
    const name = at % 4 > 0 || !isSquare ? '' : digit === '1' ? 'spare set' : 'spare';
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

/** The letters or numbers at an edge: `name` is `letters` (below) or `numbers` (on the left). */
export const edge = (name, texts) =>
  make('div', { class: `edge ${name}`, aria: { hidden: 'true' } }, ...texts.map((text) => make('span', {}, text)));

/**
 * A board of eight ranks with letters and numbers at its edge. By pointer or Enter, `onChoose(number)` gets a square; by
 * pointer, or by Enter on the piece and then on an empty square, `onMove(from, to)` gets a move of a piece.
 * `isGapOpen` opens the numbers off the board, too. `onArrow(step)` replaces the moving of the focus by arrow keys.
 */
export class Squares {
  element;
  #grid;
  #cells = new Map();
  #stop;
  #held;
  #drag;
  #events;

  constructor(label, { files = 8, isGapOpen = false, onChoose, onMove, onArrow }) {
    this.#events = { onChoose, onMove, onArrow };
    const isOpen = onChoose !== undefined;
    const ranks = [7, 6, 5, 4, 3, 2, 1, 0].map((rank) => {
      const cells = Array.from({ length: files }, (_, file) => this.#make((rank << 4) | file, isOpen && (file < 8 || isGapOpen)));
      return make('div', { class: 'rank', role: isOpen ? 'row' : null }, ...cells);
    });
    this.#grid = make('div', { class: 'squares', role: isOpen ? 'grid' : 'img', ariaLabel: label }, ...ranks);
    const letters = Array.from({ length: files }, (_, file) => 'abcdefgh'[file] ?? '');
    this.element = make('div', { class: `edged files-${files}` }, edge('numbers', [...'87654321']), this.#grid, edge('letters', letters));
    if (isOpen) {
      this.stop = 0;
      // The click after a drag chooses nothing.
      this.#grid.onclick = ({ target, detail }) => (detail === 0 || !this.#drag?.isMoved) && this.#press(numberAt(target));
      this.#grid.onkeydown = (event) => this.#key(event);
      this.#listenToDrags();
    }
  }

  #make(number, isOpen) {
    const [file, rank] = [number & 15, number >> 4];
    const shade = file > 7 ? 'gap' : (file + rank) % 2 === 0 ? 'dark' : 'light';
    const properties = { class: `cell ${shade}`, data: { number } };
    const cell = isOpen
      ? make('button', { ...properties, role: 'gridcell', type: 'button', tabIndex: -1 })
      : make('div', { ...properties, role: file > 7 ? 'presentation' : null });
    this.#cells.set(number, cell);
    return cell;
  }

  /** Takes a piece in hand, puts it on an empty square, or chooses a square. */
  #press(number) {
    const from = this.#held;
    const hasPiece = this.#cells.get(number)?.querySelector('svg');
    if (number === undefined) {
      return;
    }
    this.#hold(undefined);
    if (from !== undefined && !hasPiece) {
      this.stop = number;
      this.#events.onMove(from, number);
      return;
    }
    if (this.#events.onMove && hasPiece && from !== number) {
      this.#hold(number);
    }
    this.stop = number;
    this.#events.onChoose(number);
  }

  #hold(number) {
    this.#cells.get(this.#held)?.removeAttribute('aria-selected');
    this.#held = number;
    this.#cells.get(number)?.setAttribute('aria-selected', 'true');
  }

  #key(event) {
    const step = ARROWS[event.key];
    if (event.key === 'Escape') {
      this.#hold(undefined);
    }
    if (step === undefined) {
      return;
    }
    event.preventDefault();
    const to = numberAt(event.target) + step;
    if (this.#events.onArrow) {
      this.#events.onArrow(step);
    } else if (this.#cells.get(to)?.tagName === 'BUTTON') {
      this.stop = to;
    }
    this.#cells.get(this.#stop).focus();
  }

  #listenToDrags() {
    const grid = this.#grid;
    const end = (event, isDone) => {
      const { from, icon, isMoved } = this.#drag ?? {};
      if (!icon) {
        return;
      }
      icon.style.translate = '';
      grid.classList.remove('dragging');
      const to = numberAt(document.elementFromPoint(event.clientX, event.clientY), grid);
      this.#drag = { isMoved };
      if (isDone && isMoved && to !== undefined && to !== from) {
        this.#hold(undefined);
        this.stop = to;
        this.#events.onMove(from, to);
      }
    };
    grid.onpointerdown = (event) => {
      const from = numberAt(event.target);
      const icon = this.#cells.get(from)?.querySelector('svg');
      this.#drag = icon && this.#events.onMove && event.button === 0 ? { from, icon, x: event.clientX, y: event.clientY } : undefined;
      if (this.#drag) {
        event.target.closest('[data-number]').setPointerCapture(event.pointerId);
      }
    };
    grid.onpointermove = (event) => {
      const { icon, x, y } = this.#drag ?? {};
      if (icon) {
        const [dx, dy] = [event.clientX - x, event.clientY - y];
        this.#drag.isMoved ||= Math.hypot(dx, dy) > DRAG_PX;
        icon.style.translate = `${dx}px ${dy}px`;
        grid.classList.toggle('dragging', this.#drag.isMoved);
      }
    };
    grid.onpointerup = (event) => end(event, true);
    grid.onpointercancel = (event) => end(event, false);
  }

  /** The square that has the focus of the keyboard. */
  set stop(number) {
    this.#cells.get(this.#stop)?.setAttribute('tabindex', '-1');
    this.#stop = number;
    this.#cells.get(number).tabIndex = 0;
  }

  set label(text) {
    this.#grid.ariaLabel = text;
  }

  /**
   * Fills the cells: `pieces` are letters of FEN by square, `marks` names by square, `text(number)` is the
   * text of a cell, by default its number. `arrows` are pairs of squares.
   */
  show({ pieces = new Map(), marks = new Map(), text = hex, arrows = [] }) {
    for (const [number, cell] of this.#cells) {
      const letter = pieces.get(number);
      const mark = marks.get(number) ?? '';
      const words = text(number);
      const content = letter ? [iconOf(letter)] : [];
      cell.replaceChildren(...content, make('span', { class: 'value' }, words));
      cell.dataset.mark = mark;
      if (cell.tagName === 'BUTTON') {
        const name = (number & 8) === 0 ? squareOf(number) : 'off the board';
        cell.ariaLabel = [name, words, letter && PIECE_NAMES[letter.toUpperCase()], mark].filter(Boolean).join(', ');
      }
    }
    this.#grid.querySelector('.arrows')?.remove();
    if (arrows.length > 0) {
      const end = (number) => `${(number & 7) + 0.5} ${7.5 - (number >> 4)}`;
      const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      svg.setAttribute('class', 'arrows');
      svg.setAttribute('viewBox', '0 0 8 8');
      svg.setAttribute('aria-hidden', 'true');
      const tip = '<marker id="tip" markerWidth="5" markerHeight="5" refX="4" refY="2.5" orient="auto"><path d="M0 0 5 2.5 0 5Z"/></marker>';
      svg.innerHTML = `<defs>${tip}</defs>` +
        arrows.map(([from, to]) => `<path d="M${end(from)} L${end(to)}" marker-end="url(#tip)"/>`).join('');
      this.#grid.append(svg);
    }
  }
}

/** The number of the open cell at an element, which must be within `grid` if given. */
function numberAt(element, grid = document) {
  const cell = element?.closest('button[data-number]');
  return cell && grid.contains(cell) ? Number(cell.dataset.number) : undefined;
}

/** The pieces of a FEN by square. */
export function piecesOf(fen) {
  const letters = [...readBoard(fen).entries()].filter(([, letter]) => letter !== '.');
  return new Map(letters.map(([at, letter]) => [((at >> 3) << 4) | (at & 7), letter]));
}

/** The FEN of pieces by square, White to move. */
export function fenOf(pieces) {
  const board = Array.from({ length: 64 }, (_, at) => pieces.get(((at >> 3) << 4) | (at & 7)) ?? '.');
  return `${writeBoard(board)} w - - 0 1`;
}

/** The pieces as the engine's lessons read them: `Ng5 pb6`. */
export const listOf = (pieces) => [...pieces].map(([number, letter]) => letter + squareOf(number)).join(' ');

/** The pieces after one has moved. */
export function moved(pieces, from, to) {
  const letter = pieces.get(from);
  return new Map([...pieces].filter(([number]) => number !== from && number !== to).concat([[to, letter]]));
}
