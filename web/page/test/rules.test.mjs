// Compares the rules of the page with those of the engine. (tests/board covers the rules themselves.)

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';

import { ends, play, readBoard, writeBoard } from '../../../src/analyse/page/viewer.mjs';
import { Engine } from '../../index.mjs';
import { Clock } from '../src/clock.mjs';
import { Game } from '../src/game.mjs';
import { Position, start960, START } from '../src/rules.mjs';

const engine = await Engine.load();
after(() => engine.terminate());
await engine.setOption('UCI_Chess960', true);

/** The engine's answer to a command, up to the line that begins with `end`. */
function ask(command, end) {
  return new Promise((resolve) => {
    const lines = [];
    const off = engine.onLine((line) => {
      lines.push(line);
      if (line.startsWith(end)) {
        off();
        resolve(lines);
      }
    });
    engine.send(command);
  });
}

async function engineMoves(fen) {
  engine.send(`position fen ${fen}`);
  const lines = await ask('perft 1', 'Nodes searched');
  return lines.map((line) => /^(\w+): 1$/.exec(line)?.[1]).filter(Boolean).sort();
}

/** A pseudo-random generator of integers below a limit. */
function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * limit);
  };
}

test('positions of random games have the same moves as in the engine', async () => {
  const next = numbers(18);
  let castled = 0;
  for (let round = 0; round < 6; round++) {
    const game = new Game(new Position(round % 4 === 0 ? START : start960(next(960))));
    while (game.length < 60 && !game.verdict) {
      const { moves, fen } = game.last;
      const found = moves.map(({ uci }) => uci).sort();
      assert.deepEqual(found, await engineMoves(fen), fen);
      const castling = moves.filter((move) => move.castled);
      castled += castling.length > 0 ? 1 : 0;
      for (const move of [moves[game.length % moves.length], ...castling]) {
        assert.deepEqual(game.last.find(move.uci), move);
        assert.deepEqual(game.last.find(move.san), move);
      }
      // Prefer castling, which is rare in random games.
      game.play(castling.length > 0 && next(3) > 0 ? castling[0] : moves[next(moves.length)]);
    }
  }
  assert.ok(castled > 5, `${castled}`);
});

test('the viewer moves the pieces according to the rules', () => {
  const next = numbers(7);
  for (const fen of [START, start960(0), start960(next(960)), '4k3/P1P5/8/3pP3/8/8/8/R3K2R w KQ d6 0 1']) {
    for (const game = new Game(new Position(fen)); game.length < 80 && !game.verdict; ) {
      const { moves, fen: here } = game.last;
      for (const move of moves) {
        const board = readBoard(here);
        play(board, move.uci);
        assert.equal(writeBoard(board), move.fen.split(' ')[0], `${here} ${move.uci}`);
        const [from, to] = ends(move);
        assert.deepEqual([from, to], [move.from, move.castled ?? move.to]);
      }
      game.play(moves[next(moves.length)]);
    }
  }
});

test('the engine reaches the same position by the same moves', async () => {
  const next = numbers(960);
  const game = new Game(new Position(start960(next(960))));
  while (game.length < 80 && !game.verdict) {
    game.play(game.last.moves[next(game.last.moves.length)]);
    const { fen, moves } = game.forEngine();
    engine.send(`position fen ${fen} moves ${moves.join(' ')}`);
    const lines = await ask('d', 'Fen: ');
    assert.equal(`Fen: ${game.last.fen}`, lines.at(-1));
  }
});

test('lines are converted up to the first illegal move', () => {
  assert.deepEqual(new Position().sans(['e2e4', 'e7e5', 'e1e2', 'a7a5', 'e2e4']), ['e4', 'e5', 'Ke2', 'a5']);
  assert.deepEqual(new Position().sans([]), []);
  assert.equal(new Position().find('e2e5'), undefined);
});

test('moves are found in any notation', () => {
  const position = new Position('r3k2r/1P6/8/3pP3/8/2N5/8/R3K1NR w KQkq d6 0 1');
  for (const [text, expected] of [
    ['0-0-0', 'e1a1'], ['e1c1', 'e1a1'], ['exd6 e.p.', 'e5d6'], ['b7a8R', 'b7a8r'], ['b8', 'b7b8q'],
    ['Ng1-f3!', 'g1f3'], ['Ne2', undefined], ['Nd4', undefined], ['', undefined],
  ]) {
    assert.equal(position.find(text)?.uci, expected, text);
  }
});

