'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
const SIDE = 48;

// What is shown: a game, how many of its moves have been played, and, if one looks at the
// engine's line, how many moves of that.
const state = { game: 0, ply: 0, deep: 0, flipped: false };
// The positions of the game, each as 64 letters from a1 to h8.
let boards = [];

const game = () => data.games[state.game];
const tag = (of, name) => (of.tags.find(([key]) => key === name) || [])[1] || '';

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// --- Where the pieces stand ---

const square = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);

function readFen(fen) {
  const ranks = fen.split(' ')[0].split('/').reverse();
  return ranks.flatMap((rank) => [...rank.replace(/\d/g, (n) => '.'.repeat(Number(n)))]);
}

const isWhite = (piece) => piece !== piece.toLowerCase();

function play(before, uci) {
  if (!uci) return before;
  const board = before.slice();
  const from = square(uci), to = square(uci.slice(2));
  const piece = board[from], kind = piece.toLowerCase(), taken = board[to];
  board[from] = '.';
  if (kind === 'k' && taken.toLowerCase() === 'r' && isWhite(taken) === isWhite(piece)) {
    const rank = from - (from % 8);
    board[to] = '.';
    board[rank + (to > from ? 6 : 2)] = piece;
    board[rank + (to > from ? 5 : 3)] = taken;
    return board;
  }
  if (kind === 'p' && from % 8 !== to % 8 && taken === '.') board[from - (from % 8) + (to % 8)] = '.';
  const promoted = uci[4];
  board[to] = !promoted ? piece : isWhite(piece) ? promoted.toUpperCase() : promoted;
  return board;
}

// The position shown, and the move that led to it.
function shown() {
  const line = game().lines[state.ply] || [];
  let board = boards[state.ply];
  for (const [uci] of line.slice(0, state.deep)) board = play(board, uci);
  const last = state.deep ? line[state.deep - 1][0] : game().uci[state.ply - 1];
  return { board, last: last || '' };
}

// --- Drawing ---

function place(index) {
  const file = index % 8, rank = Math.floor(index / 8);
  return state.flipped ? [(7 - file) * SIDE, rank * SIDE] : [file * SIDE, (7 - rank) * SIDE];
}

function drawBoard() {
  const { board, last } = shown();
  const trace = last ? [square(last), square(last.slice(2))] : [];
  let svg = '';
  for (let index = 0; index < 64; index++) {
    const [x, y] = place(index);
    const isLight = (index + Math.floor(index / 8)) % 2;
    const at = `x="${x}" y="${y}" width="${SIDE}" height="${SIDE}"`;
    svg += `<rect ${at} class="${isLight ? 'sl' : 'sd'}"/>`;
    if (trace.includes(index)) svg += `<rect ${at} class="st"/>`;
    if (x === 0) svg += `<text class="coord" x="2" y="${y + 10}">${Math.floor(index / 8) + 1}</text>`;
    if (y === 7 * SIDE) svg += `<text class="coord" x="${x + 41}" y="381">${'abcdefgh'[index % 8]}</text>`;
  }
  board.forEach((piece, index) => {
    if (piece === '.') return;
    const [x, y] = place(index);
    const color = isWhite(piece) ? 'w' : 'k';
    svg += `<use href="#${piece.toLowerCase()}" class="piece ${color}" x="${x}" y="${y}" width="${SIDE}" height="${SIDE}"/>`;
  });
  const next = (game().lines[state.ply] || [])[state.deep];
  if (next) svg += arrow(square(next[0]), square(next[0].slice(2)));
  $('board').innerHTML = svg;
}

function arrow(from, to) {
  const [a, b] = [from, to].map((index) => place(index).map((edge) => edge + SIDE / 2));
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const unit = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  const point = (along, aside) =>
    [0, 1].map((i) => a[i] + unit[i] * along + [-unit[1], unit[0]][i] * aside).map((n) => n.toFixed(1));
  const [start, neck] = [point(10, 0), point(length - 20, 0)];
  const head = [point(length - 6, 0), point(length - 22, 10), point(length - 22, -10)];
  return `<line class="arrow" x1="${start[0]}" y1="${start[1]}" x2="${neck[0]}" y2="${neck[1]}"/>`
    + `<polygon class="head" points="${head.map((corner) => corner.join(',')).join(' ')}"/>`;
}

