// Errors, and events that come too early, too late or twice: the page in Chromium with a fake engine.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { HANG_MS, OF_A_RELEASE, click, describePage, download, enter, resign, review, tasksDuring, untilMoves, untilReviewed } from './browser.mjs';

/** The wait after which nothing more is expected, in milliseconds. */
const QUIET_MS = 600;

const GAMES = ['A', 'B', 'C'].map((name) => `[White "${name}"]\n[Black "Rival"]\n\n1. ${name.toLowerCase()}4 e5 *\n`);

/**
 * The script of an engine that plays `moves`, then a2a3, with the score `cp` if there is one. In an infinite search it
 * prints a new line every 5 ms. If `isHeld`, `grant(count)` ends that many other searches, the running one and later ones. If `isLate`, it answers `uci`
 * only after `arrive()`. It throws an error at the command `fails`. `commands` has all its input.
 */
function script({ moves = [], isLate = false, isHeld = false, fails = '', cp } = {}) {
  return `
    const moves = ${JSON.stringify(moves)};
    self.commands = [];
    let granted = ${isHeld ? 0 : Infinity};
    let isSearching = false;
    let timer;
    self.arrive = () => postMessage('uciok');
    self.grant = (count) => {
      granted += count;
      goOn();
    };
    const best = () => {
      if (isSearching) {
        isSearching = false;
        clearTimeout(timer);
        postMessage('bestmove ' + (moves.shift() ?? 'a2a3'));
      }
    };
    const goOn = () => {
      if (isSearching && granted > 0) {
        granted -= 1;
        best();
      }
    };
    const think = (depth) => {
      const pv = depth % 2 === 0 ? 'e2e4 e7e5' : 'd2d4 d7d5';
      postMessage('info depth ' + depth + ' multipv 1 score cp ' + depth + ' wdl 300 400 300 pv ' + pv);
      timer = setTimeout(() => think(depth + 1), 5);
    };
    const answers = {
      uci: ${isLate} ? () => {} : arrive,
      isready: () => postMessage('readyok'),
      stop: best,
      go: (infinite) => {
        isSearching = true;
        if (${cp !== undefined}) {
          postMessage('info depth 1 score cp ${cp}');
        }
        infinite ? think(1) : goOn();
      },
    };
    onmessage = ({ data }) => {
      commands.push(data);
      const [command] = data.split(' ');
      if (command === '${fails}') {
        throw new Error('out of luck');
      }
      answers[command]?.(data.includes('infinite'));
    };`;
}

