// Annotates games as `analyse` does. (Tests of crates/pgn cover reading and judging; trouble.test.mjs reads large
// files.)

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { lineFrom, listTree, plant } from '../../../src/analyse/page/viewer.mjs';
import { Game } from '../src/game.mjs';
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
    assert.ok(await games.study(engine, { nodes: NODES }));
    const analysed = games.annotate().nodes.filter(({ analysis }) => analysis);
    assert.equal(analysed.length, lineFrom(plant(game).root).length);
    texts.push(games.write());
  }
  engine.terminate();
  assert.match(expected, /\$[246] .*was best/s);
  // Between releases, an optimised build also names its commit.
  assert.equal(texts.join('\n').replaceAll(/-dev\+[0-9a-f]{8}/g, '-dev'), expected);
});

/** The collection of PGN files beside the project, or in the folder that CARRYBIT_PGN names; see crates/pgn/src/tests.rs. */
const COLLECTION = process.env.CARRYBIT_PGN ?? fileURLToPath(new URL('../../../../shared/data/pgn', import.meta.url));

/** The bytes of all PGN files. */
function* files() {
  yield Buffer.from(GAMES);
  const names = existsSync(COLLECTION) ? readdirSync(COLLECTION, { recursive: true }) : [];
  yield* names.filter((name) => /\.pgn(\.gz)?$/.test(name)).map((name) => readFileSync(join(COLLECTION, name)));
}

/** The readable games of a file. */
async function* trees(bytes) {
  const [games, listed] = [new Games(), []];
  await games.load(new Blob([bytes]), 0);
  await inSlices(games.listing(({ problem }) => listed.push(problem)));
  for (const number of listed.keys()) {
    // A game with an illegal move is refused.
    const data = listed[number] === null && (await inSlices(games.playing(number)).catch(() => false));
    if (data) {
      yield Game.from(data);
    }
  }
}

/** A tree for a comparison. White space and empty comments do not matter. */
function comparable({ tags, result, root }) {
  const text = (words) => words.replace(/\s+/g, ' ').trim();
  const texts = (list = []) => list.map(text).filter(Boolean);
  const rows = listTree(root).map(({ node, depth }) => {
    const { san, uci, nags, before, comments, verbatim, clock, squares, arrows } = node;
    return JSON.stringify([depth, san, uci, nags, texts(before), texts(comments), texts(verbatim), clock, squares, arrows]);
  });
  return { tags: tags.map(([name, value]) => [name, text(value)]), result, fen: root.fen, rows };
}

test('variations that begin with the same move are all found', async () => {
  const text = Buffer.from('[Event "E"]\n\n1. e4 (1. d4 d5) (1. d4 Nf6 2. c4) e5 (1... e5 2. Nc3) 2. Nf3 *\n');
  const [{ value: game }, { value: same }] = await Promise.all([trees(text).next(), trees(text).next()]);
  const fen = (tree, node) => node && tree.position(node).fen;
  for (const { node } of listTree(same.root)) {
    assert.equal(fen(game, game.matching(same, node)), fen(same, node));
  }
  for (const [moves, isThere] of [['d4,d5', true], ['d4,Nf6,c4', true], ['e4,e5,Nc3', true], ['d4,e5', false], ['d4,d5,c4', false]]) {
    const line = Game.at(`moves=${moves}`);
    assert.equal(fen(game, game.matching(line, line.tip)), isThere ? line.last.fen : undefined, moves);
  }
});

test('games written by the page are read as equal trees', async () => {
  let count = 0;
  for (const bytes of files()) {
    const games = [];
    for await (const game of trees(bytes)) {
      games.push(game);
    }
    for await (const again of trees(Buffer.from(games.map(({ pgn }) => pgn).join('\n')))) {
      const game = games.shift();
      assert.deepEqual(comparable(again), comparable(game), game.pgn);
      // As a reload restores it.
      assert.deepEqual(comparable(Game.from(JSON.parse(JSON.stringify(game.data)))), comparable(game));
      count += 1;
    }
    assert.equal(games.length, 0);
  }
  assert.ok(count > 2, `${count}`);
});

test('a tree is changed, and addressed', () => {
  const game = new Game();
  const play = (node, ...texts) => texts.reduce((at, text) => game.add(at, [game.position(at).find(text)]), node);
  const nf3 = play(game.root, 'e4', 'e5', 'Nf3');
  const c5 = play(nf3.parent.parent, 'c5');
  play(c5, 'Nf3', 'd6');
  assert.equal(play(game.root, 'e4', 'e5', 'Nf3'), nf3);
  assert.match(game.pgn, /\n1\. e4 e5 \(1\.\.\. c5 2\. Nf3 d6\) 2\. Nf3 \*\n$/);
  game.promote(c5);
  game.note(c5, 'Sicilian');
  game.draw(c5, ['Gc5', 'Rg1f3']);
  assert.match(game.pgn, /1\. e4 c5 \{ \[%csl Gc5\] \[%cal Rg1f3\] Sicilian \} \(1\.\.\. e5 2\. Nf3\) 2\. Nf3 d6 \*/);
  for (const typed of ['[%csl Ga1', '[%csl Ga1] hello']) {
    game.note(c5, typed);
  }
  assert.deepEqual(c5.comments, ['[%csl Gc5] [%cal Rg1f3] hello']);
  game.mark(c5, 5);
  assert.match(game.pgn, /1\. e4 c5 \$5 \{/);
  game.mark(c5, 0);
  game.note(c5, '');
  assert.deepEqual(c5.comments, ['[%csl Gc5] [%cal Rg1f3]']);
  const address = game.address(nf3);
  assert.equal(address, '?moves=e2e4_e7e5_g1f3');
  assert.equal(game.address(game.root), '?moves=');
  assert.equal(Game.at('moves=').length, 0);
  const linked = Game.at(address.slice(1));
  assert.equal(game.matching(linked, linked.tip), nf3);
  // A tree without a remark or a tag of the game is not that game.
  for (const change of [(one) => one.mark(one.tip, 4), (one) => one.note(one.root, 'Before'), (one) => { one.tags = [['White', 'W']]; }]) {
    const other = Game.at(address.slice(1));
    change(other);
    assert.equal(game.matching(other, other.tip), undefined);
    assert.equal(other.matching(other, other.tip), other.tip);
  }
  game.remove(nf3.parent);
  assert.equal(game.matching(linked, linked.tip), undefined);
  c5.comments = ['[%csl\nGa1] hello'];
  game.draw(c5, []);
  assert.deepEqual(c5.comments, ['hello']);
  assert.equal(Game.at('fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1&moves=O-O').last.fen, '4k3/8/8/8/8/8/8/5RK1 b - - 1 1');
  for (const wrong of ['fen=8/8_w', 'moves=e2e5', 'fen=%']) {
    assert.throws(() => Game.at(wrong), Error, wrong);
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
