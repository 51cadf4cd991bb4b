// The worker, and the module that uses it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { Engine, parseInfo } from '../index.mjs';

const WORKER = new URL('../carrybit.js', import.meta.url);

const engine = await Engine.load();
after(() => engine.terminate());

test('the worker answers commands in order', async () => {
  const worker = new Worker(WORKER);
  const lines = [];
  const ended = new Promise((resolve) => worker.on('exit', resolve));
  worker.on('message', (line) => lines.push(line));
  worker.postMessage('uci');
  worker.postMessage('isready\ngo depth 3');
  worker.postMessage('wait');
  worker.postMessage('quit');
  await ended;
  assert.ok(lines.every((line) => typeof line === 'string' && !line.includes('\n')));
  const order = ['id name', 'uciok', 'readyok', 'info depth 3', 'bestmove'];
  const places = order.map((beginning) => lines.findIndex((line) => line.startsWith(beginning)));
  assert.deepEqual(places, [...places].sort((a, b) => a - b));
  assert.ok(places[0] === 0 && places[4] === lines.length - 1);
});

test('the engine has a name, an author, notes and options', () => {
  assert.match(engine.name, /^Carrybit \d/);
  assert.notEqual(engine.author, '');
  assert.ok(engine.notes.some((note) => note.startsWith('evaluation: network')));
  assert.deepEqual(engine.options.get('Hash'), { type: 'spin', default: 16, min: 1, max: 2045 });
  assert.deepEqual(engine.options.get('UCI_Chess960'), { type: 'check', default: false });
  assert.equal(engine.options.get('SyzygyPath').default, '');
});

test('an analysis is a stream of infos that ends with the best move', async () => {
  const analysis = engine.analyse('6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1', { depth: 4 });
  const iterator = analysis[Symbol.asyncIterator]();
  const infos = [];
  let step;
  while (!(step = await iterator.next()).done) {
    infos.push(step.value);
  }
  assert.deepEqual(step.value, { bestmove: 'a1a8', ponder: null });
  assert.deepEqual(await analysis.best, step.value);
  assert.equal(infos.at(-1).score.mate, 1);
  assert.deepEqual(infos.at(-1).pv, ['a1a8']);
});

test('leaving the loop stops the search, and so does a new search', async () => {
  for await (const info of engine.analyse('startpos')) {
    if (info.depth >= 4) {
      break;
    }
  }
  const endless = engine.analyse({ moves: ['e2e4'] }, { infinite: true });
  const next = engine.analyse({ moves: ['e2e4', 'e7e5'] }, { nodes: 2000 });
  assert.match((await endless.best).bestmove, /^[a-h][78]/);
  assert.match((await next.best).bestmove, /^[a-h][12]/);
});

test('stop and ponderhit before the search has started take effect', async () => {
  const pondering = engine.analyse('startpos', { ponder: true, movetime: 10 });
  pondering.ponderhit();
  assert.match((await pondering.best).bestmove, /^[a-h][12]/);
  assert.match((await engine.analyse('startpos', { infinite: true }).stop()).bestmove, /^[a-h][12]/);
});

test('stop without a search returns undefined', async () => {
  await engine.analyse('startpos', { depth: 1 }).best;
  assert.equal(engine.stop(), undefined);
  await assert.rejects(engine.analyse('no such position').best);
  assert.equal(engine.stop(), undefined);
});

test('illegal searchmoves are refused, and legal ones are searched', async () => {
  for (const searchmoves of [['e2e5'], ['d2d4', 'e2e5'], ['infinite']]) {
    await assert.rejects(engine.analyse('startpos', { depth: 1, searchmoves }).best, new RegExp(`^Error: illegal move ${searchmoves.at(-1)}`));
  }
  const analysis = engine.analyse({ moves: ['e2e4', 'e7e5'] }, { depth: 3, searchmoves: ['a2a3'] });
  assert.equal((await analysis.best).bestmove, 'a2a3');
});

test('readyok for an isready of the caller is not taken for one of a request', async () => {
  for (const text of ['isready', ' ISREADY \r\nisready']) {
    engine.send(text);
    await assert.rejects(engine.analyse('no such position', { depth: 1 }).best, /position/);
  }
});

