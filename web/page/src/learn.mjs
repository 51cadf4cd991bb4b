// The tab Learn: five things to try. All numbers come from web/rules/src/learn.rs.

import { readBoard } from '../../../src/analyse/page/viewer.mjs';
import { describe, PIECE_NAMES } from './board.mjs';
import { byId, make } from './dom.mjs';
import { bits, capital, choice, code, hex, iconOf, kindNames, piecesOf, plural, squareOf, Squares } from './learn-board.mjs';
import { Tree } from './learn-tree.mjs';
import { lesson } from './rules.mjs';

const KINDS = ['N', 'B', 'R', 'Q', 'K', 'P'];

/** The steps of a king and the jumps of a knight, by ranks from the top; 0 is no step. */
const COMPASS = [
  [0x00, 0x1f, 0x00, 0x21, 0x00],
  [0x0e, 0x0f, 0x10, 0x11, 0x12],
  [0x00, 0xff, 0x00, 0x01, 0x00],
  [0xee, 0xef, 0xf0, 0xf1, 0xf2],
  [0x00, 0xdf, 0x00, 0xe1, 0x00],
];

/** Each has four black pieces. */
const POSITIONS = [
  ['4r2k/8/b7/8/2B5/6n1/8/4K3 w - - 0 1', 'Check'],
  ['4r2k/8/8/b7/8/5n2/3P4/4K3 w - - 0 1', 'Double'],
  ['4r2k/8/8/8/1b2R3/8/3N3n/4K3 w - - 0 1', 'Pin'],
  ['4r2k/8/8/4b3/7q/6P1/5P2/4K3 w - - 0 1', 'Discovered'],
];

/** The most moves listed. */
const MAX_LISTED = 12;

const VERDICTS = {
  none: () => 'no attack',
  check: () => 'check',
  pin: ([square]) => `pins ${square}`,
  discovered: ([square]) => `check if ${square} moves`,
  blocked: () => 'blocked twice',
};

export class Learn {
  name = 'learn';
  #app;
  #tree;

  constructor(app) {
    this.#app = app;
  }

  enter() {
    this.#app.gauge.isShown = false;
    this.#app.showPlayers();
    this.#tree ??= this.#build();
  }

  leave() {
    this.#tree.pause();
  }

  /** The board that F flips is hidden. */
  key(name) {
    return name === 'f';
  }

  #build() {
    showSteps();
    showDifference();
    showCheck();
    showLanes();
    return new Tree();
  }
}

/** A piece on the board of 16 by 8 numbers, and its steps. */
function showSteps() {
  let [piece, from] = ['N', 0x46];
  const choose = (number) => {
    from = number;
    show();
  };
  const board = new Squares('The 128 numbers, 16 a rank', { files: 16, role: 'grid', onChoose: choose });
  const pieces = choice(
    'step-piece',
    'Piece',
    KINDS.map((letter) => [letter, PIECE_NAMES[letter], iconOf(letter)]),
    piece,
    (letter) => {
      piece = letter;
      show();
    },
  );
  byId('steps-board').append(pieces, board.element);

  function show() {
    const { lines } = lesson('steps', piece, squareOf(from));
    const sums = lines.flatMap((line) => line.sums);
    const on = sums.filter(({ and }) => and === 0);
    const marks = new Map(sums.map(({ number, and }) => [number, and === 0 ? 'reached' : 'off']));
    marks.set(from, 'from');
    board.chosen = from;
    board.show({ pieces: new Map([[from, piece]]), marks });
    byId('steps-list').replaceChildren(...lines.map((line) => stepItem(from, line)));
    const off = plural(sums.length - on.length, 'sum');
    byId('steps-status').textContent =
      `${capital(PIECE_NAMES[piece])} on ${squareOf(from)}: ${plural(on.length, 'square')}, ${off} off the board.`;
  }
  show();
}

/** A step: the sums on the board, and the bits of the last sum. */
function stepItem(from, { step, sums }) {
  const last = sums.at(-1);
  const numbers = sums.map(({ number, and }) => make('code', { class: and === 0 ? 'on' : 'off' }, hex(number)));
  const verdict = last.and === 0 ? squareOf(last.number) : `off: ${hex(last.and)}`;
  return make(
    'li',
    {},
    make('code', {}, `${hex(from)} + ${hex(step)} =`),
    make('span', { class: 'sums' }, ...numbers),
    bits(last.number),
    make('span', { class: last.and === 0 ? 'verdict' : 'verdict off' }, verdict),
  );
}

