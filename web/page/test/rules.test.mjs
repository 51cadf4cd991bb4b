// Compares the rules of the page with those of the engine. (tests/board covers the rules themselves.)

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { ends, play, readBoard, writeBoard } from '../../../src/analyse/page/viewer.mjs';
import { Engine } from '../../index.mjs';
import { Clock } from '../src/clock.mjs';
import { Game } from '../src/game.mjs';
import { Position, start960, START } from '../src/rules.mjs';

const engine = await Engine.load();
after(() => engine.terminate());
await engine.setOption('UCI_Chess960', true);

/** The engine's answer to commands, up to the line that begins with `end`. */
function ask(commands, end) {
  return new Promise((resolve) => {
    const lines = [];
    const off = engine.onLine((line) => {
      lines.push(line);
      if (line.startsWith(end)) {
        off();
        resolve(lines);
      }
    });
    engine.send(commands);
  });
}

/** A pseudo-random generator of integers below a limit. */
function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * limit);
  };
}

test('random games have the same moves and positions in the engine, and the viewer moves the pieces alike', async () => {
  const next = numbers(18);
  let castled = 0;
  const starts = [START, START, ...[0, ...Array.from({ length: 3 }, () => next(960))].map(start960)];
  for (const start of [...starts, '4k3/P1P5/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1']) {
    const game = new Game(new Position(start));
    while (game.length < 60 && !game.verdict) {
      const { moves, fen } = game.last;
      const lines = await ask(`position fen ${fen}\nperft 1`, 'Nodes searched');
      const expected = lines.map((line) => /^(\w+): 1$/.exec(line)?.[1]).filter(Boolean).sort();
      assert.deepEqual(moves.map(({ uci }) => uci).sort(), expected, fen);
      for (const move of moves) {
        const board = readBoard(fen);
        play(board, move.uci);
        assert.equal(writeBoard(board), move.fen.split(' ')[0], `${fen} ${move.uci}`);
        assert.deepEqual(ends(move), [move.from, move.castled ?? move.to]);
      }
      const castling = moves.filter((move) => move.castled);
      castled += castling.length > 0 ? 1 : 0;
      // Prefer castling, which is rare in random games.
      const move = castling.length > 0 && next(3) > 0 ? castling[0] : moves[next(moves.length)];
      assert.deepEqual([move.uci, move.san].map((text) => game.last.find(text)), [move, move]);
      game.play(move);
    }
    const { fen, moves } = game.forEngine();
    const [last] = (await ask(`position fen ${fen} moves ${moves.join(' ')}\nd`, 'Fen: ')).slice(-1);
    assert.equal(last, `Fen: ${game.last.fen}`);
  }
  assert.ok(castled > 5, `${castled}`);
});

test('lines are converted up to the first illegal move', () => {
  assert.deepEqual(new Position().sans(['e2e4', 'e7e5', 'e1e2', 'a7a5', 'e2e4']), ['e4', 'e5', 'Ke2', 'a5']);
  assert.deepEqual(new Position().sans([]), []);
  assert.equal(new Position().find('e2e5'), undefined);
});

test('games end by the rules, and draws can be claimed before', () => {
  const rook = (clock) => `7k/8/8/8/8/8/R7/K7 w - - ${clock} 80`;
  const shuffle = (count) => 'Nf3 Nf6 Ng1 Ng8 '.repeat(count).trim();
  for (const [fen, moves, claim, end] of [
    [START, 'f3 e5 g4 Qh4', undefined, '0-1 checkmate'],
    [rook(98), 'Rb2', undefined, undefined],
    [rook(99), 'Rb2', '1/2-1/2 fifty-move rule', undefined],
    [rook(149), 'Rb2', '1/2-1/2 fifty-move rule', '1/2-1/2 seventy-five-move rule'],
    [START, shuffle(3), '1/2-1/2 threefold repetition', undefined],
    [START, shuffle(4), '1/2-1/2 threefold repetition', '1/2-1/2 fivefold repetition'],
  ]) {
    const game = new Game(new Position(fen));
    moves.split(' ').forEach((text) => game.play(game.last.find(text)));
    const words = (verdict) => verdict?.result && `${verdict.result} ${verdict.reason}`;
    assert.deepEqual([game.claim, game.end, game.verdict].map(words), [claim, end, end ?? claim], moves);
  }
});

test('a move after the flag has fallen loses, even before the next tick', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const flags = [];
  const clock = new Clock(200, 1000, { onTick() {}, onFlag: (color) => flags.push(color) });
  clock.run('w');
  now += 199;
  assert.ok(clock.moved());
  assert.equal(clock.left('w'), 1001);
  clock.run('b');
  now += 200;
  assert.equal(clock.moved(), false);
  assert.deepEqual([flags, clock.left('b')], [['b'], 0]);
});

test('losing on time against a king alone is a draw', () => {
  const game = new Game(new Position('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'));
  assert.equal(game.verdictOnTime('w').result, '1/2-1/2');
  assert.deepEqual(game.verdictOnTime('b'), { result: '1-0', reason: 'time' });
});
