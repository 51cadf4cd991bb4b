// `carrybit/rules`, and `require`. (The tests of the page and of crates/board cover the rules themselves.)

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import * as rules from 'carrybit/rules';

const { load, outcomes, Position, readGames, start960, writeGame } = rules;
const WEB = fileURLToPath(new URL('..', import.meta.url));
const read = (name) => readFileSync(WEB + name, 'utf8');

/** Runs a program that may use the package; returns its output. `require` takes no ES modules, as in Node 20.16. */
function run(code, type) {
  const flag = process.allowedNodeEnvironmentFlags.has('--experimental-require-module') ? ['--no-experimental-require-module'] : [];
  return execFileSync(process.execPath, [...flag, `--input-type=${type}`, '-e', code], { cwd: WEB, encoding: 'utf8' });
}

before(async () => {
  assert.throws(() => new Position(), /await load\(\) first/);
  await load();
});

test('the example of the README prints what it says, with `import` and with `require`', () => {
  const [, example] = /```js\n([^`]*'carrybit\/rules';[^`]*)```/.exec(read('README.md'));
  const expected = [...example.matchAll(/console\.log.*; \/\/ (.*)$/gm)].map(([, text]) => `${text}\n`).join('');
  assert.equal(expected.split('\n').length, 5);
  assert.equal(run(example, 'module'), expected);
  const required = example.replace(/import (.*) from (.*);/, 'const $1 = require($2);');
  assert.equal(run(`(async () => {${required}})();`, 'commonjs'), expected);
});

test('`import`, `require` and the types have the same names', async () => {
  const require = createRequire(import.meta.url);
  const { exports } = JSON.parse(read('package.json'));
  const targets = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(targets));
  assert.deepEqual(targets(exports).filter((path) => !existsSync(WEB + path)), []);
  for (const [name, types] of [['carrybit', 'index'], ['carrybit/rules', 'rules']]) {
    const names = Object.keys(await import(name)).sort();
    assert.deepEqual(Object.keys(require(name)).sort(), names);
    const typed = [...read(`${types}.d.mts`).matchAll(/^export (?:function|class|const) (\w+)/gm)].map(([, word]) => word);
    assert.deepEqual(typed.filter((word) => !names.includes(word)), []);
    assert.equal(read(`${types}.d.cts`), read(`${types}.d.mts`));
  }
});

test('the engine of `require` searches', () => {
  const code = `const { Engine, parseInfo } = require('carrybit');
    (async () => {
      const engine = await Engine.load();
      console.log((await engine.analyse('7k/8/8/8/8/8/R7/1R4K1 w - - 0 1', { depth: 4 }).best).bestmove.length, parseInfo('info depth 3').depth);
      engine.terminate();
    })();`;
  assert.equal(run(code, 'commonjs'), '4 3\n');
});

test('castling is the move of the king, and king takes rook where Chess960 needs it or on request', () => {
  const fen = 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1';
  const castle = (position) => ['O-O', 'O-O-O'].map((text) => position.find(text)).map(({ uci, to }) => [uci, to]);
  assert.deepEqual(castle(new Position(fen)), [['e1g1', 'g1'], ['e1c1', 'c1']]);
  const position = new Position(fen, { chess960: true });
  assert.deepEqual(castle(position), [['e1h1', 'h1'], ['e1a1', 'a1']]);
  assert.equal(position.play('Ke2').play('O-O').find('Kd3').uci, 'e2d3');
  assert.deepEqual(castle(new Position('4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1')), [['e1g1', 'g1'], ['e1b1', 'b1']]);
  for (const text of ['e1g1', 'e1h1', 'O-O', '0-0']) {
    assert.equal(new Position(fen).play(text).fen, 'r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1');
  }
  assert.throws(() => new Position(fen).play('e1e3'), /e1e3 is not a legal move in r3k2r/);
});

test('games are written as they were read', () => {
  const text = `[Event "A \\"b\\" \\\\"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "?"]
[Black "?"]
[Result "1-0"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1"]

{ first } { start } 1. O-O-O $1 { [%clk 0:01] } (1. e4 -- (1... Ke7 $2 2. e5) 2.
e5 Kd8 { n }) 1... Ke7
; a } b
2. e4 -- 3. e5 1-0
`;
  const [game, bad, ...others] = readGames(`${text}\n[White "X"]\n\n1. e5 *\n`);
  assert.equal(writeGame(game), text);
  assert.deepEqual([bad.tags, bad.moves, others], [{ White: 'X' }, [], []]);
  assert.match(bad.problem, /^line \d+: move 1\. e5 is not legal/);
  assert.deepEqual([...readGames(new TextEncoder().encode(text))], [game]);
  const [, none] = game.moves[0].variations[0].moves;
  assert.deepEqual([none.fen, none.uci, none.from, none.to], ['4k3/8/8/8/4P3/8/8/R3K3 w Q - 1 2', '0000', '', '']);
  assert.match(writeGame({ moves: ['--', '0000', 'Z0', 'e5'] }), /\n1\. -- -- 2\. -- e5 \*\n$/);
  assert.throws(() => writeGame({ moves: ['e4', 'e4'] }), /e4 is not a legal move/);
  const moved = writeGame({ tags: { FEN: '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1', SetUp: '1', Variant: 'Chess960' }, moves: ['e4', 'e5'] });
  assert.doesNotMatch(moved, /FEN|SetUp|Variant/);
  const named = writeGame({ tags: { Größe: 'x', '!': 'y' } });
  assert.match(named, /\n\[Größe "x"\]\n\[Result "\*"\]\n\n\*\n$/);
  assert.equal([...readGames(named)][0].tags.Größe, 'x');
  for (const wrong of ['?', '0-0', 'White wins']) {
    assert.equal([...readGames(`[Result "${wrong}"]\n\n1. e4\n`)][0].result, '*');
  }
  const wild = writeGame({ fen: start960(0), moves: ['g3'], comments: ['a\n[Event "b"]'], tags: { White: 'x\n[Result "1-0"]' } });
  const [again, last] = readGames(wild);
  assert.deepEqual([again.tags.Variant, again.fen, again.moves.length, again.result, last], ['Chess960', start960(0), 1, '*', undefined]);
  const [{ moves }] = readGames('1. e4 -- 2. d4 *');
  assert.deepEqual(outcomes({ moves: moves.map(({ uci }) => uci) }), [null, null]);
  assert.deepEqual(outcomes({ moves: again.moves.map(({ uci }) => uci), fen: again.fen }), [null, null]);
});
