// Uses the page in Chromium and checks that the console stays empty.
//
// CARRYBIT_BENCH is the node count of the native bench; without it, the test of the bench is skipped.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { OF_A_RELEASE, SINGLE, assertFits, click, describePage, download, enter, host, inspect, resign, review, untilMoves } from './browser.mjs';

const NOTICES = existsSync(new URL('../dist/RUST-STANDARD-LIBRARY.html', import.meta.url));

/** After less time, the board shows the next position without an animation. */
const ANIMATED_MS = 500;

/** After this time, in milliseconds, the engine has answered a retry: QUICK_MS of games.mjs, and more. */
const ANSWERED_MS = 1500;

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

/** A blunder, a better move, and a mate. */
const SCHOLAR = '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 {oh} 4. Qxf7# 1-0';

describePage('the page', (suite) => {
  const { at, visit } = suite;

  /** Waits until the pieces stand still, and until the next move will be animated. */
  async function rest(page) {
    await page.waitForTimeout(ANIMATED_MS);
    await page.evaluate(async () => {
      const places = () => [...document.querySelectorAll('#board [data-piece]')].map((piece) => piece.getAttribute('transform')).join();
      for (let [same, last] = [0]; same < 3; ) {
        await new Promise((resolve) => { requestAnimationFrame(resolve); });
        const now = places();
        [same, last] = [now === last ? same + 1 : 0, now];
      }
    });
  }

  const moves = (page, list) => page.$$eval(`#${list} .move > span`, (cells) => cells.map((cell) => cell.textContent));

  async function middle(page, square) {
    await page.waitForFunction(() => {
      const board = document.querySelector('#board');
      return board.querySelector(':scope > div').clientWidth === board.clientWidth;
    });
    const box = await page.locator(`#board .square[data-square="${square}"]`).boundingBox();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  /** Swipes upwards from a square until the page scrolls. */
  async function swipe(page, square) {
    await page.evaluate(() => scrollTo(0, 0));
    const { x, y } = await middle(page, square);
    const session = await page.context().newCDPSession(page);
    const touch = (type, ...touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
    await touch('touchStart', { x, y });
    for (const far of [40, 80, 120]) {
      await touch('touchMove', { x, y: y - far });
    }
    await touch('touchEnd');
    await page.waitForFunction(() => scrollY > 50);
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
      await enter(page, '#play-move', 'Ke5');
      assert.match(await page.textContent('#play-answer'), /not a legal move/);
      await page.keyboard.type('d');
      assert.equal(await page.inputValue('#play-move'), 'd');
      await page.click('#hint');
      await page.waitForSelector('#board [data-arrow]', { state: 'attached' });
      assert.match(await page.textContent('#play-status'), /^Hint: \S+/);
      assert.match(await page.textContent('#speed'), /nodes\/s/);
      assert.ok(!(await page.isVisible('#speed')));
      await page.click('#resign');
      await page.click('#question [value="no"]');
      assert.ok(await page.isVisible('#play-entry'));
      await resign(page);
      for (const part of ['#play-entry', '#play-answer', '#board [data-arrow]']) {
        assert.ok(!(await page.isVisible(part)), part);
      }
      assert.match(await page.textContent('#play-status'), /Carrybit wins: you resigned\. 0-1/);
      await page.click('#play-analyse');
      await page.waitForSelector('#lines li');
      assert.deepEqual(await moves(page, 'analyse-moves'), played.slice(0, 2));
    }));

  test('one file, opened from the disk, is the whole page', () =>
    at(
      '',
      async (page) => {
        await page.fill('#elo', '1000');
        await page.click('#begin');
        await enter(page, '#play-move', 'e4');
        await untilMoves(page, 'play-moves', 2);
        await page.click('nav a[href="#learn"]');
        await page.waitForSelector('#panel-learn:visible');
      },
      { server: { url: SINGLE } },
    ));

  /** Tries what a policy should forbid; resolves when all of it is blocked. */
  async function untilBlocked(page) {
    await page.evaluate(() => {
      globalThis.blocked = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => globalThis.blocked.push(effectiveDirective));
      document.body.append(document.createRange().createContextualFragment(`
        <script>globalThis.hasRun = true;</script><img alt="" src="nowhere.png" onerror="globalThis.hasRun = true">
        <style>body { display: none; }</style><object data="nowhere"></object><iframe src="nowhere.html"></iframe>
        <base href="https://elsewhere.invalid/"><form action="https://elsewhere.invalid/"></form>`));
      fetch('https://elsewhere.invalid/').catch(() => {});
      [...document.forms].at(-1).submit();
    });
    const directives = ['script-src-elem', 'script-src-attr', 'style-src-elem', 'object-src', 'frame-src', 'base-uri', 'form-action', 'connect-src'];
    await page.waitForFunction((all) => all.every((name) => globalThis.blocked.includes(name)), directives);
    assert.equal(await page.evaluate(() => globalThis.hasRun), undefined);
  }

  for (const [name, address, server] of [['the page', ''], ['a chapter', 'learn/README.html'], ['the page in one file', '', { url: SINGLE }]]) {
    test(`the policy of ${name} blocks scripts, styles, forms, frames and requests that are not its own`, async () => {
      const { page, context } = await visit(address, { server });
      const policy = await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', 'content');
      const sources = policy.split('; ').filter((part) => !/^(style-src-attr 'unsafe-inline'|img-src data:)$/.test(part));
      assert.doesNotMatch(sources.join('; '), /'unsafe-|\*|https?:|data:|script-src[^;]* blob:/);
      for (const part of ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]) {
        assert.ok(sources.includes(part), policy);
      }
      await untilBlocked(page);
      await context.close();
    });
  }

  test('Chess960 is played with a clock, as Black, and castling by king takes rook', () =>
    at('', async (page) => {
      await page.selectOption('#start', 'number');
      await page.fill('#number', '0');
      await page.selectOption('#time', '1+0');
      await page.check('#panel-play input[value="b"]', { force: true });
      await page.fill('#elo', '3100');
      await page.click('#begin');
      await untilMoves(page, 'play-moves', 1);
      assert.match(await page.textContent('#bottom'), /You(1:00|0:\d\d(\.\d)?)$/);
      await page.click('nav a[href="#analyse"]');
      await enter(page, '#fen', '6k1/8/8/8/8/8/8/5RKR w HF - 0 1');
      assert.match(await page.inputValue('#fen'), /w KQ - 0 1/);
      await enter(page, '#fen', '6k1/8/8/8/8/8/8/1R4KR w HB - 0 1');
      // An animation that another move of the pieces interrupts makes cm-chessboard print a warning.
      await rest(page);
      await click(page, 'g1', 'b1');
      assert.deepEqual(await moves(page, 'analyse-moves'), ['O-O-O']);
      assert.match(await page.inputValue('#fen'), /2KR3R b - - 1 1/);
    }));

  test('the names and the bar turn with the board', () =>
    at('', async (page) => {
      await page.check('#panel-play input[value="b"]', { force: true });
      await page.click('#begin');
      assert.match(await page.textContent('#bottom'), /You/);
      await untilMoves(page, 'play-moves', 1);
      await page.click('.flip:visible');
      assert.match(await page.textContent('#top'), /You/);
      assert.equal(await page.$('#bar.flipped'), null);
      await page.click('.flip:visible');
      assert.match(await page.textContent('#bottom'), /You/);
      assert.ok(await page.$('#bar.flipped'));
      await page.click('.flip:visible');
      await page.waitForFunction(() => {
        const [one, eight] = ['a1', 'a8'].map((name) => document.querySelector(`#board .square[data-square="${name}"]`));
        return one.getBoundingClientRect().top > eight.getBoundingClientRect().top;
      });
      await page.click('.flip:visible');
      // Each mode has its own side.
      for (const [mode, state] of [['analyse', ':not(.flipped)'], ['play', '.flipped']]) {
        await page.click(`nav a[href="#${mode}"]`);
        await page.waitForSelector(`[data-mode="${mode}"] #bar${state}`, { state: 'attached' });
      }
      await page.click('.flip:visible');
      for (const mode of ['analyse', 'play']) {
        await page.click(`nav a[href="#${mode}"]`);
        await page.waitForSelector(`[data-mode="${mode}"] #bar:not(.flipped)`, { state: 'attached' });
      }
    }));

  const program = process.env.CARRYBIT_PROGRAM;
  test('the page of `carrybit analyse` shows its games', { skip: !program && 'CARRYBIT_PROGRAM is not set' }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carrybit-'));
    const games = join(folder, 'games.pgn');
    copyFileSync(new URL('games.pgn', import.meta.url), games);
    execFileSync(program, ['analyse', games, '--nodes', '200', '--hash', '1'], { stdio: 'ignore' });
    const url = pathToFileURL(join(folder, 'games.analysed.html')).href;
    await at('', async (page) => {
      assert.equal(await page.$$eval('#board .piece', (pieces) => pieces.length), 32);
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => location.hash === '#1.1');
      const game = () => page.textContent('#games [aria-current]');
      const first = await game();
      await page.keyboard.press('ArrowDown');
      assert.notEqual(await game(), first);
      await page.keyboard.press('m');
      await inspect(page, 'the report');
    }, { server: { url } });
    const { page, context } = await visit('', { server: { url } });
    await untilBlocked(page);
    await context.close();
    rmSync(folder, { recursive: true });
  });

  test('a FEN is analysed, with lines, arrows and chances', () =>
    at('#analyse', async (page) => {
      await enter(page, '#fen', '6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1');
      await page.waitForFunction(() => document.querySelector('#lines .score')?.textContent === '#1');
      await page.waitForFunction(() => ['#lines li', '#board [data-arrow]'].every((parts) => document.querySelectorAll(parts).length === 3));
      assert.match(await page.getAttribute('.wdl', 'aria-label'), /White wins 100 %/);
      assert.match(await page.getAttribute('#bar', 'aria-valuetext'), /9\d percent for White, #1/);
      await page.waitForFunction(() => /nodes\/s/.test(document.querySelector('#speed').textContent));
      assert.match(await page.textContent('footer'), /Carrybit \d.*network [0-9a-f]{8}/s);
      await page.click('#lines .pv button');
      assert.match(await page.textContent('#analyse-status'), /1-0: checkmate/);
      await enter(page, '#fen', 'no such position');
      assert.match(await page.textContent('#fen-answer'), /Invalid FEN/);
      await page.focus('#set-up');
      await page.keyboard.press('ArrowLeft');
      assert.match(await page.inputValue('#fen'), /^6k1/);
    }));

  test('a clicked piece is let go when the position changes', () =>
    at('#analyse', async (page) => {
      await enter(page, '#analyse-move', 'e4');
      await enter(page, '#analyse-move', 'e5');
      await page.focus('#set-up');
      await page.keyboard.press('Home');
      await rest(page);
      await click(page, 'g1');
      await page.hover('#board .square[data-square="h4"]');
      await page.focus('#set-up');
      await page.keyboard.press('End');
      await rest(page);
      await click(page, 'f3', 'f1', 'c4');
      await untilMoves(page, 'analyse-moves', 3);
      assert.deepEqual(await moves(page, 'analyse-moves'), ['e4', 'e5', 'Bc4']);
    }));

  test('a position is set up by hand, and a pawn is promoted', () =>
    at('#analyse', async (page) => {
      await click(page, 'e2');
      await page.click('#set-up');
      await page.hover('#board .square[data-square="e4"]');
      assert.equal(await page.$('#board .mark-selected'), null);
      await page.click('#setup-clear');
      assert.equal(await page.$('#setup [name^="castle-"]:checked'), null);
      for (const [name, square] of [['White king', 'e1'], ['Black king', 'e8'], ['White pawn', 'a7'], ['Black rook', 'h5']]) {
        await page.check(`#palette [aria-label="${name}"]`, { force: true });
        await click(page, square);
      }
      await page.check('#palette [aria-label="Remove"]', { force: true });
      await page.fill('#setup-square', 'h9');
      assert.equal(await page.textContent('#setup-answer'), 'h9 is no square.');
      await page.fill('#setup-square', 'h5');
      assert.equal(await page.inputValue('#setup-square'), '');
      await page.press('#setup-square', 'Enter');
      await page.click('#setup-done');
      assert.equal(await page.inputValue('#fen'), '4k3/P7/8/8/8/8/8/4K3 w - - 0 1');
      await click(page, 'a7', 'a8');
      const [square, queen] = await Promise.all(['#board .square[data-square="a8"]', '#promotion [aria-label="queen"]'].map((part) =>
        page.locator(part).boundingBox()));
      assert.ok(Math.abs(square.x - queen.x) < 3 && Math.abs(square.y - queen.y) < 3);
      await page.click('#promotion [aria-label="rook"]');
      await page.waitForFunction(() => document.querySelector('#analyse-moves .move')?.textContent === 'a8=R+');
      // An inner rook with the right to castle, an en passant square, and counters.
      const fen = '4k3/8/8/3pP3/8/8/8/4KR1R w F d6 0 40';
      await enter(page, '#fen', fen);
      await page.click('#set-up');
      await page.click('#setup-done');
      assert.equal(await page.inputValue('#fen'), fen);
    }));

  test('pieces are dragged, and set up by taps; a swipe over them only scrolls the page', () =>
    at('#analyse', async (page) => {
      const untilPieces = (count) =>
        page.waitForFunction((expected) => document.querySelectorAll('#board .piece').length === expected, count);
      const [e2, e4] = [await middle(page, 'e2'), await middle(page, 'e4')];
      await page.mouse.move(e2.x, e2.y);
      await page.mouse.down();
      await page.mouse.move(e4.x, e4.y, { steps: 4 });
      await page.mouse.up();
      await untilMoves(page, 'analyse-moves', 1);
      await page.click('#set-up');
      await page.tap('#board .square[data-square="d2"]');
      assert.equal(await page.textContent('#setup-answer'), 'Choose a piece first.');
      await page.check('#palette [aria-label="Remove"]', { force: true });
      await page.tap('#board .square[data-square="d2"]');
      await untilPieces(31);
      await page.check('#palette [aria-label="White queen"]', { force: true });
      await page.tap('#board .square[data-square="d2"]');
      await untilPieces(32);
      await page.check('#palette [aria-label="Remove"]', { force: true });
      await swipe(page, 'd2');
      await page.fill('#setup-square', 'd3');
      assert.equal(await page.textContent('#setup-answer'), 'd3: empty');
      await page.click('#setup-done');
      assert.match(await page.inputValue('#fen'), /^rnbqkbnr\/pppppppp\/8\/8\/4P3\/8\/PPPQ1PPP\/RNBQKBNR /);
    }, phone));

  test('a swipe over the pieces of a review scrolls the page, and a problem is scrolled into view', () =>
    at('#review', async (page) => {
      await swipe(page, 'd2');
      await page.fill('#pgn', '1. e4 e5 2. Ke3');
      await page.tap('#review-start');
      await page.waitForFunction(() => document.querySelector('#review-answer').textContent.includes('Ke3 is not legal'));
      assert.ok(await page.$eval('#review-answer', (part) => part.getBoundingClientRect().bottom < innerHeight));
    }, phone));

  test('fields have at least 16 pixels on a phone', () =>
    at('', async (page) => {
      const sizes = await page.$$eval('input:not([type=radio], [type=checkbox], [type=range]), select, textarea', (fields) =>
        fields.map((field) => `${field.id} ${getComputedStyle(field).fontSize}`));
      assert.ok(sizes.length > 8);
      assert.deepEqual(sizes.filter((size) => !size.endsWith(' 16px')), []);
    }, phone));

  test('the user draws circles and arrows, which stay until the position changes', () =>
    at('#analyse', async (page) => {
      const drag = async (from, to) => {
        const [start, end] = [await middle(page, from), await middle(page, to)];
        await page.mouse.move(start.x, start.y);
        await page.mouse.down({ button: 'right' });
        await page.mouse.move(end.x, end.y, { steps: 3 });
        await page.mouse.up({ button: 'right' });
      };
      const count = (part) => page.$$eval(`#board ${part}`, (parts) => parts.length);
      await drag('e2', 'e4');
      await page.keyboard.down('Shift');
      await drag('d5', 'd5');
      await page.keyboard.up('Shift');
      await page.waitForSelector('#board .arrow-1', { state: 'attached' });
      assert.deepEqual([await count('.arrow-success'), await count('.marker-circle-danger')], [1, 1]);
      assert.equal(await count('[data-arrow="e2e4"]'), 1);
      await page.click('#draw-on');
      await page.dragAndDrop('#board .square[data-square="e2"]', '#board .square[data-square="e4"]');
      assert.equal(await count('.arrow-success'), 0);
      // The right button draws, too.
      await drag('g1', 'f3');
      assert.equal(await count('.arrow-success'), 1);
      await page.click('#draw-on');
      await page.click('#undo');
      // A drag that began outside the board is no change.
      await page.dispatchEvent('#board', 'mouseup', { button: 2 });
      assert.ok(await page.isEnabled('#redo'));
      await enter(page, '#analyse-move', 'e4');
      assert.equal(await count('.marker-circle-danger'), 0);
    }));

  const sizes = [[1280, 800, {}], [390, 844, {}], ...[[1920, 1080], [844, 390], [820, 1180], [320, 568]].map((size) => [...size, OF_A_RELEASE])];
  for (const [width, height, when] of sizes) {
    test(`at ${width} by ${height}, board and panel fit`, when, () =>
      at('', async (page) => {
        const box = (part) => page.$eval(part, (element) => element.getBoundingClientRect().toJSON());
        for (const mode of ['play', 'analyse', 'review', 'learn']) {
          await page.click(`nav a[href="#${mode}"]`);
          await assertFits(page, `${mode} at ${width}`);
        }
        await page.click('nav a[href="#play"]');
        await page.click('#begin');
        const [board, stage, panel, list] = await Promise.all(['#board', '#frame', '#panel-play', '#play-moves'].map(box));
        assert.ok(board.bottom <= height && board.right <= width, `${board.bottom}`);
        if (width > height) {
          assert.ok(panel.left >= stage.right && panel.bottom <= height);
          assert.ok(list.bottom <= panel.bottom, `${list.bottom} ${panel.bottom}`);
          assert.ok(board.height > 0.7 * height, `${board.height}`);
        }
        if (height < 400) {
          assert.ok(board.height > height - 20, `${board.height}`);
        }
        if (width > 860) {
          assert.ok(Math.abs(panel.height - (await box('#stage')).height) < 1);
          assert.ok(list.height > height / 3, `${list.height}`);
        }
      }, { viewport: { width, height } }));
  }

  test('stored choices that no longer exist are ignored', () => {
    const names = ['theme', 'play.time', 'play.start', 'analyse.lines', 'review.time'];
    const prepare = (page) =>
      page.addInitScript((stored) => stored.forEach((name) => localStorage.setItem(`carrybit.${name}`, 'gone')), names);
    return at('', async (page) => {
      const values = await page.$$eval('#time, #start, #line-count, #review-time', (fields) => fields.map(({ value }) => value));
      assert.deepEqual(values, ['none', 'standard', '3', 'movetime 500']);
      assert.equal(await page.getAttribute('#theme', 'aria-label'), 'Colours: auto');
    }, { prepare });
  });

  test('a game is reviewed, and saved with annotations', () =>
    at('#review', async (page) => {
      await page.fill('#pgn', SCHOLAR.replace('Nf6', 'Ke8'));
      await page.click('#review-start');
      await page.waitForFunction(() => /move 3\.\.\. Ke8 is not legal/.test(document.querySelector('#review-answer').textContent));
      await page.fill('#pgn', SCHOLAR);
      await page.selectOption('#review-time', 'nodes 100000');
      await review(page);
      await page.click('#next-mistake');
      const words = async () => (await page.textContent('#review-now')).trim();
      while (!(await words()).startsWith('3... Nf6')) {
        const last = await words();
        await page.click('#next-mistake');
        assert.notEqual(await words(), last);
      }
      assert.match(await words(), /^3\.\.\. Nf6\?\? Blunder\.Instead: 3….\S+.*Now best: 4\..Qxf7#/);
      const file = await download(page);
      assert.equal(file.suggestedFilename(), 'game.analysed.pgn');
      const text = readFileSync(await file.path(), 'utf8');
      assert.match(text, /\[Annotator "Carrybit \d/);
      // Lines may break anywhere.
      assert.match(text.replace(/\s+/g, ' '), /3\.\.\. Nf6 \$4 \{ \[%eval #1\] \} \{ Blunder\. (\S+) was best\. \} \{ oh \} \(3\.\.\. \1 /);
      assert.match(text, /4\. Qxf7# 1-0\n$/);
      await page.keyboard.press('End');
      assert.match(await page.textContent('#review-now'), /Qxf7#/);
      await page.keyboard.press('Home');
      await page.locator('#review-now .pv button').nth(1).press('Enter');
      assert.ok(await page.evaluate(() => document.activeElement.matches('#review-now .on')));
      await page.click('.flip:visible');
      await page.click('#review-retry-start');
      const says = (id, text) => page.waitForFunction(([at, part]) => document.getElementById(at).textContent.includes(part), [id, text]);
      while (!(await page.textContent('#retry-status')).includes('3... Nf6')) {
        await page.click('#retry-next');
      }
      for (const [move, text] of [['Nf6', 'is the move of the game'], ['a6', "lowers Black's winning chances from"]]) {
        await enter(page, '#retry-move', move);
        await says('retry-answer', text);
        assert.match(await page.textContent('#retry-status'), /3\.\.\. Nf6\?\? \(blunder\)/);
      }
      await enter(page, '#retry-move', /Nf6 .*?\{ Blunder\. (\S+) was/s.exec(text)[1]);
      await says('retry-answer', 'is the best move');
      assert.match(await page.textContent('#retry-lines'), /^Better: 3….*After 3\.\.\. Nf6\?\?: 4\..Qxf7#/);
      assert.ok(await page.isHidden('#retry-show'));
      // The engine answers this move only after "Next".
      await enter(page, '#retry-move', 'Nh6');
      while (await page.isVisible('#retry-next')) {
        await page.click('#retry-next');
      }
      await page.waitForTimeout(ANSWERED_MS);
      assert.match(await page.textContent('#retry-status'), /^Done: you found 1 of \d+ better moves/);
      await page.selectOption('#retry-side', 'wb');
      await page.click('#retry-show');
      await page.waitForSelector('#board [data-arrow]', { state: 'attached' });
      assert.match(await page.textContent('#retry-answer'), /^The best move was \S+\.$/);
      await page.click('#retry-close');
      await page.keyboard.press('Home');
      await page.locator('#review-now .pv button').nth(1).press('Enter');
      await page.click('#review-analyse');
      await untilMoves(page, 'analyse-moves', 2);
    }));

  test('two copies on one host work offline after the first visit', async () => {
    const other = await host();
    const { page, context } = await visit('', { server: other });
    for (const url of [other.url, other.copy]) {
      await page.goto(url);
      await page.evaluate(() => navigator.serviceWorker.ready);
      await page.waitForFunction((place) => navigator.serviceWorker.controller?.scriptURL.startsWith(`${place}service`), url);
    }
    assert.equal(await page.evaluate(async () => (await caches.keys()).length), 2);
    await other.close();
    for (const url of [other.url, other.copy]) {
      await page.goto(url);
      await page.click('#begin');
      await enter(page, '#play-move', 'd4');
      await untilMoves(page, 'play-moves', 2);
      // The other copy would restore the game.
      await resign(page);
      assert.ok((await page.goto(`${url}index.html`)).ok());
    }
    await context.close();
  });

  for (const [name, options] of [['on a light desk', { colorScheme: 'light' }], ['on a dark phone', { colorScheme: 'dark', ...phone }]]) {
    test(`axe finds no serious violation ${name}`, OF_A_RELEASE, () =>
      at('', async (page) => {
        const look = (where) => inspect(page, where);
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
        await review(page);
        await look('a game reviewed');
      }, options));
  }

  test('the page has the licences of its parts', { skip: !NOTICES && 'it was built without' }, () =>
    at('', async (page) => {
      const get = (name) => page.evaluate(async (file) => (await fetch(file)).text(), name);
      const licences = await get(await page.getAttribute('footer a[href^="licences"]', 'href'));
      for (const name of [/^cm-chessboard /m, /^uplot /m, /^vampirc-uci .*Apache/m, /^serde_json /m, /RUST-STANDARD-LIBRARY/]) {
        assert.match(licences, name);
      }
      assert.match(await get('RUST-STANDARD-LIBRARY.html'), /Rust/);
    }));

  test('the worker passes its query to the module, or loads the module of its hash', async () => {
    const { page, context } = await visit('', { serviceWorkers: 'block' });
    const id = (address) =>
      page.evaluate(
        (script) =>
          new Promise((resolve, reject) => {
            const worker = new Worker(script);
            worker.onmessage = ({ data }) => data.startsWith('id name') && resolve(data);
            worker.onerror = ({ message }) => reject(new Error(message));
            worker.postMessage('uci');
          }),
        address,
      );
    const { server } = suite;
    server.requests.length = 0;
    assert.match(await id('carrybit.js?v=2'), /Carrybit/);
    assert.ok(server.requests.includes('/carrybit.wasm?v=2'), `${server.requests}`);
    assert.match(await id('carrybit.js#copy/carrybit.wasm?v=3'), /Carrybit/);
    assert.ok(server.requests.includes('/copy/carrybit.wasm?v=3'), `${server.requests}`);
    await context.close();
  });

  const bench = process.env.CARRYBIT_BENCH;
  test('the bench counts the nodes of the native program', { skip: !bench && 'CARRYBIT_BENCH is not set' }, () =>
    at('', async (page) => {
      const last = await page.evaluate(() => new Promise((resolve) => {
        const worker = new Worker('carrybit.js');
        worker.onmessage = ({ data }) => /^\d+ nodes/.test(data) && resolve(data);
        worker.postMessage('bench');
      }));
      assert.equal(last.split(' ')[0], bench);
    }));
});
