// Annotates games as `analyse` does. (Tests of crates/pgn cover reading and judging; trouble.test.mjs reads large
// files.)

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Games } from '../src/games.mjs';
import { PageEngine } from '../src/page-engine.mjs';
import { inSlices } from '../src/slices.mjs';

/** Games with comments, glyphs, variations, Chess960, and Black to move first. */
const GAMES = readFileSync(new URL('games.pgn', import.meta.url), 'utf8');

/** 200 plies without captures or pawn moves: more than the history sent to the engine. */
const LONG_GAME = `[Event "Long"]\n\n1. e4 e5 ${'Nf3 Nc6 Bb5 Nf6 Bf1 Ng8 Ng1 Nb8 Be2 Be7 Bf1 Bf8 '.repeat(17)}*\n`;

/** The nodes per position when comparing with `analyse`. */
const NODES = 200;

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
  const [games, listed, texts] = [new Games(), [], []];
  await games.take(text);
  await inSlices(games.listing((game) => listed.push(game)));
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
