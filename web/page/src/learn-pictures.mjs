// The live pictures of chapters 1 to 6. All numbers come from web/rules/src/learn.rs. A picture fills its element, and
// `light(...keys)` lights lines of the chapter's code; `lines` in PICTURES finds them. An element with
// `data-mark` lights the line of this key while the pointer or the focus is on it.

import { isWhite } from '../../../src/analyse/page/viewer.mjs';
import { PIECE_NAMES } from './board.mjs';
import { make } from './dom.mjs';
import {
  bits, capital, choice, code, edge, fenOf, hex, iconOf, kindNames, listOf, moved, piecesOf, plural, squareOf, Squares,
} from './learn-board.mjs';
import { tablePicture, treePicture } from './learn-tree.mjs';
import { lesson } from './rules.mjs';

const KINDS = [...'NBRQKP'];

const SIDES = ['up', 'right', 'down', 'left'];

/** The example of chapter 4 and others. */
const CHECKS = [
  ['4r2k/8/8/8/1bB5/8/3N4/4K3 w - - 0 1', 'Example'],
  ['4r2k/8/8/b7/8/5n2/3P4/4K3 w - - 0 1', 'Double'],
  ['4r2k/8/8/8/1b2R3/8/3N3n/4K3 w - - 0 1', 'Pins'],
  ['4r2k/8/8/4b3/7q/6P1/5P2/4K3 w - - 0 1', 'Discovered'],
];

/** The two examples of chapter 5. */
const EXCHANGES = [
  ['3r2k1/8/5n2/3p4/8/2N5/3R4/3Q2K1 w - - 0 1', 'Example'],
  ['3r2k1/8/4pn2/3p4/8/2N5/3R4/3Q2K1 w - - 0 1', 'With a pawn on e6'],
];

/** The lanes' lines, in the order of the engine. */
const LINES = [...'↑→↓←↗↘↙↖'];

/** The most moves listed. */
const MAX_LISTED = 12;

const VERDICTS = {
  none: () => 'no attack',
  check: () => 'check',
  pin: ([square]) => `pins ${square}`,
  discovered: ([square]) => `check if ${square} moves`,
  blocked: () => 'blocked twice',
};

export const PICTURES = {
  board: { fill: boardPicture, lines: { off: /& 0x88/, reached: /& 0x88/, from: /& 0x88/ } },
  steps: {
    fill: stepsPicture,
    lines: { off: /& 0x88/, own: /no own piece/, reached: /add the move/, capture: /enemy piece/, from: /each piece/ },
  },
  differences: { fill: differencesPicture, lines: { to: /^difference =/, entry: /^kinds =/, and: /^if kinds/, between: /walk along/ } },
  check: {
    fill: checkPicture,
    lines: { none: /no attack/, check: /no slider/, pin: /: a pin/, walked: /walk from/, attacker: /none: check/, to: /^for each/ },
  },
  exchange: { fill: exchangePicture, lines: { row: /first gain/ } },
  lanes: {
    fill: lanesPicture,
    lines: {
      offsets: /\+ offsets/, sums: /= squares/, ands: /^AND/, stop: /with the stop/, less: /less 1/, xor: /exclusive or/, reach: /exclusive or/,
    },
  },
  tree: { fill: treePicture, lines: { visit: /search the/, better: /if the score/, cut: /cutoff/ } },
  table: { fill: tablePicture, lines: { probe: /\.probe/, hit: /return entry/, store: /\.store/ } },
};

const status = () => make('p', { class: 'status', role: 'status' });
const part = (...content) => make('div', { class: 'try' }, ...content);
const hint = (text) => make('p', { class: 'faint' }, text);
const iconChoice = (name, letters, chosen, onChange) =>
  choice(name, 'Piece', letters.map((letter) => [letter, PIECE_NAMES[letter.toUpperCase()], iconOf(letter)]), chosen, onChange);

