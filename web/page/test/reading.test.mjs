// PGN as people and programs write it, files however they are encoded, and large inputs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { removing } from '../src/earlier.mjs';
import { bytesOf, decoding } from '../src/file.mjs';
import { Game } from '../src/game.mjs';
import { readGames, readPgn, writePgn } from '../src/pgn.mjs';
import { Position, START } from '../src/rules.mjs';
import { atOnce, inSlices } from '../src/slices.mjs';
import { findings, replay, study } from '../src/study.mjs';

/** The longest that an input may take whose size is told, in milliseconds; with the square of its size it takes minutes. */
const PATIENCE_MS = 8000;

/** The moves of a text's only game as SAN, its result behind them. */
function played(text) {
  const [game, ...more] = readPgn(text);
  assert.deepEqual(more, [], text);
  replay(game);
  return [...game.moves.map((ply) => [ply.text, ...ply.nags.map((nag) => `$${nag}`)].join(' ')), game.result].join(' ');
}

/** The reason why a text's only game cannot be played. */
function refusal(text) {
  const games = readGames(text);
  assert.equal(games.length, 1, text);
  if (games[0].problem) {
    return games[0].problem.message;
  }
  try {
    replay(games[0]);
    return undefined;
  } catch (error) {
    return error.message;
  }
}

test('moves and results in any customary notation are read', () => {
  for (const [text, expected] of [
    ['1. e4 d5 2. e5 f5 3. exf6ep *', 'e4 d5 e5 f5 exf6 *'],
    ['1. e4 d5 2. e5 f5 3. exf6 ep *', 'e4 d5 e5 f5 exf6 *'],
    ['1. e4 d5 2. e5 f5 3. exf6e.p.! *', 'e4 d5 e5 f5 exf6 $1 *'],
    ['1. e4 d5 2. e5 f5 3. ef e.p. *', 'e4 d5 e5 f5 exf6 *'],
    ['1. d4 d5 1:0', 'd4 d5 1-0'],
    ['1. d4 d5 0 - 1', 'd4 d5 0-1'],
    ['1. d4 d5 1–0', 'd4 d5 1-0'],
    ['1. d4 d5 1/2:1/2', 'd4 d5 1/2-1/2'],
    ['1. d4 d5 ½–½', 'd4 d5 1/2-1/2'],
    ['1. e4 e5 2. Nf3 N *', 'e4 e5 Nf3 $146 *'],
    ['1. e4N e5 2. Nf3± Nc6+- *', 'e4 $146 e5 Nf3 $16 Nc6 $18 *'],
    ['1. e4= e5+/- 2. Bc4 Bc5 3. Qh5 += g6?! 4. Qf3+- *', 'e4 $10 e5 $16 Bc4 Bc5 Qh5 $14 g6 $6 Qf3 $18 *'],
    ['1. e2-e4 e7e5 2. Ng1-f3 nb8c6 3. Bf1-b5! (±) a6 4. B:c6 dc6: [%clk 0:01] 1-0 White wins', 'e4 e5 Nf3 Nc6 Bb5 $1 a6 Bxc6 dxc6 1-0'],
    ['1. f3 e5 2. g4 Qh4 mate 0-1', 'f3 e5 g4 Qh4# 0-1'],
    ['1. f3 e5 2. g4 Qh4mate', 'f3 e5 g4 Qh4# '],
    ['1. f3 e5 2. g4 Qh4++ 0-1', 'f3 e5 g4 Qh4# 0-1'],
    ['1. f3 e5 2. g4 Qh4 ++ 0-1', 'f3 e5 g4 Qh4# 0-1'],
    ['1. e4 d5 2. Bb5 ch. c6 *', 'e4 d5 Bb5+ c6 *'],
    ['1. ♙e4 ♞f6 2. ♘c3 e5 *', 'e4 Nf6 Nc3 e5 *'],
    ['1. e4 -- 2. d4 Z0 3. c4 null *', 'e4 -- d4 -- c4 -- *'],
    ['1. e4 pass 2. d4 NULL 3. c4 @@@@ *', 'e4 -- d4 -- c4 -- *'],
    ['1. e4 ‼ e5 ⁈ (=) 2. Nf3 zug & … d6 *', 'e4 $3 e5 $6 Nf3 d6 *'],
    ['1. e4, e5; a remark\n2. "Nf3" Nc6 *', 'e4 e5 Nf3 Nc6 *'],
    ['1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0–0 OO *', 'Nf3 Nf6 g3 g6 Bg2 Bg7 O-O O-O *'],
  ]) {
    assert.equal(played(text).trim(), expected.trim(), text);
  }
  const promotions = '[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"]\n\n1. ';
  for (const move of ['a8(R)', 'a8/R', 'a8R', 'a8=R+', 'a7-a8R', 'a8=Rch']) {
    assert.equal(played(`${promotions}${move} *`), 'a8=R+ *', move);
  }
});

