// Uses the tab Learn in Chromium, by pointer and by keyboard. The numbers are those of docs/learn.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describePage, inspect } from './browser.mjs';

describePage('the tab Learn', ({ at }) => {
  const text = (page, selector) => page.textContent(selector);
  const texts = (page, selector) => page.$$eval(selector, (found) => found.map((element) => element.textContent));
  const check = (page, name, value) => page.check(`input[name="${name}"][value="${value}"]`, { force: true });

  /** The squares of a board with a mark. */
  const marked = (page, board, mark) => texts(page, `#${board} [data-mark="${mark}"]`);

  test('steps are added, and sums off the board set a spare bit', () =>
    at('#learn', async (page) => {
      assert.match(await text(page, '#steps-status'), /^Knight on g5: 6 squares, 2 sums off the board/);
      assert.deepEqual(await marked(page, 'steps-board', 'off'), ['58', '38']);
      await check(page, 'step-piece', 'R');
      await page.click('#steps-board [data-number="33"]');
      assert.match(await text(page, '#steps-status'), /^Rook on b3: 14 squares, 4 sums off the board/);
      assert.deepEqual(await texts(page, '#steps-list li:nth-child(4) :is(.sums code, .bits, .verdict)'), ['20', '1F', '0001 1111', 'off: 08']);
      assert.deepEqual(await texts(page, '#steps-list li:nth-child(4) .spare.set'), ['1']);
      for (const key of ['ArrowUp', 'ArrowLeft', 'ArrowLeft', 'ArrowDown']) {
        await page.keyboard.press(key);
      }
      assert.match(await text(page, '#steps-status'), /^Rook on a3/);
      assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'a3, 20, rook, from');
      await page.focus('input[name="step-piece"][value="R"]');
      await page.keyboard.press('ArrowRight');
      assert.match(await text(page, '#steps-status'), /^Queen on a3/);
    }));

  test('the difference of two squares gives the pieces and the step', () =>
    at('#learn', async (page) => {
      assert.equal(await text(page, '#difference-status'), 'e4 to g5 is 12: knight.');
      await page.click('#difference-board [data-number="17"]');
      await page.click('#difference-board [data-number="102"]');
      const answers = () => texts(page, '#difference-answer dd');
      assert.deepEqual(await answers(), ['66 − 11 = 55', '14bishop, queen', '14bishop, queen', '11', '22 33 44 55']);
      assert.deepEqual(await marked(page, 'difference-board', 'between'), ['55', '44', '33', '22']);
      assert.equal(await text(page, '#difference-table .here'), '14');
      // From d5 to e4, with the keyboard: the pawn of Black.
      await page.click('#difference-board [data-number="51"]');
      await page.focus('input[name="difference-end"][value="from"]');
      await page.keyboard.press('ArrowRight');
      await page.focus('#difference-board [data-number="102"]');
      for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) {
        await page.keyboard.press(key);
      }
      assert.equal(await text(page, '#difference-status'), 'd4 to e3 is F1: bishop, queen, king (White), pawn, bishop, queen, king (Black).');
    }));

  test('checks and pins are found from the king', () =>
    at('#learn', async (page) => {
      assert.equal(await text(page, '#check-status'), 'Rook e8: check.');
      assert.deepEqual(await marked(page, 'check-board', 'walked'), ['64', '54', '44', '34', '24', '14']);
      const verdicts = async (at) => {
        await page.check(`input[name="check-position"] >> nth=${at}`, { force: true });
        return (await texts(page, '.card .verdict')).sort();
      };
      assert.deepEqual(await verdicts(1), ['check', 'check', 'no attack', 'pins d2']);
      assert.match(await text(page, '#check-moves'), /K.* K/);
      assert.deepEqual(await verdicts(2), ['no attack', 'no attack', 'pins d2', 'pins e4']);
      assert.deepEqual(await verdicts(3), ['blocked twice', 'check if e5 moves', 'no attack', 'no attack']);
      await page.focus('.card:has-text("h4")');
      await page.keyboard.press('Enter');
      assert.equal(await text(page, '#check-status'), 'Queen h4: blocked twice.');
      assert.equal(await page.getAttribute('.card:has-text("h4")', 'aria-pressed'), 'true');
    }));

  test('a step is added to 64 squares, and the mask has those on the board', () =>
    at('#learn', async (page) => {
      assert.equal(await text(page, '#lanes-mask'), '00007F7F7F7F7F7F');
      await check(page, 'lane-step', 1);
      assert.equal(await text(page, '#lanes-mask'), '7F7F7F7F7F7F7F7F');
      assert.deepEqual(await marked(page, 'lanes-board', 'off'), ['78', '68', '58', '48', '38', '28', '18', '08']);
      await page.focus('input[name="lane-stage"]:checked');
      await page.keyboard.press('ArrowRight');
      assert.deepEqual(await marked(page, 'lanes-board', 'off'), Array(8).fill('08'));
      await page.focus('input[name="lane-step"]:checked');
      await page.keyboard.press('ArrowRight');
      assert.match(await text(page, '#lanes-status'), /^Step EE: 42 squares stay on the board, 22 fall off/);
    }));

  test('the tree grows move by move to the score of alpha-beta', () =>
    at('#learn', async (page) => {
      const visible = () => page.$$eval('.node', (nodes) => nodes.filter((node) => node.checkVisibility({ visibilityProperty: true })).length);
      assert.equal(await visible(), 1);
      await page.click('#tree-next');
      assert.equal(await text(page, '#tree-status'), 'White plays Ka1. Black has 3 moves.');
      await page.click('#tree-next');
      await page.click('#tree-next');
      assert.equal(await visible(), 4);
      await page.click('#tree-back');
      assert.equal(await visible(), 3);
      const cutoff = async () => /Cutoff: White already has −100 elsewhere, so 3 moves/.test(await text(page, '#tree-status'));
      for (let at = 0; at < 50 && !(await cutoff()); at++) {
        await page.click('#tree-next');
      }
      assert.match(await text(page, '#tree-status'), /^Kxb3: ≤ −100/);
      assert.ok(await page.isVisible('.cut:has-text("3 skipped")'));
      await page.focus('#tree-next');
      for (let at = 0; at < 50; at++) {
        await page.keyboard.press('Enter');
      }
      assert.equal(await text(page, '#tree-status'), 'The search is complete. The best move is Kc2, with a score of 0.');
      assert.match(await text(page, '#tree-count'), /^18 of 39 leaves/);
    }));

  test('the tree plays until it is paused or the tab is left', () =>
    at('#learn', async (page) => {
      const step = async () => Number(/step (\d+)/.exec(await text(page, '#tree-count'))[1]);
      await page.clock.pauseAt(await page.evaluate(() => Date.now() + 60_000));
      await page.click('#tree-play');
      assert.equal(await step(), 2);
      await page.clock.runFor(1800);
      assert.equal(await step(), 4);
      assert.equal(await text(page, '#tree-play'), 'Pause');
      await page.click('#tree-play');
      const paused = await step();
      await page.clock.runFor(1200);
      assert.equal(await step(), paused);
      await page.click('#tree-play');
      await page.click('nav a[href="#play"]');
      await page.waitForSelector('#board', { state: 'visible' });
      const left = await step();
      await page.clock.runFor(1200);
      await page.click('nav a[href="#learn"]');
      await page.waitForSelector('#board', { state: 'hidden' });
      assert.equal(await step(), left);
    }, { prepare: (page) => page.clock.install() }));

  test('the links lead to the chapters of the course', () =>
    at('#learn', async (page) => {
      const links = await page.$$eval('#panel-learn a', (found) => found.map(({ href }) => href));
      assert.equal(links.length, 7);
      for (const link of links) {
        await page.goto(link);
        await page.setViewportSize({ width: 390, height: 844 });
        await inspect(page, link);
        assert.ok(!/\]\(|\*\*|```/.test(await text(page, 'main')), link);
      }
      await page.click('text=Next: move ordering');
      assert.match(await text(page, 'h1'), /^8\. /);
      await page.click('text=Try the ideas');
      await page.waitForSelector('#panel-learn', { state: 'visible' });
    }));

  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  for (const [name, options] of [['a dark phone', { colorScheme: 'dark', ...phone }], ['a light desk', { colorScheme: 'light' }]]) {
    test(`axe finds no serious violation, and nothing moves, on ${name}`, () =>
      at('#learn', async (page) => {
        const tops = () => page.$$eval('.lesson', (lessons) => lessons.map((lesson) => lesson.offsetTop));
        await inspect(page, 'learn');
        const before = await tops();
        await check(page, 'step-piece', 'Q');
        await page.click('#steps-board [data-number="0"]');
        await page.click('#difference-board [data-number="0"]');
        await page.click('#difference-board [data-number="7"]');
        for (const at of [1, 2, 3]) {
          await page.check(`input[name="check-position"] >> nth=${at}`, { force: true });
          assert.deepEqual(await tops(), before);
        }
        await check(page, 'lane-stage', 'mask');
        for (let at = 0; at < 24; at++) {
          await page.click('#tree-next');
        }
        await inspect(page, 'learn, used');
        assert.deepEqual(await tops(), before);
      }, options));
  }
});