/** Two squares, their difference, and its entries. */
function showDifference() {
  const squares = { from: 0x34, to: 0x46 };
  let end = 'from';
  const set = (value) => {
    ends.querySelector(`[value=${value}]`).checked = true;
    end = value;
    show();
  };
  const board = new Squares('The board', {
    role: 'grid',
    onChoose: (number, isClick) => {
      squares[end] = number;
      if (isClick) {
        set(end === 'from' ? 'to' : 'from');
      } else {
        show();
      }
    },
  });
  const ends = choice('difference-end', 'Next square', [['from', 'From'], ['to', 'To']], end, set);
  const table = new Table();
  byId('difference-board').append(ends, board.element);
  byId('difference-table').append(table.element);
  show();

  function show() {
    const { from, to } = squares;
    const found = lesson('difference', squareOf(from), squareOf(to));
    const marks = new Map(found.between.map((number) => [number, 'between']));
    marks.set(to, 'to').set(from, 'from');
    board.chosen = squares[end];
    board.show({ marks });
    const row = (name, ...content) => [make('dt', {}, name), make('dd', {}, ...content)];
    const entry = (side) => row(
      `${['White', 'Black'][side]}'s entry`,
      code(found.entries[side]),
      kindRow(found.kinds[side], side),
    );
    byId('difference-answer').replaceChildren(
      ...row('Difference', make('code', {}, `${hex(to)} − ${hex(from)} = ${hex(found.difference)}`)),
      ...entry(0),
      ...entry(1),
      ...row('Step', found.step === 0 ? 'none' : code(found.step)),
      ...row('Between', found.between.length === 0 ? 'no squares' : code(...found.between)),
    );
    table.show(found.difference);
    const [white, black] = found.kinds.map((letters) => kindNames(letters) || 'no piece');
    const words = white === black ? white : `${white} (White), ${black} (Black)`;
    byId('difference-status').textContent = `${squareOf(from)} to ${squareOf(to)} is ${hex(found.difference)}: ${words}.`;
  }
}

/** White's table of attacks as a picture: 15 by 15 differences, by ranks and files. */
class Table {
  element = make('div', { class: 'table', role: 'img' });
  #entries = lesson('reach');
  #cells = new Map();

  constructor() {
    for (let ranks = 7; ranks >= -7; ranks--) {
      for (let files = -7; files <= 7; files++) {
        const difference = (16 * ranks + files) & 0xff;
        // The bits of the kinds: pawn 1, knight 2, bishop 4, rook 8.
        const entry = this.#entries[difference];
        const group = entry & 8 ? 'rook' : entry & 4 ? 'bishop' : entry & 2 ? 'knight' : 'empty';
        const cell = make('div', { class: group });
        this.#cells.set(difference, cell);
        this.element.append(cell);
      }
    }
  }