/** Starts the module without a worker: returns it, the lines that it prints, and a function that sends a line. */
async function startBare() {
  const { load, start } = createRequire(import.meta.url)('../carrybit.js');
  const lines = [];
  const bare = await start(await load(), { say: (line) => lines.push(line), quit() {}, fail: assert.ifError });
  return { bare, lines, send: (line) => bare.hear(Buffer.from(`${line}\n`)) };
}

test('a search is suspended every 8 ms, asks for the time often, and answers isready and stop in its pauses', async (t) => {
  // A clock that only counts how often it is read, so that the machine does not matter.
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 1));
  const { lines, send } = await startBare();
  const pause = () => new Promise((resolve) => setImmediate(resolve));
  send('go infinite');
  const slices = [];
  for (let slice = 0; slice < 40; slice++) {
    const began = now;
    await pause();
    slices.push(now - began);
  }
  assert.ok(slices.every((length) => length >= 8 && length < 32), `${slices}`);
  send('isready');
  assert.equal(lines.at(-1), 'readyok');
  send('stop');
  await pause();
  assert.match(lines.at(-1), /^bestmove/);
  const [, nodes] = / nodes (\d+) /.exec(lines.findLast((line) => line.startsWith('info depth')));
  assert.ok(nodes > 0 && nodes < 1000 * now, `${nodes} nodes, ${now} times`);
});

test('a position without legal moves has no best move, and an invalid one is refused', async () => {
  const mated = engine.analyse('7k/6Q1/6K1/8/8/8/8/8 b - - 0 1', { depth: 1 });
  assert.deepEqual(await mated.best, { bestmove: null, ponder: null });
  await assert.rejects(engine.analyse('no such position').best, /position/);
  await assert.rejects(async () => {
    for await (const info of engine.analyse({ moves: ['e2e5'] })) {
      assert.fail(`${info}`);
    }
  });
});

test('options take effect, and invalid ones are refused', async () => {
  await engine.setOption('MultiPV', 3);
  await engine.setOption('UCI_ShowWDL', true);
  const ranks = new Set();
  for await (const info of engine.analyse('startpos', { depth: 5 })) {
    ranks.add(info.multipv);
    assert.equal(info.wdl.reduce((a, b) => a + b), 1000);
  }
  assert.deepEqual([...ranks].sort(), [1, 2, 3]);
  await engine.setOption('MultiPV', 1);
  await assert.rejects(engine.setOption('UCI_ShowWDL', 'perhaps'), /UCI_ShowWDL/);
  await assert.rejects(engine.setOption('SyzygyPath', '/nowhere'));
  await engine.newGame();
});

test('every option can be set to its default, and numbers to the limits of their ranges', async () => {
  for (const [name, { type, default: own, min, max }] of engine.options) {
    const limits = type === 'spin' ? [min, name === 'Hash' ? 64 : max] : [];
    for (const value of [...limits, own]) {
      await engine.setOption(name, value);
    }
  }
});

/** Runs `act`; returns the lines that it sends. */
async function sentBy(act) {
  const sent = [];
  const { send } = engine;
  engine.send = (line) => sent.push(line) && send.call(engine, line);
  await act().finally(() => delete engine.send);
  return sent;
}

