// The page that `analyse` writes: a list of games, the viewer, a board, and a graph.

import { Viewer, ends, isWhite, make, plant, squareIndex, summary, tag } from './viewer.mjs';

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);

/** The side of a square, in SVG units. */
const SIDE = 48;

/** The index of the game shown, and whether Black is at the bottom. */
let current = 0;
let flipped = false;

/** The timer of the address, which browsers let change only so often. */
let later;

/** When the address was last set. */
let settled = -Infinity;

const viewer = new Viewer({ board: { show: drawBoard }, list: byId('moves'), now: byId('now'), onGo });

/** The corner of a square. */
function corner(index) {
  const [file, rank] = [index % 8, Math.floor(index / 8)];
  return flipped ? [(7 - file) * SIDE, rank * SIDE] : [file * SIDE, (7 - rank) * SIDE];
}

function drawBoard({ board, last, next, squares = [], arrows = [] }) {
  const marked = Object.fromEntries(squares.map(([color, ...name]) => [squareIndex(name.join('')), color]));
  const trace = last ? ends(last).map(squareIndex) : [];
  let svg = '';
  for (const [index, piece] of board.entries()) {
    const [x, y] = corner(index);
    const rank = Math.floor(index / 8);
    const at = `x="${x}" y="${y}" width="${SIDE}" height="${SIDE}"`;
    svg += `<rect ${at} class="${(index + rank) % 2 ? 'sl' : 'sd'}"/>`;
    if (trace.includes(index)) svg += `<rect ${at} class="st"/>`;
    if (index in marked) svg += `<rect ${at} class="mark-${marked[index]}"/>`;
    if (x === 0) svg += `<text class="coord" x="2" y="${y + 10}">${rank + 1}</text>`;
    if (y === 7 * SIDE) svg += `<text class="coord" x="${x + 41}" y="381">${'abcdefgh'[index % 8]}</text>`;
    if (piece !== '.') svg += `<use href="#${piece.toLowerCase()}" class="piece ${isWhite(piece) ? 'w' : 'k'}" ${at}/>`;
  }
  if (next) svg += arrow(...ends(next).map(squareIndex));
  for (const [color, ...name] of arrows) {
    const squares = name.join('');
    svg += arrow(squareIndex(squares), squareIndex(squares.slice(2)), `arrow-${color}`);
  }
  byId('board').innerHTML = svg;
}

function arrow(from, to, color = '') {
  const [a, b] = [from, to].map((index) => corner(index).map((edge) => edge + SIDE / 2));
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  // In Chess960 the king may castle on its square.
  if (length === 0) return '';
  const unit = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  const point = (along, aside) =>
    [0, 1].map((i) => a[i] + unit[i] * along + [-unit[1], unit[0]][i] * aside).map((n) => n.toFixed(1));
  const [start, neck] = [point(10, 0), point(length - 20, 0)];
  const head = [point(length - 6, 0), point(length - 22, 10), point(length - 22, -10)];
  return `<line class="arrow ${color}" x1="${start[0]}" y1="${start[1]}" x2="${neck[0]}" y2="${neck[1]}"/>`
    + `<polygon class="head ${color}" points="${head.map((point) => point.join(',')).join(' ')}"/>`;
}

function drawCurve() {
  const percents = viewer.main.map(({ analysis }) => analysis?.percent ?? 50);
  const x = (ply) => ((1000 * ply) / Math.max(percents.length - 1, 1)).toFixed(1);
  const y = (percent) => (200 - 2 * percent).toFixed(1);
  const points = percents.map((percent, ply) => `${x(ply)},${y(percent)}`);
  if (points.length === 1) points.push(`1000,${y(percents[0])}`);
  let svg = `<polygon class="area" points="0,200 ${points.join(' ')} 1000,200"/>`;
  svg += '<line class="half" x1="0" y1="100" x2="1000" y2="100"/>';
  viewer.main.forEach(({ judgement }, ply) => {
    if (judgement) svg += `<path class="dot ${judgement.toLowerCase()}" d="M${x(ply)} ${y(percents[ply])}h0"/>`;
  });
  svg += `<line class="here" x1="${x(viewer.ply)}" y1="0" x2="${x(viewer.ply)}" y2="200"/>`;
  byId('curve').innerHTML = svg;
}