  /** Marks an entry. */
  show(difference) {
    this.element.querySelector('.here')?.replaceChildren();
    this.element.querySelector('.here')?.classList.remove('here');
    const cell = this.#cells.get(difference);
    cell.classList.add('here');
    cell.textContent = hex(this.#entries[difference]);
    this.element.ariaLabel = `White's table of 15 by 15 differences; entry ${hex(difference)} is ${hex(this.#entries[difference])}`;
  }
}

/** The six kinds of a side as icons; those of an entry are lit. */
function kindRow(letters, side) {
  const icons = [...'pnbrqk'].map((letter) => {
    const icon = iconOf(side === 0 ? letter.toUpperCase() : letter);
    icon.classList.toggle('lit', letters.includes(letter));
    return icon;
  });
  const names = make('span', { class: 'unseen' }, kindNames(letters) || 'none');
  return make('span', { class: 'kinds' }, ...icons, names);
}

/** A king and the enemy pieces: the difference table finds checks and pins. */
function showCheck() {
  const board = new Squares('');
  const cards = byId('check-pieces');
  let [[fen]] = POSITIONS;
  let found;
  const positions = choice('check-position', 'Position', POSITIONS, fen, (chosen) => {
    fen = chosen;
    show();
  });
  byId('check-board').append(positions, board.element);
  cards.onclick = ({ target }) => {
    const chosen = target.closest('button');
    if (chosen) {
      select([...cards.children].indexOf(chosen));
    }
  };
  show();

  function show() {
    found = lesson('check', fen);
    const { king, pieces, moves } = found;
    cards.replaceChildren(...pieces.map((piece) => card(piece, king)));
    const list = moves.length > MAX_LISTED ? '' : `: ${moves.join(' ')}`;
    byId('check-moves').textContent = `${plural(moves.length, 'legal move')}${list}.`;
    board.element.ariaLabel = describe(readBoard(fen), 'w');
    select(pieces.findIndex(({ verdict }) => !['none', 'blocked'].includes(verdict)));
  }

  /** Marks the walk of a piece. */
  function select(at) {
    const { piece, number, square, walk, met, verdict } = found.pieces[at];
    [...cards.children].forEach((item, index) => item.setAttribute('aria-pressed', String(index === at)));
    const marks = new Map(walk.map((on) => [on, 'walked']));
    marks.set(number, verdict === 'check' ? 'attacker' : 'to').set(found.king, 'from');
    board.show({ pieces: piecesOf(fen), marks });
    byId('check-status').textContent = `${capital(PIECE_NAMES[piece.toUpperCase()])} ${square}: ${VERDICTS[verdict](met)}.`;
  }
}

/** The numbers of an enemy piece. */
function card({ piece, square, number, byte, difference, entry, kinds, and, walk, met, verdict }, king) {
  const line = (...content) => make('span', { class: 'line' }, ...content);
  const walked = walk.length > 0 ? ['walk ', code(...walk)] : [and === 0 ? 'no walk: not in the entry' : 'no walk: no slider'];
  return make(
    'button',
    { type: 'button', class: 'card', data: { verdict } },
    line(iconOf(piece), make('b', {}, square), make('span', { class: 'verdict' }, VERDICTS[verdict](met))),
    line(make('code', {}, `${hex(king)} − ${hex(number)} = ${hex(difference)}`), ' entry ', code(entry), ` ${kindNames(kinds) || 'none'}`),
    line(make('code', {}, `${hex(entry)} AND ${hex(byte)} = ${hex(and)}`), ' ', ...walked),
  );
}

/** One step from 64 squares at once. */
function showLanes() {
  let [step, stage] = [0x21, 'sums'];
  const board = new Squares('64 lanes, a rank in each row', { role: 'table' });
  const stages = [['squares', 'Square'], ['sums', '+ step'], ['ands', 'AND 88'], ['mask', 'Mask']];
  const steps = COMPASS.flat().map((value) => {
    const radio = make('input', { type: 'radio', name: 'lane-step', value, checked: value === step, ariaLabel: hex(value) });
    return value === 0 ? make('span', {}) : make('label', {}, radio, make('code', {}, hex(value)));
  });
  const compass = make('fieldset', { class: 'compass' }, make('legend', {}, 'Step'), ...steps);
  compass.onchange = ({ target }) => {
    step = Number(target.value);
    show();
  };
  const onStage = (value) => {
    stage = value;
    show();
  };
  byId('lanes-board').append(choice('lane-stage', 'Each lane shows', stages, stage, onStage), board.element);
  byId('lanes-steps').append(compass);

  function show() {
    const found = lesson('lanes', hex(step));
    const lane = new Map(found.squares.map((number, at) => [number, at]));
    const isOff = (number) => found.ands[lane.get(number)] !== 0;
    const texts = {
      mask: (number) => (isOff(number) ? '0' : '1'),
      squares: hex,
      sums: (number) => hex(found.sums[lane.get(number)]),
      ands: (number) => hex(found.ands[lane.get(number)]),
    };
    board.show({ marks: new Map(found.squares.filter(isOff).map((number) => [number, 'off'])), text: texts[stage] });
    byId('lanes-mask').textContent = found.mask;
    const off = found.ands.filter((and) => and !== 0).length;
    byId('lanes-status').textContent = `Step ${hex(step)}: ${64 - off} squares stay on the board, ${off} fall off.`;
  }
  show();
}
