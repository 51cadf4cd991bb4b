// Reads files of any size in parts, and annotates games as `analyse` does. (Tests of pgn/ cover
// reading and judging.)

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { Games } from '../src/games.mjs';
import { PageEngine } from '../src/page-engine.mjs';
import { inSlices } from '../src/slices.mjs';

/** Games with comments, glyphs, variations, Chess960, and Black to move first. */
const GAMES = readFileSync(new URL('games.pgn', import.meta.url), 'utf8');

/** 200 plies without captures or pawn moves: more than the history sent to the engine. */
const LONG_GAME = `[Event "Long"]\n\n1. e4 e5 ${'Nf3 Nc6 Bb5 Nf6 Bf1 Ng8 Ng1 Nb8 Be2 Be7 Bf1 Bf8 '.repeat(17)}*\n`;

/** The nodes per position when comparing with `analyse`. */
const NODES = 200;

/** The maximum of a part of the work, and of short work as a whole, in times of `busy`, which takes some 5 ms. */
const PART = 80;
const SHORT = 4;

/** The sizes of large inputs, and the maximum by which the work may grow. */
const SIZES = [75_000, 300_000];
const GROWTH = 8;

/** The games of a text, and their list. */
async function read(text) {
  const games = new Games();
  await games.take(text);
  const listed = [];
  await inSlices(games.listing((game) => listed.push(game)));
  return { games, listed };
}

const program = process.env.CARRYBIT_PROGRAM;
test('a file is annotated as by `analyse`', { skip: !program && 'CARRYBIT_PROGRAM is not set' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carrybit-'));
  const [input, output] = ['in.pgn', 'out.pgn'].map((name) => join(folder, name));
  const text = `${GAMES}\n${LONG_GAME}`;
  writeFileSync(input, text);
  const limits = ['--nodes', String(NODES), '--hash', '32'];
  execFileSync(program, ['analyse', input, ...limits, '--no-page', '-o', output], { stdio: 'ignore' });
  const expected = readFileSync(output, 'utf8');
  rmSync(folder, { recursive: true });

  const engine = await PageEngine.load(new URL('../../carrybit.js', import.meta.url), assert.fail);
  const { games, listed } = await read(text);
  const texts = [];
  for (const number of listed.keys()) {
    const game = await inSlices(games.playing(number));
    assert.equal(games.fens().length, game.uci.length + 1);
    assert.ok(await games.study(engine, { nodes: NODES }));
    assert.equal(games.annotate().values.length, game.uci.length + 1);
    texts.push(games.write());
  }
  engine.terminate();
  assert.match(expected, /\$[246] .*was best/s);
  // Between releases, an optimised build also names its commit.
  assert.equal(texts.join('\n').replaceAll(/-dev\+[0-9a-f]{8}/g, '-dev'), expected);
});

test('the engine gets up to 150 plies of history before the batch', async () => {
  const { games } = await read('1. Nf3 Nf6 2. -- Ng8 3. Ng1 -- '.repeat(40));
  await inSlices(games.playing(0));
  const [searched, fens] = [[], games.fens()];
  const engine = { clear() {}, search: (position) => searched.push(position) };
  assert.ok(await games.study(engine, {}));
  assert.equal(searched.length, fens.length);
  const first = (ply) => Math.max(0, ply - (ply % 8) - 150);
  const order = fens.map((_, at) => Math.min(at - (at % 8) + 7, fens.length - 1) - (at % 8));
  searched.forEach(({ fen, moves }, at) => {
    assert.equal(fen, fens[first(order[at])]);
    assert.equal(moves.length, order[at] - first(order[at]));
  });
  assert.ok(searched[0].moves.includes('0000'));
});

test('final positions need no engine, and an aborted analysis returns false', async () => {
  const { games } = await read('[FEN "7k/5Q2/5K2/8/8/8/8/8 w - - 0 1"]\n\n1. Qg7# *');
  await inSlices(games.playing(0));
  const searched = [];
  const engine = { clear() {}, search: ({ fen }) => searched.push(fen) };
  assert.ok(await games.study(engine, {}));
  assert.equal(searched.length, 1);
  const game = games.annotate();
  assert.deepEqual([game.values[1], game.wdl[1], game.result], [{ won: { by_white: true } }, [1000, 0, 0], '*']);
  await inSlices(games.playing(0));
  assert.equal(await games.study(engine, {}, { signal: AbortSignal.abort() }), false);
});

test('files are decoded, and unsupported formats are named', async () => {
  const decoded = (...parts) => new Games().load(new Blob(parts), 10_000);
  assert.equal(await decoded('1. e4 *\r\n'), '1. e4 *\n');
  assert.equal(await decoded(gzipSync('1. e4 *'), gzipSync(' \u00fc')), '1. e4 * ü');
  assert.equal(await decoded(''), '');
  assert.equal(await decoded('{a} '.repeat(10_000)), null);
  await assert.rejects(decoded(gzipSync('1. e4 *').subarray(0, 20)), /damaged/);
});