/** A step: its sums, and the bits of the last one. */
function stepItem(label, sums, verdict) {
  const last = sums.at(-1);
  const numbers = sums.map(({ number, and }) => make('code', { class: and === 0 ? '' : 'off' }, hex(number)));
  const mark = last.on ?? (last.and === 0 ? 'reached' : 'off');
  return make(
    'li',
    { data: { mark } },
    make('span', {}, label),
    make('span', { class: 'sums' }, ...numbers),
    bits(last.number),
    make('span', { class: last.and === 0 ? 'verdict' : 'verdict off' }, last.and === 0 ? verdict : `off: ${hex(last.and)}`),
  );
}

/** Chapter 1: a king steps over the board of 16 by 8 numbers, also off the board. */
function boardPicture(root) {
  let at = 0x37;
  const board = new Squares('The 128 numbers, 16 a rank', {
    files: 16,
    isGapOpen: true,
    onChoose: (number) => show(number),
    onMove: (_, to) => show(to),
    onArrow: (step) => show((at + step) & 0xff),
  });
  const [list, words] = [make('ul', { class: 'sum-list' }), status()];
  root.classList.add('wide');
  root.append(
    hint('Drag the king, choose a number, or step with the arrow keys. The right half is off the board.'),
    board.element,
    part(words, list),
  );

  function show(number) {
    const { and, steps } = lesson('number', hex(number));
    const name = and === 0
      ? `${squareOf(number)} is ${hex(number)}: rank ${number >> 4}, file ${number & 15}, counted from 0`
      : `${hex(number)} is off the board`;
    words.textContent = `${name}; AND 88 is ${hex(and)}.`;
    if (number > 0x7f) {
      return;
    }
    at = number;
    const marks = new Map(and === 0 ? steps.map(({ sum }) => [sum.number, sum.and === 0 ? 'reached' : 'off']) : []);
    marks.set(at, and === 0 ? 'from' : 'off');
    board.stop = at;
    board.show({ pieces: new Map([[at, 'K']]), marks });
    const items = steps.map(({ step, sum }, side) => stepItem(`${SIDES[side]}: ${hex(at)} + ${hex(step)} =`, [sum], squareOf(sum.number)));
    list.replaceChildren(...items.slice(0, and === 0 ? 4 : 0));
  }
  show(at);
}

/** Chapter 2: the steps of a piece among others. */
function stepsPicture(root) {
  let [pieces, from] = [piecesOf('6k1/8/1p6/6N1/8/1R2P3/8/6K1'), 0x46];
  const board = new Squares('The 128 numbers, 16 a rank', {
    files: 16,
    onChoose: (number) => {
      if (pieces.has(number)) {
        from = number;
        show();
      }
    },
    onMove: (start, to) => {
      [pieces, from] = [moved(pieces, start, to), to];
      show();
    },
  });
  const kinds = iconChoice('step-piece', KINDS, 'N', (letter) => {
    pieces.set(from, isWhite(pieces.get(from)) ? letter : letter.toLowerCase());
    show();
  });
  const [list, words] = [make('ul', { class: 'sum-list' }), status()];
  root.classList.add('wide');
  root.append(
    hint('Choose a piece, or drag one elsewhere. With the keyboard: Enter on the piece, then on an empty square.'),
    board.element,
    part(kinds, words, list),
  );

  function show() {
    const letter = pieces.get(from);
    const { lines } = lesson('steps', listOf(pieces), squareOf(from));
    const sums = lines.flatMap((line) => line.sums);
    const marks = new Map(sums.map(({ number, on }) => [number, on]));
    marks.set(from, 'from');
    board.stop = from;
    board.show({ pieces, marks });
    kinds.querySelector(`[value=${letter.toUpperCase()}]`).checked = true;
    const ends = { own: 'own piece', capture: 'capture', barred: 'no move' };
    const items = lines.map(({ step, sums: found }) => {
      const { number, on } = found.at(-1);
      return stepItem(`${hex(from)} + ${hex(step)} =`, found, on in ends ? `${squareOf(number)}: ${ends[on]}` : squareOf(number));
    });
    list.replaceChildren(...items);
    const moves = sums.filter(({ on }) => ['reached', 'capture'].includes(on)).length;
    const off = sums.filter(({ on }) => on === 'off').length;
    const name = capital(PIECE_NAMES[letter.toUpperCase()]);
    words.textContent = `${name} on ${squareOf(from)}: ${plural(moves, 'move')}, ${plural(off, 'sum')} off the board.`;
  }
  show();
}