describePage('the page in trouble', (suite) => {
  const { visit } = suite;
  const at = (hash, engine, act, options) => suite.at(hash, act, { engine: script(engine), ...options });

  const quiet = (page) => page.waitForTimeout(QUIET_MS);
  const inEngine = async (page, act, argument) => {
    // A cancelled review starts a new engine.
    const worker = page.workers()[0] ?? (await page.waitForEvent('worker'));
    return worker.evaluate(act, argument);
  };
  const arrive = (page) => inEngine(page, () => globalThis.arrive());
  const grant = (page, count) => inEngine(page, (searches) => globalThis.grant(searches), count);
  const searches = async (page) => (await inEngine(page, () => globalThis.commands)).filter((line) => line.startsWith('go'));
  const count = (page, list) => page.$$eval(`#${list} .move`, (cells) => cells.length);
  const until = (page, id, words) =>
    page.waitForFunction(([where, text]) => new RegExp(text).test(document.getElementById(where).textContent), [id, words]);

  const untilReady = (page) => page.waitForFunction(() => document.querySelector('#network').textContent !== '');

  /** Waits for the first search of a review of three positions, and ends it. */
  async function evaluateOne(page) {
    await until(page, 'review-count', '0 of 3');
    await grant(page, 1);
    await until(page, 'review-count', '1 of 3');
  }

  /** Waits until the engine has updated its lines many times. */
  async function untilUpdated(page) {
    const depth = () => Number(/\d+/.exec(document.querySelector('#depth').textContent));
    const before = await page.evaluate(depth);
    await page.waitForFunction((least) => Number(/\d+/.exec(document.querySelector('#depth').textContent)) >= least, before + 50);
  }

  const give = (page, name, content) =>
    page.setInputFiles('#pgn-file', { name, mimeType: 'text/plain', buffer: Buffer.from(content) });
  const untilText = (page, text) => page.waitForFunction((wanted) => document.querySelector('#pgn').value === wanted, text);

  /** Types a move, and waits until a number of moves have been played. */
  async function play(page, text, expected) {
    await enter(page, '#play-move', text);
    await untilMoves(page, 'play-moves', expected);
  }

  test('the chosen game is reviewed, and unreadable games are listed with their errors', () =>
    at('#review', {}, async (page) => {
      await give(page, 'file.pgn', '1. e4 *');
      await untilText(page, '1. e4 *');
      await page.fill('#pgn', [...GAMES, '[White "D"]\n\n1. d4 ( *\n'].join('\n'));
      const options = await page.$$eval('#which-game option', (all) => all.map(({ text, disabled }) => `${disabled} ${text}`));
      assert.deepEqual(options.slice(2), ['false 3. C – Rival *', 'true 4. D – Black (line 18: a variation is not closed; add the missing ))']);
      await page.fill('#pgn', [...GAMES, `[White "${'E'.repeat(10_000)}"]\n\n1. d4 *\n`].join('\n'));
      assert.equal(await page.$eval('#which-game option:last-child', ({ text }) => text), `4. ${'E'.repeat(60)}… – Black *`);
      await page.selectOption('#which-game', '2');
      await review(page);
      assert.match(await page.textContent('#summary'), /C.*Rival/s);
      assert.match(await page.textContent('#which'), /One of 4 games/);
      await page.selectOption('#which-game', '0');
      await page.waitForFunction(() => document.querySelector('#summary tr:nth-child(2) th').textContent === 'A');
      assert.equal((await download(page)).suggestedFilename(), 'game.analysed.pgn');
      await page.click('#review-again');
      await page.fill('#pgn', '1. e4 ( *');
      assert.match(await page.textContent('#review-answer'), /Cannot read the game: line 1/);
    }));

  test('markup in a game is shown as text', () =>
    at('#review', {}, async (page) => {
      const markup = '<img src=x onerror=alert(1)>';
      await page.fill('#pgn', `[White "${markup}"]\n\n1. e4 {${markup}} *`);
      await review(page);
      assert.match(await page.textContent('#summary'), /<img src=x/);
      assert.match(await page.textContent('#panel-review'), /<img src=x.*<img src=x/s);
      assert.equal(await page.$('#panel-review img'), null);
    }));

  test('a crash of the engine is reported in every mode', async () => {
    for (const [hash, button, where, words, fails = 'go'] of [
      ['', '#panel-play #begin', 'play-status', 'engine failed: .*out of luck'],
      ['#analyse', undefined, 'analyse-status', 'cannot analyse this position: .*out of luck'],
      ['#analyse', undefined, 'analyse-status', 'cannot analyse this position: .*out of luck', 'setoption'],
      ['#review', '#review-start', 'review-answer', 'engine failed .*out of luck'],
    ]) {
      const { page, context } = await visit(hash, { engine: script({ fails }) });
      await page.evaluate((text) => {
        document.querySelector('#panel-play input[value="b"]').checked = true;
        document.querySelector('#pgn').value = text;
      }, GAMES[0]);
      if (button) {
        await page.click(button);
      }
      await until(page, where, words);
      await until(page, 'remark', 'The engine has stopped');
      await context.close();
    }
  });

  test('a worker without its module is terminated', { timeout: HANG_MS }, async () => {
    const prepare = (page) => page.route('**/carrybit.wasm', (route) => route.fulfill({ status: 404 }));
    const { page, context } = await visit('', { prepare, serviceWorkers: 'block' });
    await until(page, 'remark', 'cannot start');
    while (page.workers().length > 0) {
      await page.waitForTimeout(20);
    }
    await context.close();
  });

  test('a browser without WebAssembly gets a message', async () => {
    const prepare = (page) => page.addInitScript('delete globalThis.WebAssembly');
    const { page, context } = await visit('', { prepare, serviceWorkers: 'block' });
    await until(page, 'remark', 'needs a browser with WebAssembly SIMD');
    await context.close();
  });

  test('lines stay clickable and focused while the engine updates them', () =>
    at('#analyse', {}, async (page) => {
      await page.waitForSelector('#lines button');
      const { x, y } = await page.evaluate(() => document.querySelector('#lines button').getBoundingClientRect().toJSON());
      await page.mouse.move(x + 3, y + 3);
      await page.mouse.down();
      await untilUpdated(page);
      await page.mouse.up();
      assert.equal(await count(page, 'analyse-moves'), 1);
      await page.click('#start-position');
      await page.waitForSelector('#lines button');
      await page.evaluate(() => document.querySelector('#lines button').focus());
      await untilUpdated(page);
      assert.ok(await page.evaluate(() => document.activeElement.closest('#lines') !== null));
      await page.keyboard.press('Enter');
      assert.equal(await count(page, 'analyse-moves'), 1);
      assert.equal(await page.evaluate(() => document.activeElement.id), 'analyse-moves');
    }));

  test('a hint requested before the engine is ready comes later', () =>
    at('', { isLate: true }, async (page) => {
      await page.click('#begin');
      await page.click('#hint');
      await arrive(page);
      await until(page, 'play-status', '^Hint: a3');
    }));

  test('a move made before the engine is ready gets one reply', () =>
    at('', { isLate: true, moves: ['e7e5'] }, async (page) => {
      await page.click('#begin');
      await play(page, 'a3', 1);
      await arrive(page);
      await until(page, 'play-status', 'e5. Your move');
      await quiet(page);
      assert.deepEqual(await searches(page), ['go movetime 1000']);
    }));

  test('a game left before the engine is ready does not disturb an analysis', () =>
    at('', { isLate: true }, async (page) => {
      await page.check('#panel-play input[value="b"]', { force: true });
      await page.click('#begin');
      await page.click('nav a[href="#analyse"]');
      await arrive(page);
      await page.waitForSelector('#lines li');
      await quiet(page);
      assert.deepEqual(await searches(page), ['go infinite']);
      assert.equal(await count(page, 'analyse-moves'), 0);
      await page.click('nav a[href="#play"]');
      await untilMoves(page, 'play-moves', 1);
    }));

  test('requests cancelled before the engine is ready are dropped', () =>
    at('#review', { isLate: true }, async (page) => {
      await page.fill('#pgn', GAMES[0]);
      await page.click('#review-start');
      await page.click('#review-cancel');
      await page.click('nav a[href="#analyse"]');
      await page.uncheck('#engine-on', { force: true });
      await page.check('#engine-on', { force: true });
      await page.click('#set-up');
      await arrive(page);
      await untilReady(page);
      await quiet(page);
      assert.deepEqual(await searches(page), []);
      await page.click('#setup-cancel');
      await page.waitForSelector('#lines li');
      assert.deepEqual(await searches(page), ['go infinite']);
    }));

  test('a new file cancels the review', () =>
    at('#review', { isHeld: true }, async (page) => {
      await page.fill('#pgn', GAMES[0]);
      await page.click('#review-start');
      await give(page, 'file.pgn', GAMES[1]);
      await page.waitForSelector('#review-form:not([hidden])');
      await grant(page, 3);
      await quiet(page);
      assert.ok(await page.isVisible('#review-form'));
      assert.ok(await page.isHidden('#review-result'));
    }));

  test('a review continues in Learn, and the form leads back to it', () =>
    at('#review', { isHeld: true }, async (page) => {
      await page.fill('#pgn', GAMES[1]);
      await page.click('#review-start');
      await evaluateOne(page);
      await page.click('nav a[href="#learn"]');
      await grant(page, 2);
      await page.waitForSelector('#review-result:not([hidden])', { state: 'attached' });
      await page.click('nav a[href="#review"]');
      await page.waitForFunction(() => document.querySelector('#curve canvas').clientWidth > 100);
      assert.match(await page.textContent('#summary'), /B.*Rival/s);
      assert.match(await page.textContent('#top'), /Rival/);
      await page.click('#review-again');
      await page.click('#review-back');
      assert.equal((await download(page)).suggestedFilename(), 'game.analysed.pgn');
      await page.click('#review-again');
      await page.fill('#pgn', GAMES[2]);
      assert.ok(await page.isHidden('#review-back'));
    }));

  test('a mode that needs the engine cancels the review and reports it', () =>
    at('#review', { isHeld: true }, async (page) => {
      for (const modes of [['analyse'], ['learn', 'play']]) {
        await page.fill('#pgn', GAMES[1]);
        await page.click('#review-start');
        await evaluateOne(page);
        for (const mode of [...modes, 'review']) {
          await page.click(`nav a[href="#${mode}"]`);
        }
        await page.waitForSelector('#review-form', { state: 'visible' });
        assert.match(await page.textContent('#review-answer'), /^The review was cancelled/);
      }
      await grant(page, 3);
      await review(page);
    }));

  test('typing while the moves are checked cancels the review', () =>
    at('#review', {}, async (page) => {
      await give(page, 'big.pgn', `[Event "a"]\n\n${'Nf3 Nf6 Ng1 Ng8 '.repeat(50_000)} *\n`);
      // Types as soon as the check begins, which does not wait for this test.
      await page.evaluate((text) => {
        const [field, answer] = ['#pgn', '#review-answer'].map((name) => document.querySelector(name));
        const watch = new MutationObserver(() => {
          if (answer.textContent.startsWith('Checking the moves')) {
            watch.disconnect();
            field.value = text;
            field.dispatchEvent(new Event('input'));
            globalThis.hasTyped = true;
          }
        });
        watch.observe(answer, { childList: true });
      }, GAMES[0]);
      await page.click('#review-start');
      await page.waitForFunction(() => globalThis.hasTyped);
      await until(page, 'review-answer', '^$');
      await quiet(page);
      assert.equal(await page.textContent('#review-answer'), '');
      await review(page);
      assert.match(await page.textContent('#summary'), /A.*Rival/s);
    }));

  /** Big inputs, most of them a single line. */
  const BIG = {
    comments: `[Event "a"]\n\n1. e4 ${'{a} '.repeat(80_000)}e5 *\n`,
    quotes: `[Event "${'\\"]'.repeat(130_000)}"]\n\n1. e4 *\n`,
    plies: `[Event "a"]\n\n${'Nf3 Nf6 Ng1 Ng8 '.repeat(4000)} *\n`,
    variations: `[Event "a"]\n\n1. e4 ${'(1. d4) '.repeat(40_000)} *\n`,
    'bytes of gzip': gzipSync(`[Event "a"]\n\n1. e4 {${'a'.repeat(4e6)}} *\n`),
    games: '[Event "a"]\n\n1. e9 *\n\n'.repeat(120_000),
    'games that cannot be read': '[Event "a"]\n\n1. e4 {\n\n'.repeat(200_000),
    'lines that are not UTF-8': Buffer.from(`[Event "a"]\n\n1. e4 {${'\xfc\n'.repeat(400_000)}} *\n`, 'latin1'),
  };

  /** The limit of the longest task, in times of `busy`, which takes some 5 ms. Without slices, two inputs exceed it. */
  const STILL = 20;

  /** A garbage collection may exceed the limit by chance, but not each time. */
  const ATTEMPTS = 3;

  /** A piece of work with which tasks are compared. */
  const busy = () => {
    let state = 1;
    for (let step = 0; step < 2e6; step++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
    }
    return state;
  };

  const folder = mkdtempSync(join(tmpdir(), 'carrybit-'));
  after(() => rmSync(folder, { recursive: true }));

  /** Reads the input `name` from a file in a new page; returns the longest task, in times of `busy`. */
  async function longestTask(name, file) {
    let longest;
    await at('#review', {}, async (page) => {
      const [unit] = await tasksDuring(page, () => page.evaluate(busy));
      const [task] = await tasksDuring(page, async () => {
        await page.setInputFiles('#pgn-file', file);
        await page.waitForFunction(() => /big/.test(document.querySelector('#pgn').placeholder));
        await page.waitForFunction(() => !/^Reading/.test(document.querySelector('#review-answer').textContent));
        const listed = name.startsWith('games') ? 2000 : 1;
        assert.equal(await page.$$eval('#which-game option', (all) => all.length), listed);
        await page.click('#review-start');
        if (listed > 1) {
          await until(page, 'review-answer', name === 'games' ? 'line 3: move 1. e9' : 'line 3: a comment is not closed');
        } else {
          await page.waitForSelector('#review-form[hidden]', { state: 'attached' });
        }
      });
      longest = task / unit;
    });
    return longest;
  }

  for (const [name, text] of Object.entries(BIG)) {
    test(`the page stays responsive while it reads many ${name}`, OF_A_RELEASE, async () => {
      const file = join(folder, 'big.pgn');
      writeFileSync(file, text);
      const longest = [];
      while (longest.length < ATTEMPTS && !(longest.at(-1) < STILL)) {
        longest.push(await longestTask(name, file));
      }
      assert.ok(longest.at(-1) < STILL, `${longest}`);
    });
  }

  test('a review waits for its file', () =>
    at('#review', {}, async (page) => {
      await page.fill('#pgn', GAMES[0]);
      await page.evaluate(() => {
        const { stream } = Blob.prototype;
        // `arrive` delivers the file.
        Blob.prototype.stream = function late() {
          const { readable, writable } = new TransformStream();
          globalThis.arrive = () => void stream.call(this).pipeTo(writable);
          return readable;
        };
      });
      await give(page, 'late.pgn', GAMES[1]);
      await page.waitForFunction(() => globalThis.arrive);
      await page.click('#review-start');
      await quiet(page);
      assert.match(await page.textContent('#review-answer'), /^Reading late.pgn/);
      await page.evaluate(() => globalThis.arrive());
      await untilReviewed(page);
      assert.match(await page.textContent('#summary'), /B.*Rival/s);
      assert.equal((await download(page)).suggestedFilename(), 'late.analysed.pgn');
    }));

  test('gzip files are reviewed, and unsupported formats are named', () =>
    at('#review', {}, async (page) => {
      await give(page, 'a.pgn.gz', gzipSync(GAMES[0]));
      await untilText(page, GAMES[0]);
      await review(page);
      assert.equal((await download(page)).suggestedFilename(), 'a.analysed.pgn');
      await give(page, 'b.pgn', 'PK\x03\x04');
      await until(page, 'review-answer', 'Cannot read b.pgn: the file is a ZIP archive');
      assert.ok(await page.isVisible('#review-answer'));
    }));

  test('every failure in a review is shown', async () => {
    for (const [fault, words, where = 'review-answer'] of [
      ['Blob.prototype.slice = () => { throw new Error("gone") }', 'Cannot read file.pgn: gone'],
      ['HTMLElement.prototype.append = () => { throw new Error("no room") }', 'no room'],
      ['HTMLCanvasElement.prototype.getContext = () => { throw new Error("no canvas") }', 'Cannot show the review: no canvas'],
      ['URL.createObjectURL = () => { throw new Error("no room") }', 'Cannot save the game: no room', 'remark'],
      ['document.getElementById("next-mistake").onclick = () => { throw new Error("lost") }', 'Something went wrong: .*lost', 'remark'],
    ]) {
      const { page, context } = await visit('#review', { engine: script() });
      await untilReady(page);
      await page.evaluate(fault);
      await give(page, 'file.pgn', GAMES[0]);
      if (!words.startsWith('Cannot read')) {
        await untilText(page, GAMES[0]);
        await page.click('#review-start');
      }
      if (where === 'remark') {
        await untilReviewed(page);
        await page.click(words.includes('lost') ? '#next-mistake' : '#review-save');
      }
      await until(page, where, words);
      assert.ok(await page.isVisible(`#${where}`), words);
      await context.close();
    }
  });

  test('a claimable draw is shown, and the position is analysed', () =>
    at('#analyse', {}, async (page) => {
      for (const [clock, words] of [[99, '^$'], [100, 'A draw can be claimed: fifty-move rule'], [150, '1/2-1/2: seventy-five-move rule']]) {
        await enter(page, '#fen', `4k3/8/8/8/8/8/8/R3K3 w - - ${clock} 90`);
        await until(page, 'analyse-status', words);
        await page.waitForSelector('#lines li');
      }
    }));

  test('a promotion after the flag has fallen loses', () =>
    at('', { moves: ['h7h5', 'h5h4', 'h4h3', 'h3g2'] }, async (page) => {
      await page.selectOption('#time', '60+30');
      await page.click('#begin');
      for (const [at, text] of ['a4', 'a5', 'a6', 'axb7'].entries()) {
        await play(page, text, 2 * at + 2);
      }
      await click(page, 'b7', 'a8');
      await page.waitForSelector('#promotion[open]');
      await page.clock.fastForward(2 * 3600_000);
      await until(page, 'play-status', 'Carrybit wins: time');
      await page.click('#promotion [aria-label="queen"]');
      await quiet(page);
      assert.equal(await count(page, 'play-moves'), 8);
      assert.match(await page.textContent('#play-status'), /Carrybit wins: time/);
    }, { prepare: (page) => page.clock.install() }));

  test('a reload restores a game with its strength and clocks, and a take-back restores the clocks', () =>
    at('', { moves: ['e7e5'] }, async (page) => {
      await page.selectOption('#start', 'number');
      await page.fill('#number', '0');
      await page.selectOption('#time', '60+30');
      await page.fill('#elo', '1000');
      await page.check('#panel-play input[value="w"]', { force: true });
      const began = Date.now();
      /** Whether the clock of a row shows `most` seconds, less at most the time since `began`. */
      const shows = async (row, most) => {
        const seconds = (await page.textContent(`${row} .clock`)).split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
        return seconds <= most && seconds >= most - 1 - (Date.now() - began) / 1000;
      };
      await page.click('#begin');
      await play(page, 'e4', 2);
      const pieces = () => page.getAttribute('#board svg', 'aria-label');
      const before = await pieces();
      await page.clock.fastForward(600_000);
      // Another browser tab.
      await page.evaluate(() => localStorage.setItem('carrybit.play.elo', '2000'));
      for (const hash of ['#analyse', '#play']) {
        await page.evaluate((mode) => history.replaceState(null, '', mode), hash);
        await page.reload();
      }
      await page.waitForSelector('#bottom .running');
      assert.equal(await count(page, 'play-moves'), 2);
      assert.equal(await pieces(), before);
      assert.match(await page.textContent('#play-status'), /^Game restored/);
      assert.match(await page.textContent('#top'), /Carrybit1000/);
      assert.ok(await shows('#top', 3630));
      assert.ok(await shows('#bottom', 3030));
      await page.click('#take-back');
      assert.equal(await count(page, 'play-moves'), 0);
      assert.ok(await shows('#bottom', 3600));
      await resign(page);
      await page.reload();
      await page.waitForSelector('#play-form', { state: 'visible' });
    }, { prepare: (page) => page.clock.install() }));

  test('a reload after a crash of the engine restores the game', async () => {
    const { page, context } = await visit('', { engine: script({ fails: 'go' }) });
    await page.click('#begin');
    await play(page, 'e4', 1);
    await until(page, 'play-status', 'engine failed');
    await page.unroute('**/carrybit.js');
    await page.reload();
    await untilMoves(page, 'play-moves', 2);
    await context.close();
  });

  test('stored games that are over or damaged are ignored', () =>
    at('', {}, async (page) => {
      const good = { moves: ['e2e4'], you: 'b', elo: '1000', fen: 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' };
      const turns = Array(3).fill({ w: 1000, b: 1000 });
      const openStored = async (text) => {
        await page.evaluate((stored) => sessionStorage.setItem('carrybit.play.game', stored), text);
        await page.reload();
        await untilReady(page);
        return page.isVisible('#play-game');
      };
      for (const text of [
        '{', 'null',
        ...[
          { fen: 'no such position' }, { moves: ['e2e5'] }, { moves: undefined }, { you: 'x' }, { clock: 5 },
          { moves: ['f2f3', 'e7e5', 'g2g4', 'd8h4'] },
        ].map((change) => JSON.stringify({ ...good, ...change })),
      ]) {
        assert.ok(!(await openStored(text)), text);
      }
      assert.ok(await openStored(JSON.stringify({ ...good, clock: { increment: 0, turns } })));
    }));

  test('arrow keys work in an empty field, and a move in an earlier position is refused', () =>
    at('', { moves: ['e7e5'] }, async (page) => {
      await page.click('#begin');
      await page.keyboard.type('e4');
      await page.keyboard.press('Enter');
      await untilMoves(page, 'play-moves', 2);
      await page.keyboard.press('ArrowLeft');
      assert.equal(await page.textContent('#play-moves [aria-current] span'), 'e4');
      await page.keyboard.type('d4');
      await page.keyboard.press('ArrowLeft');
      assert.equal(await page.textContent('#play-moves [aria-current] span'), 'e4');
      await page.keyboard.press('Enter');
      assert.match(await page.textContent('#play-answer'), /last position first/);
      await page.focus('#take-back');
      const first = await page.$eval('#board .square', (square) => square.dataset.square);
      await page.keyboard.press('Shift+F');
      await page.waitForFunction((square) => document.querySelector('#board .square').dataset.square !== square, first);
    }));

  const KINGS = '4k3/8/8/8/8/8/8/R3K3 w - -';

  test('a game from a position of the analysis waits while the settings of another are shown', () =>
    at('#analyse', { moves: Array(9).fill('e8e7') }, async (page) => {
      for (const [fen, words] of [['4k3/8/8/8/8/8/8/4K3 w - - 0 1', 'game is over: insufficient material'], [`${KINGS} 0 1`, '^$']]) {
        await enter(page, '#fen', fen);
        await page.click('#analyse-play');
        await until(page, 'begin-answer', words);
        await page.click('nav a[href="#analyse"]');
      }
      await page.click('#analyse-play');
      await page.click('#begin');
      await play(page, 'Ra2', 2);
      await page.evaluate(() => { location.hash = '#analyse'; });
      await page.click('#analyse-play');
      assert.equal(await page.inputValue('#play-fen'), `${KINGS} 0 1`);
      await page.fill('#play-fen', 'no position');
      await page.click('#begin');
      await until(page, 'begin-answer', 'Invalid position');
      await page.click('#play-back');
      assert.equal(await count(page, 'play-moves'), 2);
      assert.ok(await page.isVisible('#play-game'));
    }));

  test('a draw is agreed late if the engine is worse, and claimed by rule', OF_A_RELEASE, async () => {
    const moves = ['Ra2', 'Ra3', 'Ra4', 'Ra5', 'Rb5', 'Rb4', 'Rb3', 'Rb2', 'Rb1', 'Rc1'];
    const replies = moves.map((_, at) => (at % 2 === 0 ? 'e8e7' : 'e7e8'));
    for (const [cp, clock, count, words] of [
      [-900, 0, 1, 'declines the draw'], [0, 0, 10, 'declines the draw'], [-900, 0, 10, 'Draw: by agreement. 1/2-1/2'],
      [500, 98, 1, 'Draw: fifty-move rule. 1/2-1/2'],
    ]) {
      await at('', { cp, moves: replies }, async (page) => {
        await page.selectOption('#start', 'position');
        await page.fill('#play-fen', `${KINGS} ${clock} 80`);
        await page.click('#begin');
        for (const [made, move] of moves.slice(0, count).entries()) {
          await play(page, move, 2 * made + 2);
        }
        await page.click('#draw');
        await until(page, 'play-status', words);
        assert.equal(await page.isVisible('#play-over'), words.startsWith('Draw'));
      });
    }
  });

  test('a game has the local date, and copying is not shown as an error', () =>
    at('', { moves: ['e7e5'] }, async (page) => {
      await page.click('#begin');
      await play(page, 'e4', 2);
      await resign(page);
      await page.click('#play-review');
      assert.match(await page.inputValue('#pgn'), /\[Date "2026\.03\.02"\]/);
      await page.click('nav a[href="#analyse"]');
      await page.click('#copy-fen');
      await until(page, 'fen-answer', '^Copied');
      const colours = await page.evaluate(() => ['#fen-answer', 'body'].map((at) => getComputedStyle(document.querySelector(at)).color));
      assert.equal(colours[0], colours[1]);
    }, { timezoneId: 'Pacific/Kiritimati', prepare: (page) => page.clock.setFixedTime(new Date('2026-03-01T20:00:00Z')) }));
});