/** The time that this process has used of processors, in milliseconds: other programs do not prolong it. */
function used() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The time of a piece of work with which others are compared. */
function busy() {
  const began = used();
  let state = 1;
  for (let step = 0; step < 2e6; step++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  assert.notEqual(state, 0);
  return used() - began;
}

/** Runs a generator and records the time of each step. */
function* timed(steps, times) {
  for (;;) {
    const began = used();
    const { done, value } = steps.next();
    times.push(used() - began);
    if (done) {
      return value;
    }
    yield;
  }
}

/** Large inputs: a name, the text, and its number of games. */
const large = (many) => [
  ['games that cannot be read', '[Event "a"]\n\n1. e4 {\n\n'.repeat(many / 10), many / 10],
  ['games', '1. e4 *\n'.repeat(many / 3), many / 3],
  ['comments', `1. e4 ${'{a} '.repeat(many)} *`, 1],
  ['comments that are not closed', `1. e4 ${'{a '.repeat(many)} *`, 1],
  ['escaped quotes', `[Event "${'\\"]'.repeat(many)}"]\n\n1. e4 *`, 1],
  ['tags that are not closed', `e4 ${'[a "'.repeat(many)}`, 1],
  ['blanks and dots', `1 ${' '.repeat(many)}${'. 1 '.repeat(many)} e4`, 1],
  ['moves', 'Nf3 Nf6 Ng1 Ng8 '.repeat(many / 30), 1],
  ['variations', `1. e4 ${'(1. d4) '.repeat(many / 5)} *`, 1],
  ['moves in a variation', `1. e4 (${'Nf3 Nf6 Ng1 Ng8 '.repeat(many / 30)}) *`, 1],
  ['evaluations', `1. e4 {${'[%eval 0.1] '.repeat(many)}} *`, 1],
  ['lines in windows-1252', Buffer.from(`1. e4 {${'\xfc\n'.repeat(many)}} *\n`, 'latin1'), 1],
  ['bytes of gzip', gzipSync(`1. e4 {${'a'.repeat(20 * many)}} *`), 1],
];

/** Reads a large input, and plays, annotates and writes its first game; returns the times of the parts, the longest first. */
async function partsOf(name, text, count) {
  const [games, listed, times] = [new Games(), [], []];
  games.decoding = (bytes) => timed(Games.prototype.decoding.call(games, bytes), times);
  await games.load(new Blob([text]), 0);
  await inSlices(timed(games.listing((game) => listed.push(game)), times));
  assert.equal(listed.length, count, name);
  const first = listed.findIndex(({ problem }) => problem === null);
  if (first >= 0) {
    await inSlices(timed(games.playing(first), times));
    games.annotate();
    assert.ok(games.write().includes('e4') || name.startsWith('moves'), name);
  }
  return times.sort((one, other) => other - one);
}

test('large inputs are read and played in short parts, in linear time', async () => {
  const [small, big] = SIZES.map(large);
  // Compile what is often called.
  await partsOf(...small[1]);
  for (const [at, input] of big.entries()) {
    const total = (times) => times.reduce((sum, time) => sum + time, 0);
    // A garbage collection may prolong a part by chance, but not each time.
    for (let attempt = 1; ; attempt++) {
      const unit = busy();
      const [few, many] = [await partsOf(...small[at]), await partsOf(...input)];
      const isShort = many[0] < PART * unit;
      const isLinear = total(many) < GROWTH * Math.max(total(few), SHORT * unit);
      if (isShort && isLinear) {
        break;
      }
      assert.ok(attempt < 3, `${input[0]}: ${many.slice(0, 3)} of ${total(many)}, ${total(few)} for a quarter; the unit is ${unit}`);
    }
  }
});

test('work in slices pauses only if it is long, and can be aborted', async (t) => {
  let [now, done, turns] = [0, 0, 0];
  t.mock.method(performance, 'now', () => now);
  function* steps(count, milliseconds) {
    for (let step = 0; step < count; step++) {
      now += milliseconds;
      done += 1;
      yield;
    }
    return 'done';
  }
  const turn = () => {
    turns += 1;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  assert.equal(await inSlices(steps(4, 5)), 'done');
  assert.equal(turns, 0);
  assert.equal(await inSlices(steps(100, 5)), 'done');
  clearImmediate(timer);
  assert.equal(done, 104);
  // The work takes 500 ms: a pause every 25 ms.
  assert.ok(turns >= 10, `${turns}`);
  await assert.rejects(inSlices(steps(1, 5), AbortSignal.abort()), { name: 'AbortError' });
  const controller = new AbortController();
  const stopping = inSlices(steps(100, 5), controller.signal);
  controller.abort();
  await assert.rejects(stopping, { name: 'AbortError' });
  assert.equal(done, 109);
});
