// What a review writes is what the program that analyses games writes: the examples of its
// own tests (pgn/, analyse/), and, where CARRYBIT_ANALYSE names it, a whole game.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { annotate } from '../src/annotate.mjs';
import { removing } from '../src/earlier.mjs';
import { accuracies, judge, winPercent } from '../src/judgement.mjs';
import { Mind } from '../src/mind.mjs';
import { readGames, readPgn, writePgn } from '../src/pgn.mjs';
import { atOnce } from '../src/slices.mjs';
import { findings, replay, study } from '../src/study.mjs';

/** Games with what people write: comments, marks, variations, Chess960, a beginning by Black. */
const GAMES = readFileSync(new URL('games.pgn', import.meta.url), 'utf8');

/** 200 plies without capture or pawn's move but the first: more than the past of a position holds. */
const LONG_GAME = `[Event "Long"]\n\n1. e4 e5 ${'Nf3 Nc6 Bb5 Nf6 Bf1 Ng8 Ng1 Nb8 Be2 Be7 Bf1 Bf8 '.repeat(17)}*\n`;

/** Nodes for each position where two programs are compared. */
const NODES = 200;

/** The moves annotated as if the first position were even and d4 the best move everywhere. */
function annotated(text, values) {
  const [pgn] = readPgn(text);
  const game = replay(pgn);
  const evaluations = [{ cp: 0 }, ...values].map((value) => ({ value, wdl: [500, 300, 200], depth: 1, line: ['d2d4', 'd7d5'] }));
  annotate(pgn, findings(game, evaluations).about, 'Carrybit', game.start.turn);
  pgn.tags = [];
  return writePgn(pgn, game.start.number, game.start.turn);
}

test('evaluations and mistakes are written in the customary form', () => {
  assert.equal(
    annotated('1. g4 e5 *', [{ cp: -130 }, { cp: -135 }]),
    '1. g4 $2 { [%eval -1.30] } { Mistake. d4 was best. } (1. d4 d5) 1... e5\n{ [%eval -1.35] } *\n',
  );
  assert.equal(annotated('e4 *', [{ mate: -3 }]).match(/\$4/g).length, 1);
  assert.equal(annotated('d4 *', [{ mate: -3 }]), '1. d4 { [%eval #-3] } *\n');
});

test('what was there stays, and to annotate twice is no more than once', () => {
  const text = '1. g4 $1 $13 { [%eval 0.2] [%clk 0:01:00] } {why?} (1. d4 {!} Nf6) *';
  const expected =
    '1. g4 $1 $13 { [%eval -1.30] [%clk 0:01:00] } { Mistake. d4 was best. } { why? }\n(1. d4 { ! } 1... Nf6) *\n';
  assert.equal(annotated(text, [{ cp: -130 }]), expected);
  assert.equal(annotated(expected, [{ cp: -130 }]), expected);
  assert.equal(annotated('1. e4 {a [%eval 1,20] b} {} *', [{ cp: 0 }]), '1. e4 { [%eval 0.00] } { a b } {} *\n');
});