test('requests that the engine would change or misread are refused, and nothing is sent', async () => {
  const start = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
  const sent = await sentBy(async () => {
    for (const value of [0, 2046, 16.5, NaN, '4096', 'many', undefined]) {
      await assert.rejects(engine.setOption('Hash', value), { name: 'RangeError', message: /not sent: Hash .* 1 to 2045/ });
      await assert.rejects(engine.setOption('hash', value), RangeError);
    }
    for (const value of [NaN, Infinity, -Infinity, 2 ** 53, 1e300, null, '100', -1, 5n, true, Symbol('5')]) {
      for (const key of ['movetime', 'depth', 'winc']) {
        const { best } = engine.analyse('startpos', { nodes: 1, [key]: value });
        await assert.rejects(best, { name: 'RangeError', message: new RegExp(`not sent: ${key} `) });
      }
    }
    for (const [position, limit, words] of [
      ['startpos', { movtime: 100 }, /unknown key "movtime"; known are .*movetime, depth/],
      ['startpos', { depth: 1, Nodes: undefined }, /unknown key "Nodes"/],
      ['startpos', Object.create({ time: 100 }), /unknown key "time"/],
      ...[null, 5, 'depth 5', [5]].map((limit) => ['startpos', limit, /the limit is no object .*movetime, depth/]),
      ...['winc', 'binc', 'movestogo'].map((key) => ['startpos', { [key]: 0 }, /limits nothing without wtime and btime/]),
      ...[0, 'false', null].flatMap((value) => ['infinite', 'ponder'].map((key) => ['startpos', { [key]: value }, /takes true or false/])),
      ...['e2e4', [5], {}, null].map((searchmoves) => ['startpos', { searchmoves }, /array of strings/]),
      ...['e2e4', [5], {}, null].map((moves) => [{ moves }, { depth: 1 }, /array of strings/]),
      [{ FEN: 'startpos' }, { depth: 1 }, /unknown key "FEN"; known are fen, moves/],
      ...[undefined, null, 5, ['e2e4']].map((position) => [position, { depth: 1 }, /the position is no object/]),
    ]) {
      await assert.rejects(engine.analyse(position, limit).best, { name: 'TypeError', message: words });
    }
    for (const end of ['\n', '\r', '\r\n', '\0', '\x1b', '\x7f', '\x85', '\u2028']) {
      const text = `${end}setoption name Hash value 1`;
      for (const act of [
        () => engine.setOption('Hash', `2${text}`),
        () => engine.setOption(`Clear Hash${text}`),
        () => engine.analyse(start + text, { depth: 1 }).best,
        () => engine.analyse({ fen: start, moves: ['e2e4', `e7e5${text}`] }, { depth: 1 }).best,
        () => engine.analyse('startpos', { depth: 1, searchmoves: [`e2e4${text}`] }).best,
      ]) {
        await assert.rejects(act(), /not sent: .*control character/);
      }
    }
    for (const move of ['', 'e2e4 infinite', 'e2e4 ', ' ', 'e2e4\u00a0depth\u00a01']) {
      await assert.rejects(engine.analyse('startpos', { depth: 1, searchmoves: ['d2d4', move] }).best, /not sent: .*white space/);
      await assert.rejects(engine.analyse({ fen: 'startpos', moves: [move] }, { depth: 1 }).best, /not sent: .*white space/);
    }
    for (const name of [' Hash', 'hash ', 'Hash\u00a0', 'Move  Overhead', 'Hash value 1', 'Hash VALUE', '', 5, null, undefined]) {
      await assert.rejects(engine.setOption(name, 100_000), { name: 'TypeError', message: /not sent: .* is no name of an option/ });
    }
    for (const value of [null, [16], { valueOf: () => 16 }, 16n]) {
      await assert.rejects(engine.setOption('Hash', value), { name: 'TypeError', message: /not sent: Hash takes/ });
    }
    for (const position of [`${start} moves e2e4`, `${start}  MOVES`, { fen: `${start} moves e2e4`, moves: ['e7e5'] }]) {
      await assert.rejects(engine.analyse(position, { depth: 1 }).best, /not sent: the FEN ".*" contains moves/);
    }
  });
  assert.deepEqual(sent, []);
  for (const [limit, go] of [[{ movetime: 9.6 }, 'go movetime 10'], [{ wtime: -5, btime: 0, winc: 0 }, 'go wtime -5 btime 0 winc 0']]) {
    assert.ok((await sentBy(() => engine.analyse('startpos', limit).best)).includes(go));
  }
  for (const options of [{ url: WORKER }, String(WORKER), WORKER, null]) {
    await assert.rejects(Engine.load(options), { name: 'TypeError', message: /load .*worker/ });
  }
});

test('with limited strength, moves vary', async () => {
  await engine.setOption('UCI_Elo', 1000);
  await engine.setOption('UCI_LimitStrength', true);
  const moves = new Set();
  for (let game = 0; game < 12; game++) {
    moves.add((await engine.analyse('startpos', { movetime: 1000 }).best).bestmove);
  }
  await engine.setOption('UCI_LimitStrength', false);
  assert.ok(moves.size > 1, `${[...moves]}`);
});

