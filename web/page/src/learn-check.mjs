// A king and the enemy pieces: the difference table finds checks and pins.

import { readBoard } from '../../../src/analyse/page/viewer.mjs';
import { describe, PIECE_NAMES } from './board.mjs';
import { byId, make } from './dom.mjs';
import { capital, choice, code, hex, iconOf, kindNames, piecesOf, plural, Squares } from './learn-board.mjs';
import { lesson } from './rules.mjs';

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

export function showCheck() {
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