function drawCurve() {
  const { percents, judgements } = game();
  const last = Math.max(percents.length - 1, 1);
  const x = (ply) => (1000 * ply / last).toFixed(1);
  const y = (percent) => (200 - 2 * percent).toFixed(1);
  const points = percents.map((percent, ply) => `${x(ply)},${y(percent)}`);
  let svg = `<polygon class="area" points="0,200 ${points.join(' ')} 1000,200"/>`;
  svg += '<line class="half" x1="0" y1="100" x2="1000" y2="100"/>';
  judgements.forEach((name, at) => {
    if (name) svg += `<path class="dot ${name}" d="M${x(at + 1)} ${y(percents[at + 1])}h0"/>`;
  });
  svg += `<line class="here" x1="${x(state.ply)}" y1="0" x2="${x(state.ply)}" y2="200"/>`;
  $('curve').innerHTML = svg;
}

// --- Words ---

function number(ply) {
  const fields = game().fen.split(' ');
  const plies = ply + (fields[1] === 'b' ? 1 : 0);
  return { text: `${Number(fields[5] || 1) + Math.floor(plies / 2)}.`, isBlack: plies % 2 === 1 };
}

function moveText(ply, needsNumber, san) {
  const { text, isBlack } = number(ply);
  return isBlack ? (needsNumber ? `${text}..\u2009` : '') + san : `${text}\u2009${san}`;
}

function drawPlayers() {
  const [white, black] = ['White', 'Black'].map((side, index) => {
    const elo = tag(game(), `${side}Elo`), accuracy = game().accuracies[index];
    const name = (tag(game(), side) || side) + (elo ? ` (${elo})` : '');
    return [name, accuracy === null ? '' : `accuracy ${accuracy.toFixed(1)} %`];
  });
  const [top, bottom] = state.flipped ? [white, black] : [black, white];
  for (const [id, [name, accuracy]] of [['top', top], ['bottom', bottom]]) {
    $(id).replaceChildren(element('b', name), element('span', accuracy));
  }
}

function drawNow() {
  const { values, wdl, depths, lines, judgements, san, glyphs, comments } = game();
  const { ply } = state;
  const parts = [];
  const heading = element('p');
  heading.append(element('span', values[ply] || '', 'value'));
  const moved = ply ? moveText(ply - 1, true, san[ply - 1] + glyphs[ply - 1]) : 'Start';
  heading.append(element('span', moved, judgements[ply - 1] || ''));
  if (judgements[ply - 1]) heading.append(element('span', ` ${judgements[ply - 1]}`, judgements[ply - 1]));
  parts.push(heading);
  if (wdl[ply]) {
    const [win, draw, loss] = wdl[ply].map((games) => `${(games / 10).toFixed(1)} %`);
    const depth = depths[ply] ? `, depth ${depths[ply]}` : '';
    parts.push(element('p', `White wins ${win}, draw ${draw}, Black wins ${loss}${depth}`, 'faint'));
  }
  const line = element('p', undefined, 'line');
  (lines[ply] || []).forEach(([, move], at) => {
    const button = element('button', moveText(ply + at, at === 0, move), at < state.deep ? 'on' : '');
    button.onclick = () => go(ply, at + 1);
    line.append(button, ' ');
  });
  parts.push(line);
  const better = judgements[ply - 1] && (lines[ply - 1] || [])[0];
  if (better) {
    const instead = element('p', undefined, 'line');
    const button = element('button', moveText(ply - 1, true, better[1]));
    button.onclick = () => go(ply - 1, 1);
    instead.append('Better: ', button);
    parts.push(instead);
  }
  if (ply && comments[ply - 1]) parts.push(element('p', comments[ply - 1], 'faint'));
  $('now').replaceChildren(...parts);
}

function drawSummary() {
  const { counts, accuracies, result } = game();
  const table = element('table');
  const row = (cells, kind) => {
    const made = element('tr');
    made.append(...cells.map((cell) => element(kind, cell)));
    table.append(made);
  };
  row([result, 'Accuracy', '?!', '?', '??'], 'th');
  ['White', 'Black'].forEach((side, index) => {
    const accuracy = accuracies[index] === null ? '–' : accuracies[index].toFixed(1);
    row([tag(game(), side) || side, accuracy, ...counts[index].map(String)], 'td');
  });
  const where = ['Event', 'Site', 'Date', 'Round', 'Opening'].map((name) => tag(game(), name));
  $('summary').replaceChildren(table, element('small', where.filter(Boolean).join(' · ')));
}

function drawMoves() {
  const { san, glyphs, values, judgements, comments } = game();
  const parts = [];
  let column = 0;
  san.forEach((text, ply) => {
    const { text: before, isBlack } = number(ply);
    if (!isBlack || column === 0) {
      parts.push(element('span', before, 'number'));
      if (isBlack) parts.push(element('span', '…'));
    }
    const move = element('button', undefined, `move ${judgements[ply]}`);
    move.append(element('span', text + glyphs[ply]), element('small', values[ply + 1]));
    move.onclick = () => go(ply + 1, 0);
    move.dataset.ply = ply + 1;
    parts.push(move);
    column = isBlack ? 0 : 1;
    if (comments[ply]) {
      if (!isBlack) parts.push(element('span'));
      parts.push(element('span', comments[ply], 'comment'));
      column = 0;
    }
  });
  $('moves').replaceChildren(...parts);
}