function drawPlayers() {
  const rows = ['White', 'Black'].map((side, index) => {
    const [elo, accuracy] = [tag(viewer.game, `${side}Elo`), viewer.game.accuracies[index]];
    const name = (tag(viewer.game, side) ?? side) + (elo ? ` (${elo})` : '');
    return [make('b', {}, name), make('span', {}, accuracy === null ? '' : `accuracy ${accuracy.toFixed(1)} %`)];
  });
  byId('top').replaceChildren(...rows[flipped ? 0 : 1]);
  byId('bottom').replaceChildren(...rows[flipped ? 1 : 0]);
}

function onGo() {
  drawCurve();
  byId('fill').style.height = `${viewer.trunk.analysis?.percent ?? 50}%`;
  byId('bar').className = flipped ? 'flipped' : '';
  clearTimeout(later);
  later = setTimeout(() => {
    settled = performance.now();
    history.replaceState(null, '', `#${current + 1}.${viewer.ply}`);
  }, Math.max(0, settled + 300 - performance.now()));
}

function flip() {
  flipped = !flipped;
  drawPlayers();
  viewer.go(viewer.node);
}

function open(index, ply = 0) {
  const game = data.games[index];
  if (!game) return;
  current = index;
  const list = byId('games');
  list.querySelector('[aria-current]')?.removeAttribute('aria-current');
  const entry = list.querySelector(`[data-game="${index}"]`);
  entry.setAttribute('aria-current', 'true');
  const { offsetTop } = entry;
  if (offsetTop < list.scrollTop || offsetTop > list.scrollTop + list.clientHeight - 40) list.scrollTop = offsetTop - 40;
  viewer.open(plant(game), ply);
  drawPlayers();
  const where = ['Event', 'Site', 'Date', 'Round', 'Opening'].map((name) => tag(game, name)).filter(Boolean);
  byId('summary').replaceChildren(make('table', {}, summary(game)), make('small', {}, where.join(' · ')));
  if (game.problem) byId('moves').replaceChildren(make('p', { class: 'comment blunder' }, game.problem));
}

function fillList() {
  const entries = data.games.map((game, index) => {
    const details = [game.result, tag(game, 'Event'), tag(game, 'Date')].filter(Boolean).join(' · ');
    const small = game.problem ? make('small', { class: 'problem' }, 'not analysed') : make('small', {}, details);
    const players = `${tag(game, 'White') ?? 'White'} – ${tag(game, 'Black') ?? 'Black'}`;
    const button = make('button', { data: { game: index } }, `${index + 1}. ${players}`, small);
    button.onclick = () => open(index);
    return make('li', {}, button);
  });
  byId('games').replaceChildren(...entries);
}

byId('filter').oninput = ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/);
  for (const entry of byId('games').children) {
    const text = entry.textContent.toLowerCase();
    entry.hidden = !words.every((word) => text.includes(word));
  }
};
viewer.control(byId('buttons'));
byId('flip').onclick = flip;
byId('curve').onclick = ({ clientX }) => {
  const box = byId('curve').getBoundingClientRect();
  viewer.go(Math.round((viewer.length * (clientX - box.left)) / box.width));
};

/** Opens the next game, or the one before, that the filter shows. */
function step(by) {
  const entries = byId('games').children;
  let at = current + by;
  while (entries[at]?.hidden) at += by;
  open(at);
}

const KEYS = { f: flip, ArrowUp: () => step(-1), ArrowDown: () => step(1) };
document.onkeydown = (event) => {
  if (event.target === byId('filter') || event.ctrlKey || event.altKey || event.metaKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key in KEYS) {
    KEYS[key]();
  } else if (!viewer.key(key)) {
    return;
  }
  event.preventDefault();
};

byId('title').textContent = data.title;
byId('method').textContent = data.method;
fillList();
const [first, ply] = location.hash.slice(1).split('.').map(Number);
open(data.games[first - 1] ? first - 1 : 0, ply || 0);