test('an earlier analysis goes with its evaluations, and what people wrote stays', () => {
  const removed = (text) => {
    const [pgn] = readPgn(text);
    atOnce(removing(pgn, 'w'));
    pgn.tags = [];
    return writePgn(pgn).replaceAll('\n', ' ').trim();
  };
  assert.equal(
    removed('1. e4 { [%eval 0.18] [%clk 0:05:00] } 1... e5 { [%eval 0.23] } '
      + '2. Ke2?! { (0.23 → -0.71) Inaccuracy. Nf3 was best. } { [%eval -0.71] [%clk 0:04:58] } (2. Nf3 Nc6 3. Bb5 Nf6) '
      + '2... Qh4?? { (-0.71 → Mate in 3) Blunder. Best move was Nf6. } { [%eval #3] } (2... Nf6 3. d3) 3. Nf3 { [%eval 1.1,22] } *'),
    '1. e4 { [%clk 0:05:00] } 1... e5 2. Ke2 { [%clk 0:04:58] } 2... Qh4 3. Nf3 *',
  );
  const game = (glyph, value) => removed(`1. e4 {[%eval 0.2]} e5${glyph} {[%eval ${value}]} *`);
  assert.deepEqual([game('?', '1.5'), game('??', '1.5'), game('?', '0.3'), game('?!', '#4')],
    ['1. e4 e5 *', '1. e4 e5 $4 *', '1. e4 e5 $2 *', '1. e4 e5 *']);
  assert.equal(removed('1. e4 {[%eval #5]} e5? {[%eval #4]} *'), '1. e4 e5 $2 *');
  for (const text of [
    '1. e4 $6 { Inaccuracy. d4 was best. } (1. d4) 1... e5 *',
    '1. e4 $4 { Blunder. } { I slept. } (1. d4 d5) *',
    '1. e4 $2 { (5) Mistake. I was tired. } *',
    '1. e4 $1 $14 { Mistake, but a fine one. } (1. c4 { ! }) (1. d4) *',
  ]) {
    assert.equal(removed(text), text);
  }
  for (const words of ['Mistake. Castling was best.', 'Mistake. Best move was obvious.']) {
    assert.equal(removed(`1. e4 { [%eval 0.1] } { ${words} } *`), `1. e4 { ${words} } *`);
  }
});

test('games are read and written as they are', () => {
  const text = '[White "A \\"B\\" \\\\"]\n\n1. e4 $1 { good } (1. d4 d5 (1... Nf6 2. c4) 2. c4) 1... e5 2. Nf3 Nc6 *\n';
  assert.equal(writePgn(readPgn(text)[0]), text);
  assert.equal(writePgn(readPgn('e5 Nf3 (Nc3) Nc6')[0], 40, 'b'), '40... e5 41. Nf3 (41. Nc3) 41... Nc6 *\n');
  for (const one of [
    '{ a } 1. e4 {b\n\nc} e5 ; d } e\n2. Nf3 (2. Nc3 {f} Nf6 $5 (2... Nc6!) 3. f4) {g} 1-0',
    '1. e4 e5\n% escaped }\n2. Nf3 {} 1/2-1/2',
    '{ } *',
  ]) {
    const [game] = readPgn(one);
    assert.deepEqual(readPgn(writePgn(game)), [game], one);
  }
  const first = (game) => game.moves.map((ply) => ply.text).join(' ');
  const many = '[Event "1"]\n\n1. e4 1-0\n1.d4 d5 *\n[Event "4"]\n\n1... f5?! 10.Kf1 0-0 0000 1/2\n';
  assert.deepEqual(readPgn(many).map(first), ['e4', 'd4 d5', 'f5 Kf1 0-0 0000']);
  assert.equal(readPgn(many)[2].result, '1/2-1/2');
  for (const [wrong, reason] of [
    ['1. e4\ne5 ) *', /line 2: unexpected "\)"/],
    ['(1. d4) *', /line 1: a variation of no move/],
    ['1. e4 (1. d4', /not closed/],
    ['1. e4 <x>', /unexpected "<"/],
    ['1. e4 {', /unexpected "\{"/],
  ]) {
    assert.throws(() => readPgn(wrong), reason, wrong);
  }
  assert.throws(() => replay(readPgn('1. e4 e5 2. Nf6 *')[0]), /move 2\. Nf6 is not legal/);
  assert.throws(() => replay(readPgn('[Variant "Atomic"]\n\n1. e4 *')[0]), /Atomic/);
});

test('a result that only the tags tell is written', () => {
  for (const [result, written] of [['1-0', '1-0'], ['1/2', '1/2-1/2'], ['?', '*'], ['constructor', '*']]) {
    const tags = `[Result "${result}"]\n`;
    assert.equal(writePgn(readPgn(`${tags}\n1. e4`)[0]), `${tags}\n1. e4 ${written}\n`);
  }
  assert.match(writePgn(readPgn('[Result "1-0"]\n\n1. e4 *')[0]), /1\. e4 \*\n$/);
});