test('a FEN that is not known is that of the initial position', () => {
  for (const fen of ['?', '', '-', ' ']) {
    assert.equal(played(`[FEN "${fen}"]\n\n1. e4 e5 *`), 'e4 e5 *');
  }
  assert.match(refusal('[Event "A"]\n[FEN "no"]\n\n1. e4 *'), /^line 2: FEN "no": /);
});

test('symbols that mean nothing are kept as comments', () => {
  const [game] = readPgn('1. e4 novelty e5 *');
  assert.equal(writePgn(game), '1. e4 { novelty } 1... e5 *\n');
  assert.deepEqual(readPgn(writePgn(game)), [game]);
});

test('tags in any order make one game', () => {
  const tags = (text) => readPgn(text).map((game) => game.tags.map(([name, value]) => name + value).join(' '));
  assert.deepEqual(tags('[White "A"]\n[Event "B"]\n\n1. e4 *\n\n[Event "C"]\n[Event "D"]\n\n*'), ['WhiteA EventB', 'EventC', 'EventD']);
  assert.deepEqual(tags('[A "x\\"] y\\\\"] [B "C:\\"]\n[C "a "b" c"]\n\n*'), ['Ax"] y\\ BC:\\ Ca "b" c']);
});

test('errors name the line they stand on', () => {
  const head = '[Event "A"]\n[Variant "B"]\n\n';
  assert.match(refusal(`${head}1. e4 *`), /^line 2: the variant B/);
  assert.match(refusal('[Event "A"]\n\n1. e4 e5\n2. Nf3 Nc6\n3. Nf9 *'), /^line 5: move 3\. Nf9 is not legal$/);
  assert.match(refusal('1. e4\n(1. d4\n(1. c4)\n*'), /^line 2: a variation is not closed$/);
  assert.match(refusal('1. e4\n{a\n\n\nb'), /^line 2: .*not closed$/);
  assert.match(refusal('1. e4 f5 2. Qh5+\n\n--'), /^line 3: move 2\.\.\. --: .*check/);
});

test('variations nested too deep are refused', () => {
  const nested = (depth) => `1. e4 ${'(1. d4 '.repeat(depth)}${')'.repeat(depth)} *`;
  assert.equal(refusal(nested(64)), undefined);
  for (const depth of [65, 1000, 100_000]) {
    const games = readGames(`[Event "A"]\n\n${nested(depth)}\n\n[Event "B"]\n\n1. e4 *`);
    assert.equal(games[0].problem?.message, 'line 3: variations are nested more than 64 deep');
    assert.equal(games[1].moves.length, 1);
  }
});

