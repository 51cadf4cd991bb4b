// The page in Chromium: what people do with it, without a word in the console.
//
// CARRYBIT_BENCH is the bench that the native program counts; without it none is compared.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';

import { browse, host, program, visit } from './browser.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const BUILT = existsSync(new URL('../dist/page.js', import.meta.url));

const NOTICES = existsSync(new URL('../dist/RUST-STANDARD-LIBRARY.html', import.meta.url));

const missing = !program ? 'there is no Chromium' : !BUILT ? 'the page is not built' : false;

/** A blunder, a better move, and a mate. */
const SCHOLAR = '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 {oh} 4. Qxf7# 1-0';

/** The longest that anything may take, in milliseconds; tests share a machine. */
const PATIENCE_MS = 60_000;

describe('the page', { skip: missing }, () => {
  let server;
  let browser;
  before(async () => {
    server = await host();
    browser = await browse();
  });
  after(async () => {
    await browser?.close();
    await server.close();
  });

  /** Visits the page, does something there, and looks whether it had anything to complain. */
  async function at(hash, act, options) {
    const { page, context, problems } = await visit(browser, server.url + hash, options);
    await act(page, context);
    assert.deepEqual(problems, []);
    await context.close();
  }

  const moves = (page, list) => page.$$eval(`#${list} .move > span`, (cells) => cells.map((cell) => cell.textContent));
  const untilMoves = (page, list, count) =>
    page.waitForFunction(([id, least]) => document.querySelectorAll(`#${id} .move`).length >= least, [list, count]);

  /** Plays a move by clicking on two squares. */
  async function click(page, ...squares) {
    for (const square of squares) {
      await page.click(`#board .square[data-square="${square}"]`);
    }
  }

  test('a game is played by keyboard and pointer, with hint and take-back', () =>
    at('', async (page) => {
      await page.fill('#elo', '1000');
      await page.click('#begin');
      await page.keyboard.type('e4');
      await page.keyboard.press('Enter');
      await untilMoves(page, 'play-moves', 2);
      await click(page, 'g1', 'f3');
      await untilMoves(page, 'play-moves', 4);
      const played = await moves(page, 'play-moves');
      assert.deepEqual([played[0], played[2]], ['e4', 'Nf3']);
      await page.click('#take-back');
      assert.deepEqual(await moves(page, 'play-moves'), played.slice(0, 2));
      await page.fill('#play-move', 'Ke5');
      await page.press('#play-move', 'Enter');
      assert.match(await page.textContent('#play-answer'), /no legal move/);
      await page.click('#hint');
      await page.waitForSelector('#board [data-arrow]', { state: 'attached' });
      assert.match(await page.textContent('#play-status'), /^Hint: \S+/);
      await page.click('#resign');
      assert.match(await page.textContent('#play-status'), /Carrybit wins: you resigned\. 0-1/);
      await page.click('#play-analyse');
      await page.waitForSelector('#lines li');
      assert.deepEqual(await moves(page, 'analyse-moves'), played.slice(0, 2));
    }));

  test('Chess960 is played with a clock, as Black, and castling by king takes rook', () =>
    at('', async (page) => {
      await page.selectOption('#start', 'number');
      await page.fill('#number', '0');
      await page.selectOption('#time', '3+2');
      await page.check('#panel-play input[value="b"]', { force: true });
      await page.fill('#elo', '3100');
      await page.click('#begin');
      await untilMoves(page, 'play-moves', 1);
      assert.match(await page.textContent('#bottom'), /You.*[23]:\d\d/);
      await page.click('nav a[href="#analyse"]');
      await page.fill('#fen', 'bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1');
      await page.press('#fen', 'Enter');
      await page.fill('#fen', 'bbqnnrkr/pppppppp/8/8/8/5NP1/PPPPPP1P/BBQN1RKR w KQkq - 0 1');
      await page.press('#fen', 'Enter');
      await page.fill('#fen', '6k1/8/8/8/8/8/8/5RKR w HF - 0 1');
      await page.press('#fen', 'Enter');
      assert.match(await page.inputValue('#fen'), /w KQ - 0 1/);
      await page.fill('#fen', '6k1/8/8/8/8/8/8/1R4KR w HB - 0 1');
      await page.press('#fen', 'Enter');
      await click(page, 'g1', 'b1');
      assert.deepEqual(await moves(page, 'analyse-moves'), ['O-O-O']);
      assert.match(await page.inputValue('#fen'), /2KR3R b - - 1 1/);
    }));

  test('a FEN is analysed, with lines, arrows and chances', () =>
    at('#analyse', async (page) => {
      await page.fill('#fen', '6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1');
      await page.press('#fen', 'Enter');
      await page.waitForFunction(() => document.querySelector('#lines .score')?.textContent === '#1');
      assert.equal(await page.$$eval('#lines li', (lines) => lines.length), 3);
      assert.equal(await page.$$eval('#board [data-arrow]', (arrows) => arrows.length), 3);
      assert.match(await page.getAttribute('.wdl', 'aria-label'), /White wins 100 %/);
      assert.match(await page.getAttribute('#bar', 'aria-valuetext'), /9\d percent for White, #1/);
      await page.waitForFunction(() => /nodes\/s/.test(document.querySelector('#speed').textContent));
      assert.match(await page.textContent('footer'), /Carrybit \d.*network [0-9a-f]{8}/s);
      await page.click('#lines .pv button');
      assert.match(await page.textContent('#analyse-status'), /1-0: checkmate/);
      await page.fill('#fen', 'no such position');
      await page.press('#fen', 'Enter');
      assert.match(await page.textContent('#fen-answer'), /Not a position/);
      await page.focus('#set-up');
      await page.keyboard.press('ArrowLeft');
      assert.match(await page.inputValue('#fen'), /^6k1/);
    }));

  test('a position is set up by hand, and a pawn becomes what is chosen', () =>
    at('#analyse', async (page) => {
      await page.click('#set-up');
      await page.click('#setup-clear');
      for (const [name, square] of [['White king', 'e1'], ['Black king', 'e8'], ['White pawn', 'a7'], ['Black rook', 'h5']]) {
        await page.check(`#palette [aria-label="${name}"]`, { force: true });
        await click(page, square);
      }
      await page.check('#palette [aria-label="Nothing"]', { force: true });
      await page.fill('#setup-square', 'h5');
      assert.equal(await page.inputValue('#setup-square'), '');
      await page.click('#setup-done');
      assert.equal(await page.inputValue('#fen'), '4k3/P7/8/8/8/8/8/4K3 w - - 0 1');
      await click(page, 'a7', 'a8');
      await page.click('#promotion [aria-label="rook"]');
      await page.waitForFunction(() => document.querySelector('#analyse-moves .move')?.textContent === 'a8=R+');
    }));

  test('a game is reviewed, and saved with annotations', () =>
    at('#review', async (page) => {
      await page.fill('#pgn', SCHOLAR.replace('Nf6', 'Ke8'));
      await page.click('#review-start');
      assert.match(await page.textContent('#review-answer'), /move 3\.\.\. Ke8 is not legal/);
      await page.fill('#pgn', SCHOLAR);
      await page.selectOption('#review-time', 'movetime 200');
      await page.click('#review-start');
      await page.waitForSelector('#review-result:not([hidden])');
      await page.click('#next-mistake');
      const words = async () => (await page.textContent('#review-now')).trim();
      while (!(await words()).startsWith('3... Nf6')) {
        const last = await words();
        await page.click('#next-mistake');
        assert.notEqual(await words(), last);
      }
      assert.match(await words(), /^3\.\.\. Nf6\?\? Blunder\. \S+ was best\./);
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('#review-save')]);
      assert.equal(download.suggestedFilename(), 'game.analysed.pgn');
      const text = readFileSync(await download.path(), 'utf8');
      assert.match(text, /\[Annotator "Carrybit \d/);
      // Lines break wherever they are full.
      assert.match(text.replace(/\s+/g, ' '), /3\.\.\. Nf6 \$4 \{ \[%eval #1\] \} \{ Blunder\. (\S+) was best\. \} \{ oh \} \(3\.\.\. \1 /);
      assert.match(text, /4\. Qxf7# 1-0\n$/);
      await page.keyboard.press('End');
      assert.match(await page.textContent('#review-now'), /Qxf7#/);
    }));

  test('after the first visit it works offline', async () => {
    const other = await host();
    const { page, context } = await visit(browser, other.url);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await other.close();
    await page.reload();
    await page.click('#begin');
    await page.keyboard.type('d4');
    await page.keyboard.press('Enter');
    await untilMoves(page, 'play-moves', 2);
    assert.ok((await page.goto(`${other.url}index.html`)).ok());
    await context.close();
  });

  test('two copies on one host are both kept', async () => {
    const other = await host();
    const { page, context } = await visit(browser, other.url);
    for (const url of [other.url, other.copy]) {
      await page.goto(url);
      await page.evaluate(() => navigator.serviceWorker.ready);
      await page.waitForFunction((place) => navigator.serviceWorker.controller?.scriptURL.startsWith(`${place}service`), url);
    }
    assert.equal(await page.evaluate(async () => (await caches.keys()).length), 2);
    await other.close();
    for (const url of [other.url, other.copy]) {
      await page.goto(url);
      await page.waitForFunction(() => /\d/.test(document.querySelector('#engine-name').textContent));
    }
    await context.close();
  });

  const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
  for (const [name, options] of [['on a light desk', { colorScheme: 'light' }], ['on a dark phone', { colorScheme: 'dark', ...phone }]]) {
    test(`nothing serious stands in anybody's way ${name}`, () =>
      at('', async (page) => {
        const look = async (where) => {
          const { violations } = await page.evaluate(() => globalThis.axe.run());
          const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
          const found = serious.map(({ id, nodes }) => `${where}: ${id} ${nodes.map(({ target }) => target)}`);
          assert.deepEqual(found, []);
          const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(width <= 0, `${where} is too wide by ${width}`);
        };
        await page.evaluate(readFileSync(AXE, 'utf8'));
        await look('play');
        await page.click('#begin');
        await look('a game');
        await page.click('nav a[href="#analyse"]');
        await page.waitForSelector('#lines li');
        await look('analysis');
        await page.click('#set-up');
        await look('setup');
        await page.click('nav a[href="#review"]');
        await look('review');
        await page.fill('#pgn', SCHOLAR);
        await page.selectOption('#review-time', 'movetime 200');
        await page.click('#review-start');
        await page.waitForSelector('#review-result:not([hidden])');
        await look('a game reviewed');
      }, options));
  }

  /** What an engine of its own answers in the page: its lines, and the milliseconds until the last. */
  const engine = (page, line, end) =>
    page.evaluate(
      ([command, beginning]) =>
        new Promise((resolve) => {
          const began = performance.now();
          const lines = [];
          const worker = new Worker('carrybit.js');
          worker.onmessage = ({ data }) => {
            lines.push(data);
            if (new RegExp(beginning).test(data)) {
              worker.terminate();
              resolve({ lines, time: performance.now() - began });
            }
          };
          worker.postMessage(command);
        }),
      [line, end],
    );

  test('it has the notices of all that is in it', { skip: !NOTICES && 'it was built without' }, () =>
    at('', async (page) => {
      const get = (name) => page.evaluate(async (file) => (await fetch(file)).text(), name);
      const licences = await get(await page.getAttribute('footer a[href^="licences"]', 'href'));
      for (const name of [/^cm-chessboard /m, /^uplot /m, /^vampirc-uci .*Apache/m, /RUST-STANDARD-LIBRARY/]) {
        assert.match(licences, name);
      }
      assert.match(await get('RUST-STANDARD-LIBRARY.html'), /Rust/);
    }));

  test('the first best move comes soon', (context) =>
    at('', async (page) => {
      const times = [];
      for (let run = 0; run < 5; run++) {
        times.push((await engine(page, 'go movetime 100', '^bestmove')).time);
      }
      times.sort((a, b) => a - b);
      context.diagnostic(`from a click to bestmove at movetime 100: ${times.map((time) => time.toFixed(0))} ms`);
      assert.ok(times[0] < PATIENCE_MS);
    }));

  test('the module comes with the query of its worker, or from where it is said to be', async () => {
    const { page, context } = await visit(browser, server.url, { serviceWorkers: 'block', bypassCSP: true });
    const id = (address) =>
      page.evaluate(
        (script) =>
          new Promise((resolve, reject) => {
            const blob = new Blob([`importScripts('${new URL('carrybit.js', location.href)}')`]);
            const worker = new Worker(script.replace('BLOB', URL.createObjectURL(blob)));
            worker.onmessage = ({ data }) => data.startsWith('id name') && resolve(data);
            worker.onerror = ({ message }) => reject(new Error(message));
            worker.postMessage('uci');
          }),
        address,
      );
    server.requests.length = 0;
    assert.match(await id('carrybit.js?v=2'), /Carrybit/);
    assert.ok(server.requests.includes('/carrybit.wasm?v=2'), `${server.requests}`);
    assert.match(await id('carrybit.js#copy/carrybit.wasm?v=3'), /Carrybit/);
    assert.ok(server.requests.includes('/copy/carrybit.wasm?v=3'), `${server.requests}`);
    assert.match(await id(`BLOB#${encodeURIComponent(`${server.url}carrybit.wasm?v=4`)}`), /Carrybit/);
    assert.ok(server.requests.includes('/carrybit.wasm?v=4'), `${server.requests}`);
    await context.close();
  });

  const bench = process.env.CARRYBIT_BENCH;
  test('the bench is the native one', { skip: !bench && 'CARRYBIT_BENCH is not set' }, () =>
    at('', async (page) => {
      const { lines } = await engine(page, 'bench', '^\\d+ nodes');
      assert.equal(lines.at(-1).split(' ')[0], bench);
    }));
});