test('games end by the rules, and draws can be claimed before', () => {
  const quiet = (count) => `1/2-1/2 ${count} moves without capture or pawn move`;
  const [threefold, fivefold] = ['three', 'five'].map((count) => `1/2-1/2 ${count}fold repetition`);
  const rook = (clock) => `7k/8/8/8/8/8/R7/K7 w - - ${clock} 80`;
  const shuffle = (count) => 'Nf3 Nf6 Ng1 Ng8 '.repeat(count).trim();
  for (const [fen, moves, claim, end] of [
    [START, 'f3 e5 g4 Qh4', undefined, '0-1 checkmate'],
    ['7k/8/8/8/8/8/5Q2/K7 w - - 0 1', 'Qf7', undefined, '1/2-1/2 stalemate'],
    ['7k/8/8/8/8/8/1n6/KB6 w - - 0 1', 'Kxb2', undefined, '1/2-1/2 insufficient material'],
    [rook(98), 'Rb2', undefined, undefined],
    [rook(99), 'Rb2', quiet('fifty'), undefined],
    [rook(149), 'Rb2', quiet('fifty'), quiet('seventy-five')],
    [START, shuffle(1), undefined, undefined],
    [START, shuffle(3), threefold, undefined],
    [START, shuffle(4), threefold, fivefold],
  ]) {
    const game = new Game(new Position(fen));
    moves.split(' ').forEach((text) => game.play(game.last.find(text)));
    const words = (verdict) => verdict && `${verdict.result} ${verdict.reason}`;
    assert.deepEqual([game.claim, game.end, game.verdict].map(words), [claim, end, end ?? claim], moves);
  }
});

/** Replaces the time: returns a function that lets milliseconds pass. */
function controlTime(t) {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  return (milliseconds) => {
    now += milliseconds;
  };
}

test('a move after the flag has fallen loses, even before the next tick', (t) => {
  const pass = controlTime(t);
  const flags = [];
  const clock = new Clock(200, 1000, { onTick() {}, onFlag: (color) => flags.push(color) });
  clock.run('w');
  pass(199);
  assert.ok(clock.moved());
  assert.equal(clock.left('w'), 1001);
  clock.run('b');
  pass(200);
  assert.equal(clock.moved(), false);
  assert.deepEqual([flags, clock.left('b')], [['b'], 0]);
});

test('taking back restores both clocks', (t) => {
  const pass = controlTime(t);
  const clock = new Clock(1000, 500, { onTick() {}, onFlag: assert.fail });
  for (const color of ['w', 'b', 'w']) {
    clock.run(color);
    pass(20);
    clock.moved();
  }
  const { turns } = clock.stored;
  assert.deepEqual(turns[1], { w: 1480, b: 1000 });
  clock.run('b');
  pass(20);
  clock.takeBack(1);
  assert.deepEqual(clock.stored.turns, [turns[0], turns[1], turns[1]]);
  clock.takeBack(0);
  assert.deepEqual([clock.left('w'), clock.left('b')], [1000, 1000]);
});

test('losing on time against a king alone is a draw', () => {
  const game = new Game(new Position('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'));
  assert.equal(game.verdictOnTime('w').result, '1/2-1/2');
  assert.deepEqual(game.verdictOnTime('b'), { result: '1-0', reason: 'time' });
  assert.equal(new Game().verdictOnTime('w').result, '0-1');
});

test('invalid positions are refused with the reason, and by the engine as well', async () => {
  for (const [fen, reason] of [
    ['8/8/8/8/8/8/8/8 w - - 0 1', /king/],
    ['4k3/8/8/8/8/8/4R3/4K3 w - - 0 1', /in check/],
    ['4k3/8/3N1N2/1B2R3/8/8/8/4K3 b - - 0 1', /more than two/],
  ]) {
    assert.throws(() => new Position(fen), reason, fen);
    await assert.rejects(engine.analyse(fen, { depth: 1 }).best, fen);
  }
  assert.equal(new Position('4k3/8/8/8/8/8/8/4K3').fen, '4k3/8/8/8/8/8/8/4K3 w - - 0 1');
});

test('start positions of Chess960 have their numbers', () => {
  assert.equal(start960(518), START);
  const rows = readFileSync(new URL('../../../tests/data/startpos960.csv', import.meta.url), 'utf8').trim().split('\n').slice(1);
  assert.equal(rows.length, 960);
  for (const row of rows) {
    const [number, fen, shredder] = row.split(',');
    assert.ok([fen, shredder].includes(start960(Number(number))), row);
  }
});