/** Chapter 3: a piece and a target, or an entry of the table and all pairs of squares with this difference. */
function differencesPicture(root) {
  const start = { from: 0x11, to: 0x66, letter: 'B' };
  const now = { ...start };
  const board = new Squares('The board', {
    onChoose: (number) => {
      if (number !== now.from) {
        now.to = number;
      }
      show();
    },
    onMove: (_, to) => {
      now.from = to;
      show();
    },
  });
  const letters = [...'NBRQKPp'];
  const kinds = iconChoice('difference-piece', letters, now.letter, (letter) => {
    now.letter = letter;
    show();
  });
  const table = new Table(showPairs);
  const [answers, words] = [make('dl', {}), status()];
  root.append(
    hint('Choose a target, or drag the piece: the entry of the table lights up. Choose an entry: all pairs of squares with it light up.'),
    part(kinds, board.element),
    part(table.element, make('p', { class: 'faint legend' }, ...['rook', 'bishop', 'knight'].map((kind) => make('span', { class: kind }, kind)))),
    part(words, answers),
  );

  function show() {
    const { from, to, letter } = now;
    const found = lesson('difference', letter + squareOf(from), squareOf(to));
    const marks = new Map(found.between.map((number) => [number, 'between']));
    marks.set(to, 'to').set(from, 'from');
    board.show({ pieces: new Map([[from, letter]]), marks, arrows: from === to ? [] : [[from, to]] });
    const row = (name, mark, ...content) => [make('dt', { data: { mark } }, name), make('dd', { data: { mark } }, ...content)];
    const side = isWhite(letter) ? 'White' : 'Black';
    const name = PIECE_NAMES[letter.toUpperCase()];
    answers.replaceChildren(
      ...row('Difference', 'to', make('code', {}, `${hex(to)} − ${hex(from)} = ${hex(found.difference)}`)),
      ...row(`${side}'s entry`, 'entry', code(found.entry), ` ${kindNames(found.kinds) || 'none'}`),
      ...row(`AND ${name}`, 'and', make('code', {}, `${hex(found.entry)} AND ${hex(found.byte)} = ${hex(found.and)}`)),
      ...row('Step', 'between', found.step === 0 ? 'none' : code(found.step)),
      ...row('Between', 'between', found.between.length === 0 ? 'no squares' : code(...found.between)),
    );
    table.show(found.difference, isWhite(letter));
    const could = found.and === 0 ? 'does not attack' : found.between.length > 0 ? 'attacks, if the squares between are empty' : 'attacks';
    words.textContent = `${squareOf(from)} to ${squareOf(to)} is ${hex(found.difference)}: the ${name} ${could}.`;
  }

  function showPairs(difference) {
    const arrows = lesson('pairs', hex(difference)).filter(([from, to]) => from !== to);
    const marks = new Map(arrows.flatMap(([from, to]) => [[from, 'pair'], [to, 'pair']]));
    board.show({ marks, arrows });
    table.show(difference, isWhite(now.letter));
    const met = kindNames(table.kindsAt(difference)) || 'no piece';
    answers.replaceChildren(make('dt', { data: { mark: 'entry' } }, 'Entry'), make('dd', { data: { mark: 'entry' } }, `${hex(difference)}: ${met}`));
    words.textContent = `Difference ${hex(difference)}: ${plural(arrows.length, 'pair')} of squares, all with the same step in ranks and files.`;
    // The piece is off the board until a square is chosen.
    now.from = arrows[0]?.[0] ?? start.from;
    now.to = arrows[0]?.[1] ?? start.from;
  }
  show();
}

