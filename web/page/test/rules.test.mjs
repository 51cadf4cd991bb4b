// The rules of the page are those of the engine.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { ends, play, readBoard, writeBoard } from '../../../analyse/src/page/viewer.mjs';
import { Engine } from '../../index.mjs';
import { Game } from '../src/game.mjs';
import { Position, start960, START } from '../src/rules.mjs';

const engine = await Engine.load();
after(() => engine.terminate());
await engine.setOption('UCI_Chess960', true);

/** What the engine answers to a command, up to the line that begins like this. */
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

/** The moves that the engine knows in a position. */
async function engineMoves(fen) {
  engine.send(`position fen ${fen}`);
  const lines = await ask('perft 1', 'Nodes searched');
  return lines.map((line) => /^(\w+): 1$/.exec(line)?.[1]).filter(Boolean).sort();
}

/** A generator of numbers below a limit, the same in each run. */
function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * limit);
  };
}

test('games at random have the moves that the engine knows, castling included', async () => {
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
      // Castling is rare at random; most of the time it is not left out here.
      game.play(castling.length > 0 && next(3) > 0 ? castling[0] : moves[next(moves.length)]);
    }
  }
  assert.ok(castled > 5, `${castled}`);
});

test('the viewer moves the pieces as the rules do', () => {
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

test('the same positions come out of the same moves', async () => {
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

test('castling needs a free way that is not attacked, and the rook it was meant for', () => {
  const castlings = (fen) => new Position(fen).moves.filter((move) => move.castled).map(({ san, uci }) => `${san} ${uci}`);
  assert.deepEqual(castlings('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1'), ['O-O e1h1', 'O-O-O e1a1']);
  assert.deepEqual(castlings('r3k2r/8/8/8/8/5q2/8/R3K2R w KQkq - 0 1'), []);
  assert.deepEqual(castlings('4k3/8/8/8/8/8/8/RR2K3 w B - 0 1'), ['O-O-O e1b1']);
  assert.deepEqual(castlings('4k3/8/8/8/8/8/8/RR2K3 w Q - 0 1'), []);
  // The rook shields its king, until it castles.
  assert.deepEqual(castlings('4k3/8/8/8/8/8/8/qRK5 w Q - 0 1'), []);
  assert.deepEqual(castlings('4k3/8/8/8/8/8/8/1RK5 w Q - 0 1'), ['O-O-O c1b1']);
  // King and rook may change places, and castling may give mate.
  const swapped = new Position('4k3/8/8/8/8/8/8/5KR1 w G - 0 1');
  assert.equal(swapped.after(swapped.find('O-O')).fen, '4k3/8/8/8/8/8/8/5RK1 b - - 1 1');
  assert.equal(new Position('5k2/R7/8/1B6/2B5/8/8/4K2R w K - 0 1').find('0-0').san, 'O-O#');
});

test('where castling is all that can be played, the game goes on', () => {
  const position = new Position('4r1k1/8/8/8/8/6p1/6P1/5KRB w G - 0 1');
  assert.equal(position.verdict, undefined);
  assert.deepEqual(position.moves.map(({ san }) => san), ['O-O']);
});

test('lines are read as far as they are legal', () => {
  assert.deepEqual(new Position().sans(['e2e4', 'e7e5', 'e1e2', 'a7a5', 'e2e4']), ['e4', 'e5', 'Ke2', 'a5']);
  assert.deepEqual(new Position().sans([]), []);
  assert.equal(new Position().find('e2e5'), undefined);
});

test('rights are kept, lost and written as X-FEN', () => {
  const play = (fen, ...moves) => moves.reduce((at, text) => at.after(at.find(text)), new Position(fen)).fen.split(' ')[2];
  assert.equal(play(START, 'e4', 'e5', 'Ke2'), 'kq');
  assert.equal(play('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1', 'Rxa8'), 'Kk');
  assert.equal(play('1r2k1r1/8/8/8/8/8/8/1R2K1RR w GBgb - 0 1'), 'GQkq');
  assert.equal(play('1r2k1r1/8/8/8/8/8/8/1R2K1RR w GBgb - 0 1', 'Rh2'), 'KQkq');
  assert.equal(play('4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1'), '-');
});

test('moves are understood however people write them', () => {
  const position = new Position('r3k2r/1P6/8/3pP3/8/2N5/8/R3K1NR w KQkq d6 0 1');
  const uci = (text) => position.find(text)?.uci;
  for (const [text, expected] of [
    ['O-O-O', 'e1a1'], ['0-0-0', 'e1a1'], ['o-o-o', 'e1a1'], ['e1c1', 'e1a1'], ['e1a1', 'e1a1'],
    ['exd6', 'e5d6'], ['exd6 e.p.', 'e5d6'], ['e5-d6', 'e5d6'], ['e5xd6', 'e5d6'],
    ['bxa8=N', 'b7a8n'], ['b7a8R', 'b7a8r'], ['b8', 'b7b8q'], ['b8=Q+', 'b7b8q'],
    ['Nf3', 'g1f3'], ['nf3', 'g1f3'], ['Ng1f3', 'g1f3'], ['Ngf3', 'g1f3'], ['Ng1-f3!', 'g1f3'],
    ['Nge2', 'g1e2'], ['Ne2', undefined], ['Nd4', undefined], ['', undefined], ['e4', undefined],
  ]) {
    assert.equal(uci(text), expected, text);
  }
});

test('games end by the rules', () => {
  const end = (fen, ...moves) => {
    const game = new Game(new Position(fen));
    moves.forEach((text) => game.play(game.last.find(text)));
    return game.verdict && `${game.verdict.result} ${game.verdict.reason}`;
  };
  assert.equal(end(START, 'f3', 'e5', 'g4', 'Qh4'), '0-1 checkmate');
  assert.equal(end('7k/5Q2/8/8/8/8/8/K7 b - - 0 1'), '1/2-1/2 stalemate');
  assert.match(end('7k/8/8/8/8/8/8/KB6 w - - 0 1'), /material/);
  assert.match(end('7k/8/8/8/8/8/R7/K7 w - - 99 80', 'Rb2'), /fifty/);
  const there = ['Nf3', 'Nf6', 'Ng1', 'Ng8'];
  assert.equal(end(START, ...there), undefined);
  assert.match(end(START, ...there, ...there), /threefold/);
});

test('a draw that is not claimed does not end a game', () => {
  const after = (fen, ...moves) => {
    const game = new Game(new Position(fen));
    moves.forEach((text) => game.play(game.last.find(text)));
    return [game.claim?.reason, game.end?.reason];
  };
  const [fifty, seventyFive] = ['fifty', 'seventy-five'].map((count) => `${count} moves without capture or pawn move`);
  const rook = (clock) => `7k/8/8/8/8/8/R7/K7 w - - ${clock} 80`;
  assert.deepEqual(after(rook(98), 'Rb2'), [undefined, undefined]);
  assert.deepEqual(after(rook(99), 'Rb2'), [fifty, undefined]);
  assert.deepEqual(after(rook(149), 'Rb2'), [fifty, seventyFive]);
  const there = ['Nf3', 'Nf6', 'Ng1', 'Ng8'];
  const threefold = 'threefold repetition';
  assert.deepEqual(after(START, ...there, ...there, ...there), [threefold, undefined]);
  assert.deepEqual(after(START, ...there, ...there, ...there, ...there), [threefold, 'fivefold repetition']);
});

test('time lost against a king alone is a draw', () => {
  const game = new Game(new Position('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'));
  assert.equal(game.verdictOnTime('w').result, '1/2-1/2');
  assert.deepEqual(game.verdictOnTime('b'), { result: '1-0', reason: 'time' });
  assert.equal(new Game().verdictOnTime('w').result, '0-1');
});

test('what is no position is refused with the reason, and by the engine as well', async () => {
  for (const [fen, reason] of [
    ['8/8/8/8/8/8/8/8 w - - 0 1', /king/],
    ['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w - - 0 1', /ranks/],
    ['4k3/8/8/8/8/8/4R3/4K3 w - - 0 1', /in check/],
    ['P3k3/8/8/8/8/8/8/4K3 w - - 0 1', /pawn/],
    ['4k3/8/8/8/8/8/8/4K3 x - - 0 1', /side to move/],
    ['4k3/8/8/8/QQQQ4/QQQQ4/QQQQ4/QQQQK3 w - - 0 1', /White has more than 16 men/],
    ['4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1', /Black has more than 8 pawns/],
    ['4k3/3N1N2/8/1B2R3/8/8/8/4K3 b - - 0 1', undefined],
    ['4k3/8/3N1N2/1B2R3/8/8/8/4K3 b - - 0 1', /more than two/],
  ]) {
    const isRight = reason === undefined;
    if (isRight) {
      assert.doesNotThrow(() => new Position(fen), fen);
    } else {
      assert.throws(() => new Position(fen), reason, fen);
    }
    const answer = engine.analyse(fen, { depth: 1 }).best;
    await (isRight ? answer : assert.rejects(answer, fen));
  }
  assert.equal(new Position('4k3/8/8/8/8/8/8/4K3').fen, '4k3/8/8/8/8/8/8/4K3 w - - 0 1');
  assert.equal(new Position('4k3/8/8/8/8/8/8/4K3 b - - 3 0').fen, '4k3/8/8/8/8/8/8/4K3 b - - 3 1');
});

test('positions of Chess960 have their numbers', () => {
  assert.equal(start960(518), START);
  assert.match(start960(0), /BBQNNRKR/);
  assert.match(start960(959), /RKRNNQBB/);
  assert.equal(new Set(Array.from({ length: 960 }, (_, number) => start960(number))).size, 960);
});