function markMove() {
  for (const move of $('moves').querySelectorAll('[aria-current]')) move.removeAttribute('aria-current');
  const move = $('moves').querySelector(`[data-ply="${state.ply}"]`);
  if (!move) { $('moves').scrollTop = 0; return; }
  move.setAttribute('aria-current', 'true');
  const list = $('moves');
  list.scrollTop = move.offsetTop - list.offsetTop - list.clientHeight / 2;
}

// --- Going about ---

function draw() {
  drawBoard();
  drawCurve();
  drawNow();
  markMove();
  const percent = game().percents[state.ply];
  $('fill').style.height = `${percent === undefined ? 50 : percent}%`;
  $('bar').className = state.flipped ? 'flipped' : '';
  history.replaceState(null, '', `#${state.game + 1}.${state.ply}`);
}

function go(ply, deep) {
  const last = boards.length - 1;
  state.ply = Math.max(0, Math.min(last, ply));
  state.deep = Math.max(0, Math.min((game().lines[state.ply] || []).length, deep));
  draw();
}

const forward = () => (state.deep ? go(state.ply, state.deep + 1) : go(state.ply + 1, 0));
const back = () => (state.deep ? go(state.ply, state.deep - 1) : go(state.ply - 1, 0));

function nextMistake() {
  const at = game().judgements.findIndex((name, index) => name && index >= state.ply);
  if (at >= 0) go(at + 1, 0);
}

function flip() {
  state.flipped = !state.flipped;
  drawPlayers();
  draw();
}

function open(index, ply) {
  if (!data.games[index]) return;
  state.game = index;
  const entries = $('games').querySelectorAll('button');
  entries.forEach((entry) => entry.removeAttribute('aria-current'));
  const entry = $('games').querySelector(`[data-game="${index}"]`);
  entry.setAttribute('aria-current', 'true');
  const list = $('games');
  if (entry.offsetTop - list.offsetTop < list.scrollTop
    || entry.offsetTop - list.offsetTop > list.scrollTop + list.clientHeight - 40) {
    list.scrollTop = entry.offsetTop - list.offsetTop - 40;
  }
  boards = [readFen(game().fen || '8/8/8/8/8/8/8/8')];
  for (const uci of game().uci) boards.push(play(boards[boards.length - 1], uci));
  drawPlayers();
  drawSummary();
  drawMoves();
  if (game().problem) $('moves').replaceChildren(element('p', game().problem, 'comment Blunder'));
  go(ply, 0);
}

function fillList() {
  const entries = data.games.map((one, index) => {
    const button = element('button', `${index + 1}. ${tag(one, 'White') || 'White'} – ${tag(one, 'Black') || 'Black'}`);
    const details = [one.result, tag(one, 'Event'), tag(one, 'Date')].filter(Boolean).join(' · ');
    button.append(one.problem ? element('small', 'not analysed', 'problem') : element('small', details));
    button.dataset.game = index;
    button.onclick = () => open(index, 0);
    const entry = element('li');
    entry.append(button);
    return entry;
  });
  $('games').replaceChildren(...entries);
}

$('filter').oninput = (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const entry of $('games').children) {
    const text = entry.textContent.toLowerCase();
    entry.hidden = !words.every((word) => text.includes(word));
  }
};
$('first').onclick = () => go(0, 0);
$('back').onclick = back;
$('forward').onclick = forward;
$('last').onclick = () => go(boards.length - 1, 0);
$('flip').onclick = flip;
$('mistake').onclick = nextMistake;
$('curve').onclick = (event) => {
  const box = $('curve').getBoundingClientRect();
  go(Math.round((boards.length - 1) * (event.clientX - box.left) / box.width), 0);
};

const KEYS = {
  ArrowLeft: back, ArrowRight: forward, f: flip, m: nextMistake,
  Home: () => go(0, 0), End: () => go(boards.length - 1, 0),
  ArrowUp: () => open(state.game - 1, 0), ArrowDown: () => open(state.game + 1, 0),
};
document.onkeydown = (event) => {
  const action = KEYS[event.key];
  if (!action || event.target === $('filter') || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  action();
};

$('title').textContent = data.title;
$('method').textContent = data.method;
fillList();
if (data.games.length) {
  const [first, ply] = location.hash.slice(1).split('.').map(Number);
  open(data.games[first - 1] ? first - 1 : 0, ply || 0);
}