test('the hash table grows and shrinks, and a lack of memory is reported', async () => {
  const { bare, lines, send } = await startBare();
  for (const megabytes of [64, 1]) {
    send(`setoption name Hash value ${megabytes}`);
  }
  assert.deepEqual(lines, []);
  const megabytes = bare.memory.buffer.byteLength >> 20;
  assert.ok(megabytes >= 64 && megabytes < 160, `${megabytes}`);
  // Leave 100 MB of the address space of 32 bits.
  bare.memory.grow(65_536 - 1600 - bare.memory.buffer.byteLength / 65_536);
  send('setoption name Hash value 2000');
  assert.equal(lines.length, 1);
  assert.match(lines[0], /^info string .*2000/);
  send('isready');
  assert.equal(lines.at(-1), 'readyok');
});

test('info lines are parsed', () => {
  assert.deepEqual(parseInfo('info depth 3 score mate -2 upperbound wdl 0 1 999 nodes 5 foo pv e2e4 e7e5'), {
    depth: 3,
    score: { mate: -2, bound: 'upper' },
    wdl: [0, 1, 999],
    nodes: 5,
    pv: ['e2e4', 'e7e5'],
  });
  assert.deepEqual(parseInfo('info lowerbound depth 3'), { depth: 3, pv: [] });
  assert.deepEqual(parseInfo('info string pv is not one'), { pv: [], string: 'pv is not one' });
});

test('in a browser, the worker gets the URL of the WebAssembly module, which a bundler may have renamed', async () => {
  const module = new URL('../index.mjs', import.meta.url);
  // A thread without `process` looks like a browser.
  const browser = new Worker(
    `const { parentPort } = require('node:worker_threads');
    globalThis.process = undefined;
    globalThis.Worker = class { constructor(url) { parentPort.postMessage(String(url)); } postMessage() {} };
    import('${module}').then(({ Engine }) => Engine.load());`,
    { eval: true },
  );
  const [url] = await once(browser, 'message');
  await browser.terminate();
  assert.equal(url, `${WORKER}#${encodeURIComponent(new URL('../carrybit.wasm', import.meta.url))}`);
});

test('a worker is given as a file: URL in text; a missing one is an error, and so are requests to a terminated one', async () => {
  await assert.rejects(Engine.load({ worker: new URL('nowhere.js', import.meta.url) }));
  const other = await Engine.load({ worker: String(WORKER) });
  const analysis = other.analyse('startpos');
  await analysis[Symbol.asyncIterator]().next();
  other.terminate();
  await assert.rejects(analysis.best, /terminated/);
  await assert.rejects(other.setOption('Hash', 1), /terminated/);
});

test('a loop that terminates the engine can be left', async () => {
  const other = await Engine.load();
  for await (const { depth } of other.analyse('startpos')) {
    assert.ok(depth > 0);
    other.terminate();
    break;
  }
});

test('a search whose engine a listener terminates at readyok is rejected', async () => {
  const other = await Engine.load();
  other.onLine((line) => line === 'readyok' && other.terminate());
  await assert.rejects(other.analyse('startpos', { depth: 1 }).best, /terminated/);
});

test('requests to an engine that exits are rejected', async () => {
  const script = `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', (line) => (line === 'uci' ? parentPort.postMessage('uciok') : process.exit()));`;
  const folder = mkdtempSync(join(tmpdir(), 'carrybit-'));
  const worker = join(folder, 'worker.cjs');
  writeFileSync(worker, script);
  const other = await Engine.load({ worker });
  const errors = [[], [], []];
  const [, off] = errors.map((list) => other.onError((error) => list.push(error.message)));
  off();
  await assert.rejects(other.setOption('Hash', 1), /exited/);
  assert.deepEqual(errors.map((list) => list.length), [1, 0, 1]);
  rmSync(folder, { recursive: true });
});

test('quit in any spelling, also after other lines, terminates the engine', async () => {
  for (const text of ['quit', ' QUIT now', 'isready\nd\r\nQuit\nisready']) {
    const other = await Engine.load();
    other.onError(assert.ifError);
    const { best } = other.analyse('startpos');
    other.send(text);
    await assert.rejects(best, /terminated/);
  }
});
