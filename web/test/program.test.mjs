// `npx carrybit`: the engine on standard input and output.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { on } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../cli.mjs', import.meta.url));

class Program {
  constructor(...command) {
    this.lines = [];
    const { stdin, stdout } = (this.#child = spawn(process.execPath, [CLI, ...command], { stdio: ['pipe', 'pipe', 'inherit'] }));
    this.input = stdin;
    this.exit = new Promise((resolve) => this.#child.on('close', resolve));
    this.#output = createInterface({ input: stdout }).on('line', (line) => this.lines.push(line));
  }

  #child;
  #output;

  send(...lines) {
    this.input.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** Sends lines; returns the next line that begins with `beginning`. */
  async ask(beginning, ...lines) {
    const answers = on(this.#output, 'line');
    this.send(...lines);
    for await (const [line] of answers) {
      if (line.startsWith(beginning)) {
        return line;
      }
    }
  }

  /** Sends `quit`; returns the exit code. */
  quit() {
    this.send('quit');
    return this.exit;
  }
}

/** The node count of the native bench, set by CI. */
const SIGNATURE = process.env.CARRYBIT_BENCH;

test('the bench counts the nodes of the native program', { skip: SIGNATURE ? false : 'CARRYBIT_BENCH is not set' }, async () => {
  const program = new Program('bench');
  assert.equal(await program.exit, 0);
  assert.match(program.lines.at(-1), new RegExp(`^${SIGNATURE} nodes \\d+ nps$`));
});

test('the program answers UCI commands, also during a search', async () => {
  const program = new Program();
  await program.ask('uciok', 'uci');
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url)));
  // Between releases, a build also names its commit.
  assert.equal(program.lines[0].replace(/-dev\+[0-9a-f]{8}$/, '-dev'), `id name Carrybit ${version}`);
  assert.ok(program.lines.includes('option name Threads type spin default 1 min 1 max 1'));
  assert.ok(program.lines.includes('option name Hash type spin default 16 min 1 max 2045'));
  await program.ask('readyok', 'isready');
  assert.match(await program.ask('bestmove', 'go depth 6'), /^bestmove [a-h][1-8]/);
  await program.ask('info depth 5', 'position startpos moves e2e4', 'go infinite');
  await program.ask('readyok', 'isready');
  assert.match(await program.ask('bestmove', 'stop'), /^bestmove [a-h][1-8]/);
  assert.equal(await program.quit(), 0);
});

test('an infinite search without anything left to search waits for stop', async () => {
  const program = new Program();
  await program.ask('info depth 0', 'position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1', 'go infinite');
  await program.ask('info depth', 'position fen 7k/8/6K1/8/8/8/8/R7 w - - 0 1', 'go depth 2 infinite');
  await program.ask('readyok', 'isready');
  const before = program.lines.filter((line) => line.startsWith('bestmove'));
  assert.equal(before.length, 1, 'the first was stopped by the second');
  assert.match(await program.ask('bestmove', 'stop'), /^bestmove a1/);
  await program.ask('info depth', 'go ponder movetime 10');
  assert.match(await program.ask('bestmove', 'ponderhit'), /^bestmove/);
  program.input.end();
  assert.equal(await program.exit, 0);
});

test('at the end of the input, a limited search finishes and an infinite one is stopped', async () => {
  for (const limit of ['depth 7', 'infinite']) {
    const program = new Program();
    program.send(`go ${limit}`);
    program.input.end();
    assert.equal(await program.exit, 0);
    assert.equal(program.lines.filter((line) => line.startsWith('bestmove')).length, 1);
    // An infinite search may get there before the end of the input is seen.
    assert.ok(limit === 'infinite' || program.lines.some((line) => line.startsWith('info depth 7 ')));
  }
});

test('deep lines, crowded boards and invalid input do not crash', async () => {
  const program = new Program();
  const nonsense = ['setoption name Hash value 1000000000', 'position fen nonsense', 'go depth banana', 'stop', 'xyzzy'];
  await program.ask('bestmove', ...nonsense);
  program.send(`position startpos moves ${'e2e4 '.repeat(9)}`, 'a'.repeat(3_000_000), '\u0000\u{1F600}');
  await program.ask('readyok', 'isready');
  await program.ask('bestmove', 'position fen 8/8/8/8/8/k7/p7/K7 w - - 0 1', 'go depth 200');
  await program.ask('bestmove', 'position fen 8/1p6/1P6/2p5/2P5/1k6/8/1K6 w - - 0 1', 'go nodes 300000');
  program.send('position fen QQQQQQQQ/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/k6Q/K2QQQQQ w - - 0 1', 'go nodes 20000');
  await program.ask('readyok', 'isready');
  assert.equal(await program.quit(), 0);
});

test('perft counts, and can be stopped', async () => {
  const program = new Program();
  assert.equal(await program.ask('Nodes', 'position startpos', 'go perft 4'), 'Nodes searched: 197281');
  program.send('go perft 9');
  assert.match(await program.ask('info string', 'stop'), /stopped/);
  assert.equal(await program.quit(), 0);
});