/** The table of attacks: 15 by 15 differences, by ranks and files. */
class Table {
  element;
  #grid = make('div', { class: 'table', role: 'grid', ariaLabel: 'The table of 15 by 15 differences' });
  #entries;
  #cells = new Map();

  constructor(onChoose) {
    const span = Array.from({ length: 15 }, (_, at) => at - 7);
    for (const ranks of span.toReversed()) {
      const row = make('div', { role: 'row' });
      for (const files of span) {
        const difference = (16 * ranks + files) & 0xff;
        const data = { ranks, files, mark: 'entry' };
        const cell = make('button', { type: 'button', role: 'gridcell', tabIndex: -1, data }, hex(difference));
        this.#cells.set(difference, cell);
        row.append(cell);
      }
      this.#grid.append(row);
    }
    const numbers = span.map((number) => `${number}`.replace('-', '−'));
    this.element = make('div', { class: 'edged' }, edge('numbers', numbers.toReversed()), this.#grid, edge('letters', numbers));
    const differenceAt = ({ dataset: { ranks, files } }) => (16 * ranks + Number(files)) & 0xff;
    this.#grid.onclick = ({ target }) => target.dataset.ranks && onChoose(differenceAt(target));
    this.#grid.onkeydown = (event) => {
      const [up, right] = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [];
      const { ranks, files } = event.target.dataset;
      if (up !== undefined) {
        event.preventDefault();
        const next = this.#grid.querySelector(`[data-ranks="${Number(ranks) + up}"][data-files="${Number(files) + right}"]`);
        if (next) {
          onChoose(differenceAt(next));
          next.focus();
        }
      }
    };
  }