test('files are read in any encoding, and named if they are none', async () => {
  const read = async (...parts) => atOnce(decoding(await bytesOf(new Blob(parts))));
  const text = '[White "Grünfeld ♘"]\n\n1. e4 *\n';
  const utf16 = (isBig) => {
    const bytes = Buffer.from(text, 'utf16le');
    return isBig ? bytes.swap16() : bytes;
  };
  assert.equal(await read(`\uFEFF${text}`, `\uFEFF${text}`), text + text);
  assert.equal(await read(gzipSync(text)), text);
  assert.equal(await read(gzipSync(Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(false)]))), text);
  for (const isBig of [false, true]) {
    assert.equal(await read(utf16(isBig)), text);
    assert.equal(await read(isBig ? Buffer.from([0xfe, 0xff]) : Buffer.from([0xff, 0xfe]), utf16(isBig)), text);
  }
  assert.equal(await read(Buffer.from('Gr\xfcnfeld\r\n', 'latin1'), 'Grünfeld\r\r\n'), 'Grünfeld\nGrünfeld\n\n');
  for (const [beginning, name] of [['PK\x03\x04', /ZIP/], ['BZh9', /bzip2/], ['\x28\xb5\x2f\xfd', /zstd/], ['a\0\0b', /no text/], ['\xff\xfe\0\0', /UTF-32/]]) {
    await assert.rejects(read(Buffer.from(beginning, 'latin1')), name);
  }
  await assert.rejects(read(gzipSync(text).subarray(0, 20)));
  assert.equal(await read(Buffer.from('\x8aik \x96 \x84a\x93', 'latin1')), 'Šik – „a“');
  const long = 'ü'.repeat(400_000);
  assert.equal(await read(long), long);
  assert.equal(await read(Buffer.from('é\r\n'.repeat(300_000), 'utf16le')), 'é\n'.repeat(300_000));
  assert.equal(await read('é\r\n'.repeat(300_000)), 'é\n'.repeat(300_000));
});

test('text that is not UTF-8 is decoded in steps of a line', () => {
  const lines = 1000;
  const steps = decoding(Buffer.from('\xfc\n'.repeat(lines), 'latin1'));
  let count = 0;
  while (!steps.next().done) {
    count += 1;
  }
  assert.ok(count >= lines, `${count}`);
});

test('every glyph of the program is read', () => {
  const source = readFileSync(new URL('../../../pgn/src/words.rs', import.meta.url), 'utf8');
  const [, list] = /const GLYPHS[^=]*= \[(.*?)\];/s.exec(source);
  const glyphs = [...list.matchAll(/\("(.+?)", (\d+)\)/g)];
  assert.ok(glyphs.length > 50, `${glyphs.length}`);
  for (const [, glyph, nag] of glyphs) {
    assert.equal(played(`1. e4 ${glyph} e5 *`), `e4 $${nag} e5 *`, glyph);
  }
});

test('variation that cannot be played is written as it stands', () => {
  const variation = '( 1. d4!? d5  2.Qxh9\n{better} (2. c4 ) )';
  const [game] = readPgn(`1. e4 ${variation} (1. d2d4) (1. c4 e5 (1... Nf9) Nc3) e5 *`);
  replay(game);
  assert.equal(writePgn(game), `1. e4 ${variation} (1. d4) (1. c4 e5 (1... Nf9) 2. Nc3) 1... e5 *\n`);
});

test('error repeats no more than the beginning of a long tag', () => {
  const long = 'x'.repeat(100_000);
  for (const tag of ['Variant', 'FEN']) {
    const message = refusal(`[${tag} "${long}"]\n\n1. e4 *`);
    assert.match(message, /^line 1: .*xxx…/);
    assert.ok(message.length < 200, message);
  }
});