test('games that cannot be read do not reach those beside them', () => {
  const about = (text) => readGames(text).map(({ problem, moves }) => problem?.message ?? moves[0]?.text);
  for (const [wrong, problem] of [
    ['1. e4 <x> e5 1-0', 'line 2: unexpected "<"'],
    ['1. e4 ) 1-0 (1. d4', 'line 2: unexpected ")"'],
    ['1. e4 (1. d4', /not closed/],
    ['[Site A]\n[White "W"]\n\n1. e4 *', 'line 2: not a tag: [Site A]'],
  ]) {
    const [first, second, ...more] = about(`[Event "1"]\n${wrong}\n\n[Event "2"]\n\n1. d4 *`);
    assert.match(first, problem instanceof RegExp ? problem : /^line 2/, wrong);
    assert.ok(problem instanceof RegExp || first === problem, first);
    assert.deepEqual([second, more], ['d4', []], wrong);
  }
  assert.deepEqual(about('1. e4 ) 1-0\n1. d4 *\n'), ['line 1: unexpected ")"', 'd4']);
  assert.deepEqual(about('% before\n1. e4 *\n% behind\n'), ['e4']);
});

test('moves are judged by the published formula', () => {
  const percent = (value) => Math.round(10 * winPercent(value)) / 10;
  assert.deepEqual([0, 100, 300, -300].map((cp) => percent({ cp })), [50, 59.1, 75.1, 24.9]);
  assert.equal(percent({ mate: 3 }), percent({ cp: 1000 }));
  const name = (before, after, mover = 'w') => judge(before, after, mover)?.name;
  for (const [before, after, expected] of [
    [0, -54, undefined], [0, -55, 'Inaccuracy'], [0, -110, 'Inaccuracy'], [0, -111, 'Mistake'],
    [0, -168, 'Mistake'], [0, -169, 'Blunder'], [0, 300, undefined], [900, 700, undefined],
  ]) {
    assert.equal(name({ cp: before }, { cp: after }), expected);
    assert.equal(name({ cp: -before }, { cp: -after }, 'b'), expected);
  }
  assert.equal(name({ mate: 2 }, { mate: 5 }), undefined);
  assert.equal(name({ cp: 0 }, { mate: -1 }), 'Blunder');
  assert.equal(name({ mate: 1 }, { won: 'w' }), undefined);
  const { w, b } = accuracies([15, 20, 10, -300, -290, -310, -300].map((cp) => ({ cp })), 'w');
  assert.ok(w < 75 && b > 95, `${w} ${b}`);
  assert.deepEqual(accuracies([{ cp: 0 }], 'w'), { w: undefined, b: undefined });
});

const analyse = process.env.CARRYBIT_ANALYSE;
test('a file is annotated as by the program', { skip: !analyse && 'CARRYBIT_ANALYSE is not set' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carrybit-'));
  const [input, output] = ['in.pgn', 'out.pgn'].map((name) => join(folder, name));
  const text = `${GAMES}\n${LONG_GAME}`;
  writeFileSync(input, text);
  const limits = ['--nodes', String(NODES), '--hash', '32'];
  execFileSync(analyse, [input, ...limits, '--no-page', '-o', output], { stdio: 'ignore' });
  const expected = readFileSync(output, 'utf8');
  rmSync(folder, { recursive: true });

  const mind = await Mind.load(new URL('../../carrybit.js', import.meta.url), assert.fail);
  const texts = [];
  for (const pgn of readPgn(text)) {
    const game = replay(pgn);
    annotate(pgn, findings(game, await study(mind, game, { nodes: NODES })).about, mind.name, game.start.turn);
    texts.push(writePgn(pgn, game.start.number, game.start.turn));
  }
  mind.terminate();
  assert.match(expected, /\$[246] .*was best/s);
  assert.equal(texts.join('\n'), expected);
});