  kindsAt(difference) {
    return [...'pnbrqk'].filter((_, kind) => this.#entries[difference] & (1 << kind)).join('');
  }

  /** Marks an entry of a side's table. */
  show(difference, isOfWhite) {
    this.#entries = lesson('reach', isOfWhite ? 'w' : 'b');
    for (const [at, cell] of this.#cells) {
      const kinds = this.kindsAt(at);
      cell.className = kinds.includes('r') ? 'rook' : kinds.includes('b') ? 'bishop' : kinds.includes('n') ? 'knight' : 'empty';
      cell.ariaLabel = `${hex(at)}, ${kindNames(kinds) || 'none'}`;
      cell.ariaSelected = String(at === difference);
      cell.tabIndex = at === difference ? 0 : -1;
    }
  }
}

/** Chooses none of the radio buttons, so that each of them can be chosen again. */
function unchoose(set) {
  set.querySelectorAll('input').forEach((radio) => {
    radio.checked = false;
  });
}

/** Chapter 4: a king and the enemy pieces; the difference table finds checks and pins. */
function checkPicture(root, light) {
  let pieces = piecesOf(CHECKS[0][0]);
  let found;
  const board = new Squares('The position; White is to move', {
    onChoose: (number) => select(found.pieces.findIndex((piece) => piece.number === number)),
    onMove: (from, to) => {
      unchoose(positions);
      show(moved(pieces, from, to));
    },
  });
  const [cards, words, list] = [make('div', { class: 'cards' }), status(), make('p', {})];
  const positions = choice('check-position', 'Position', CHECKS, CHECKS[0][0], (fen) => show(piecesOf(fen)));
  cards.onclick = ({ target }) => {
    const chosen = target.closest('button');
    if (chosen) {
      select([...cards.children].indexOf(chosen));
    }
  };
  root.append(
    hint('White is to move. Drag the pieces, or choose a black one: by Enter, and Enter on an empty square moves it.'),
    part(positions, board.element, list),
    part(words, cards),
  );
  show(pieces);

  function show(changed) {
    try {
      found = lesson('check', fenOf(changed));
    } catch (error) {
      words.textContent = `This is no legal position: ${error.message}.`;
      return;
    }
    pieces = changed;
    const { king, moves } = found;
    cards.replaceChildren(...found.pieces.map((piece) => card(piece, king)));
    const sans = moves.length > MAX_LISTED ? '' : `: ${moves.join(' ')}`;
    list.textContent = `${plural(moves.length, 'legal move')}${sans}.`;
    select(Math.max(0, found.pieces.findIndex(({ verdict }) => !['none', 'blocked'].includes(verdict))));
  }

  /** Marks the walk of a piece. */
  function select(at) {
    if (at < 0) {
      return;
    }
    const { piece, number, square, walk, met, verdict } = found.pieces[at];
    [...cards.children].forEach((item, index) => item.setAttribute('aria-pressed', String(index === at)));
    const marks = new Map(walk.map((on) => [on, 'walked']));
    marks.set(number, verdict === 'check' ? 'attacker' : 'to').set(found.king, 'from');
    board.show({ pieces, marks });
    words.textContent = `${capital(PIECE_NAMES[piece.toUpperCase()])} ${square}: ${VERDICTS[verdict](met)}.`;
    light(keyOf(found.pieces[at]), ...(walk.length > 0 ? ['walked'] : []));
  }
}

/** The line of the code that decides about a piece. */
const keyOf = ({ verdict, walk }) => (verdict === 'check' && walk.length > 0 ? 'attacker' : verdict);

/** The numbers of an enemy piece. */
function card({ piece, square, number, byte, difference, entry, kinds, and, walk, met, verdict }, king) {
  const line = (...content) => make('span', { class: 'line' }, ...content);
  const walked = walk.length > 0 ? ['walk ', code(...walk)] : [and === 0 ? 'no walk: not in the entry' : 'no walk: no slider'];
  return make(
    'button',
    { type: 'button', class: 'card', data: { verdict, mark: keyOf({ verdict, walk }) } },
    line(iconOf(piece), make('b', {}, square), make('span', { class: 'verdict' }, VERDICTS[verdict](met))),
    line(make('code', {}, `${hex(king)} − ${hex(number)} = ${hex(difference)}`), ' entry ', code(entry), ` ${kindNames(kinds) || 'none'}`),
    line(make('code', {}, `${hex(entry)} AND ${hex(byte)} = ${hex(and)}`), ' ', ...walked),
  );
}

const signed = (value) => (value > 0 ? `+${value}` : `${value}`.replace('-', '−'));

/** Chapter 5: the captures on one square in order, and where each side stops. */
function exchangePicture(root) {
  let [pieces, first] = [piecesOf(EXCHANGES[0][0]), 'c3d5'];
  const board = new Squares('The position; White is to move', {
    onChoose: () => {},
    onMove: (from, to) => {
      unchoose(positions);
      show(moved(pieces, from, to));
    },
  });
  const [captures, words, rows] = [make('div', {}), status(), make('ol', { class: 'exchange' })];
  const positions = choice('exchange-position', 'Position', EXCHANGES, EXCHANGES[0][0], (fen) => show(piecesOf(fen)));
  root.append(
    hint('White captures. Drag the pieces, and see who wins; with the keyboard: Enter on the piece, then on an empty square.'),
    part(positions, board.element),
    part(captures, words, rows),
  );
  show(pieces);

  function show(changed) {
    let found;
    try {
      found = lesson('exchange', fenOf(changed), first);
      if (found.line.length === 0 && found.captures.length > 0) {
        first = found.captures[0].uci;
        found = lesson('exchange', fenOf(changed), first);
      }
    } catch (error) {
      words.textContent = `This is no legal position: ${error.message}.`;
      return;
    }
    pieces = changed;
    const options = found.captures.map(({ uci, san }) => [uci, san]);
    captures.replaceChildren(...(options.length > 0 ? [choice('exchange-capture', 'First capture', options, first, (uci) => {
      first = uci;
      show(pieces);
    })] : []));
    const { line } = found;
    const order = new Map(line.map(({ from }, at) => [from, `${at + 1}`]));
    const marks = new Map(line.map(({ from }) => [from, 'row']));
    if (line.length > 0) {
      const target = 'abcdefgh'.indexOf(first[2]) + 16 * (first[3] - 1);
      marks.set(target, 'to');
    }
    board.show({ pieces, marks, text: (number) => order.get(number) ?? '' });
    // A side that loses by going on stops; what follows is not played.
    const stop = line.findIndex(({ value }, at) => at > 0 && value < 0);
    rows.replaceChildren(...line.map(({ piece, from, gain, balance, rest, value, isFirst }, at) =>
      make(
        'li',
        { class: stop >= 0 && at >= stop ? 'unplayed' : '', data: { mark: 'row' } },
        `${isFirst ? 'White' : 'Black'}: ${PIECE_NAMES[piece.toUpperCase()]} ${squareOf(from)} gains ${gain}; White has ${signed(balance)}`,
        make('code', {}, `value = ${gain} − max(0, ${signed(rest)}) = ${signed(value)}`),
      )));
    const stopper = line[stop]?.isFirst ? 'White' : 'Black';
    const end = stop < 0 ? '' : ` ${stopper} stops before capture ${stop + 1}.`;
    words.textContent = line.length === 0 ? 'White has no capture here.' : `The exchange is worth ${signed(line[0].value)} for White.${end}`;
  }
}

/** Chapter 6: the 64 lanes around a square, and the subtraction that finds the reach of a line. */
function lanesPicture(root, light) {
  let [pieces, centre, stage, line] = [piecesOf('3r4/8/3p4/8/3Q4/8/8/8'), 0x33, 'sums', 0];
  const board = new Squares('The board', {
    onChoose: (number) => {
      centre = number;
      show();
    },
    onMove: (from, to) => {
      pieces = moved(pieces, from, to);
      centre = from === centre ? to : centre;
      show();
    },
  });
  const names = [['offsets', 'Offset'], ['sums', 'Square'], ['ands', 'AND 88'], ['letters', 'Piece']];
  const stages = choice('lane-stage', 'Each lane shows', names, stage, (value) => {
    stage = value;
    show();
  });
  const lanes = make('div', { class: 'lanes' });
  const [words, sums] = [status(), make('dl', {})];
  lanes.onclick = ({ target }) => {
    const chosen = target.closest('button');
    if (chosen) {
      line = [...lanes.children].indexOf(chosen);
      show();
    }
  };
  root.append(
    hint('Drag the pieces, choose the square in the centre, and a line of eight lanes.'),
    part(board.element),
    part(stages, lanes, words, sums),
  );

  function show() {
    const { lines, mask } = lesson('lanes', listOf(pieces), squareOf(centre));
    const { sums: numbers, ands, stop, less, xor, reach } = lines[line];
    const marks = new Map(numbers.map((number, lane) => [number, reach & (1 << lane) ? 'reach' : 'line']));
    numbers.filter((_, lane) => ands[lane] !== 0).forEach((number) => marks.delete(number));
    marks.set(centre, 'from');
    board.stop = centre;
    board.show({ pieces, marks });
    const rows = lines.map((found, at) => {
      const cells = found[stage].map((value, lane) =>
        make('code', { class: found.ands[lane] === 0 ? '' : 'off' }, typeof value === 'number' ? hex(value) : value || '·'));
      return make('button', { type: 'button', data: { mark: stage }, aria: { pressed: String(at === line) } }, make('span', {}, LINES[at]), ...cells);
    });
    const isFocused = lanes.contains(document.activeElement);
    lanes.replaceChildren(...rows);
    if (isFocused) {
      rows[line].focus();
    }
    const row = (name, mark, byte) => [make('dt', { data: { mark } }, name), make('dd', { data: { mark } }, bits(byte, false), ' ', code(byte))];
    sums.replaceChildren(
      ...row('Occupied, with the stop', 'stop', stop),
      ...row('Less 1', 'less', less),
      ...row('Exclusive or', 'xor', xor),
      ...row('On the board', 'reach', reach),
    );
    const reached = numbers.filter((_, lane) => reach & (1 << lane)).map(squareOf);
    words.textContent = `Line ${LINES[line]} of ${squareOf(centre)} reaches ${reached.join(' ') || 'no square'}. On the board: ${mask}.`;
    light(stage, 'stop', 'less', 'xor');
  }
  show();
}