test('time to read grows with the size only', () => {
  const many = 100_000;
  for (const [name, text, games] of [
    ['games that cannot be read', '[Event "a"]\n\n1. e4 < *\n\n'.repeat(many / 2), many / 2],
    ['comments in a line', `1. e4 ${'{a} '.repeat(many)} *`, 1],
    ['comments that are not closed', `1. e4 ${'{a '.repeat(many)} *`, 1],
    ['glyphs', `1. e4 ${'$1 '.repeat(many)} *`, 1],
    ['escaped quotes', `[Event "${'\\"]'.repeat(many)}"]\n\n1. e4 *`, 1],
    ['tags that are not closed', `e4 ${'[a "'.repeat(many)}`, 1],
    ['brackets', `e4 ${'[ '.repeat(many)}`, 1],
    ['commands', `e4 ${'[% '.repeat(many)}`, 1],
    ['quotes', `[a ${'" '.repeat(many)}`, 1],
    ['blanks and dots', `1 ${' '.repeat(many)}${'. 1 '.repeat(many)} e4`, 1],
    ['a word', `1. ${'e4'.repeat(many)}`, 1],
    ['variations', `1. e4 ${'(1. d4) '.repeat(many)} *`, 1],
    ['tags', `${'[A "b"]\n'.repeat(many)}\n1. e4 *`, 1],
    ['escapes', `1. e4\n${'% a\n'.repeat(many)} *`, 1],
    ['evaluations', `1. e4 {${'[%eval 0.1] '.repeat(many)}} *`, 1],
    ['evaluations that are not closed', `1. e4 {${'[%eval '.repeat(many)}} *`, 1],
    ['digits of evaluations that are not closed', `1. e4 {${'[%eval 0.1'.repeat(many)}} *`, 1],
    ['digits of an evaluation', `1. e4 {[%eval 0.${'1'.repeat(10 * many)}x]} *`, 1],
    ['scores', `1. e4 {(${'1.'.repeat(10 * many)}} *`, 1],
    ['words of a better move', `1. e4 {(1 → 2) Mistake. ${'N'.repeat(10 * many)}} *`, 1],
    ['judgements', `1. e4 {[%eval 0.1]} ${'$2 '.repeat(many)}${'{Blunder. d4 was best.} '.repeat(many)} *`, 1],
  ]) {
    const began = performance.now();
    const read = readGames(text);
    assert.equal(read.filter(({ moves, problem }) => problem || moves.length > 0).length, games, name);
    if (!read[0].problem) {
      atOnce(removing(read[0], 'w'));
      writePgn(read[0]);
    }
    assert.ok(performance.now() - began < PATIENCE_MS, name);
  }
});

test('a long game with variations is played, and evaluated, in time that grows with its length', () => {
  const [pgn] = readPgn('Nf3 (Nc3) Nf6 (Nc6) Ng1 (Ng5) Ng8 (Ng4) '.repeat(700));
  const began = performance.now();
  const game = replay(pgn);
  const evaluations = game.positions.map(() => ({ value: { cp: 0 }, line: [] }));
  assert.equal(findings(game, evaluations).about.length, 2800);
  const sent = game.positions.map((_, ply) => game.forEngine(ply).moves.length);
  assert.equal(Math.max(...sent), 150);
  assert.ok(performance.now() - began < PATIENCE_MS);
});

test('past of a position is counted from the beginning of its stretch', async () => {
  const [pgn] = readPgn('Nf3 Nf6 Ng1 Ng8 '.repeat(50));
  const game = replay(pgn);
  const sent = new Map();
  const mind = {
    forget() {},
    search({ fen, moves }) {
      const from = game.positions.findIndex((position) => position.fen === fen);
      sent.set(from + moves.length, from);
      return {};
    },
  };
  await study(mind, game, {});
  const stretch = 8;
  const expected = game.positions.map((_, ply) => [ply, Math.max(0, ply - (ply % stretch) - 150)]);
  assert.deepEqual([...sent].sort(([one], [other]) => one - other), expected);
});

test('move that allows a claim of a draw is no mistake', () => {
  const judged = (text, ply) => {
    const [pgn] = readPgn(text);
    const game = replay(pgn);
    const evaluations = game.positions.map((_, at) => ({ value: { cp: at >= ply ? -500 : 0 }, line: [] }));
    return findings(game, evaluations).about[ply - 1].judgement?.name;
  };
  const cycles = (count) => `1. ${'Nf3 Nf6 Ng1 Ng8 '.repeat(count)} Nf3 *`;
  assert.deepEqual([judged(cycles(1), 5), judged(cycles(2), 9)], ['Blunder', undefined]);
  const quiet = (clock) => `[FEN "7k/8/8/8/8/8/R7/K7 w - - ${clock} 80"]\n\n1. Rb2 *`;
  assert.deepEqual([judged(quiet(98), 1), judged(quiet(99), 1)], ['Blunder', undefined]);
});

test('work in slices ends at once if it is short, and pauses if it is long', async () => {
  let done = 0;
  function* steps(count, milliseconds) {
    for (let step = 0; step < count; step++) {
      for (const end = performance.now() + milliseconds; performance.now() < end; );
      done += 1;
      yield;
    }
    return 'done';
  }
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  });
  assert.equal(await inSlices(steps(100, 5)), 'done');
  clearInterval(timer);
  assert.equal(done, 100);
  // All of it takes 500 ms.
  assert.ok(longest > 0 && longest < 250, `${longest}`);
  const aborted = AbortSignal.abort();
  for (const count of [1, 100]) {
    await assert.rejects(inSlices(steps(count, 5), aborted), { name: 'AbortError' });
  }
  const controller = new AbortController();
  const stopping = inSlices(steps(100, 5), controller.signal);
  controller.abort();
  await assert.rejects(stopping, { name: 'AbortError' });
  assert.ok(done < 200, `${done}`);
});

test('earlier evaluation counts only if all of it is one', () => {
  const nags = (before, after) => {
    const [game] = readPgn(`1. e4 {[%eval ${before}]} e5? {[%eval ${after}]} *`);
    atOnce(removing(game, 'w'));
    return game.moves[1].nags;
  };
  for (const text of ['1.5', ' 1.5 ', '1.5,22', '1.5 , 22', '+1.5', '01.50']) {
    assert.deepEqual(nags('0.2', text), [], text);
  }
  for (const text of ['1.5abc', '1.5 x', '150', '150,20', '1.5.0', 'x1.5', '#x', '#1.5', '']) {
    assert.deepEqual(nags('0.2', text), [2], text);
  }
  // A command of others reaches to its bracket.
  const [game] = readPgn('1. e4 {[%csl [%eval 0.1] a} e5 {[%eval 0.1} *');
  atOnce(removing(game, 'w'));
  assert.deepEqual(game.moves.map(({ after }) => after), [[{ comment: '[%csl [%eval 0.1] a' }], [{ comment: '[%eval 0.1' }]]);
});

test('unclaimed draw does not end a game', () => {
  const game = new Game(new Position('7k/8/8/8/8/8/R7/K7 w - - 99 80'));
  const play = (...moves) => moves.forEach((text) => game.play(game.last.find(text)));
  play('Rb2');
  assert.match(game.claim.reason, /fifty/);
  assert.equal(game.end, undefined);
  const quiet = new Game(new Position('7k/8/8/8/8/8/R7/K7 w - - 149 80'));
  quiet.play(quiet.last.find('Rb2'));
  assert.match(quiet.end.reason, /seventy-five/);
  const repeated = new Game(new Position(START));
  const ends = [];
  for (let round = 0; round < 4; round++) {
    ['Nf3', 'Nf6', 'Ng1', 'Ng8'].forEach((text) => repeated.play(repeated.last.find(text)));
    ends.push([repeated.claim?.reason, repeated.end?.reason]);
  }
  const threefold = 'threefold repetition';
  assert.deepEqual(ends, [[undefined, undefined], [threefold, undefined], [threefold, undefined], [threefold, 'fivefold repetition']]);
});
