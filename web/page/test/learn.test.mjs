// Uses the tab Learn in Chromium: each live picture by pointer and by keyboard. The numbers are those of docs/learn.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { OF_A_RELEASE, SINGLE, describePage, inspect } from './browser.mjs';

/** The chapters with live pictures, by the name of the picture. */
const CHAPTERS = {
  board: '01-board', steps: '02-steps', differences: '03-differences', check: '04-check', exchange: '05-exchange', lanes: '06-lanes',
  tree: '07-tree', table: '08-table',
};

describePage('the tab Learn', ({ at, visit }) => {
  const text = (page, selector) => page.textContent(`.live ${selector}`);
  const status = (page) => text(page, '.status');
  const texts = (page, selector) => page.$$eval(`.live ${selector}`, (found) => found.map((element) => element.textContent));
  const check = (page, name, value) => page.check(`input[name="${name}"][value="${value}"]`, { force: true });
  const cell = (number) => `.live .squares [data-number="${number}"]`;
  const marked = (page, mark) => texts(page, `.cell[data-mark="${mark}"]`);
  const lit = (page) => page.$$eval('.line.lit', (lines) => lines.map(({ textContent }) => textContent.trim()));
  const press = async (page, ...keys) => {
    for (const key of keys) {
      await page.keyboard.press(key);
    }
  };
  const drag = async (page, from, to) => {
    const middle = async (number) => {
      await page.locator(cell(number)).scrollIntoViewIfNeeded();
      const { x, y, width, height } = await page.locator(cell(number)).boundingBox();
      return [x + width / 2, y + height / 2];
    };
    await middle(from);
    const end = await middle(to);
    await page.mouse.move(...(await middle(from)));
    await page.mouse.down();
    await page.mouse.move(...end, { steps: 3 });
    await page.mouse.up();
  };
  const chapter = (name, act) => at(`#learn/${CHAPTERS[name]}`, act);

  test('a step over the edge sets a spare bit', () =>
    chapter('board', async (page) => {
      assert.match(await status(page), /^h4 is 37: rank 3, file 7/);
      assert.deepEqual(await marked(page, 'off'), ['38']);
      await page.hover('.live li[data-mark="off"]');
      assert.deepEqual(await lit(page), ['square & 0x88 == 0']);
      await page.focus(cell(0x37));
      await press(page, 'ArrowRight');
      assert.equal(await status(page), '38 is off the board; AND 88 is 08.');
      await press(page, 'ArrowLeft', 'ArrowLeft');
      assert.match(await status(page), /^g4/);
      assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'g4, 36, king, from');
      await drag(page, 0x36, 0x30);
      assert.deepEqual(await texts(page, 'li:nth-child(4) :is(.sums code, .bits, .verdict)'), ['2F', '0010 1111', 'off: 08']);
      await page.click(cell(0x74));
      assert.deepEqual(await texts(page, 'li:nth-child(1) .verdict'), ['off: 80']);
    }));

  test('a slider repeats its step up to the edge or a piece', () =>
    chapter('steps', async (page) => {
      assert.equal(await status(page), 'Knight on g5: 6 moves, 2 sums off the board.');
      assert.deepEqual(await marked(page, 'off'), ['58', '38']);
      // No piece can stand off the board.
      await drag(page, 0x46, 0x58);
      await page.click(cell(0x46));
      await page.click(cell(0x58));
      assert.equal(await status(page), 'Knight on g5: 6 moves, 2 sums off the board.');
      await page.click(cell(0x21));
      assert.equal(await status(page), 'Rook on b3: 8 moves, 2 sums off the board.');
      assert.deepEqual(await texts(page, '.verdict'), ['b6: capture', 'e3: own piece', 'off: 80', 'off: 08']);
      await page.hover(cell(0x24));
      assert.match((await lit(page)).join(), /no own piece/);
      await page.hover('.line:has-text("add the move")');
      assert.ok((await page.$$('.cell.lit')).length > 0);
      await check(page, 'step-piece', 'Q');
      assert.match(await status(page), /^Queen on b3/);
      await drag(page, 0x24, 0x27);
      assert.match(await status(page), /^Pawn on h3: 1 move/);
      // The keyboard takes the knight to a1.
      await page.focus(cell(0x46));
      await press(page, 'Enter', ...Array(4).fill('ArrowDown'), ...Array(6).fill('ArrowLeft'), 'Enter');
      assert.equal(await status(page), 'Knight on a1: 1 move, 6 sums off the board.');
    }));

  test('two squares light an entry of the table, and an entry all pairs of squares', () =>
    chapter('differences', async (page) => {
      const entry = () => text(page, '.table [aria-selected="true"]');
      const answers = () => texts(page, 'dd');
      assert.deepEqual(await answers(), ['66 − 11 = 55', '14 bishop, queen', '14 AND 44 = 04', '11', '22 33 44 55']);
      assert.equal(await entry(), '55');
      await page.hover('.live .table [aria-selected="true"]');
      assert.deepEqual(await lit(page), ['kinds = table[difference]']);
      await check(page, 'difference-piece', 'N');
      assert.equal((await answers())[2], '14 AND 42 = 00');
      await page.click(cell(0x32));
      assert.equal(await entry(), '21');
      assert.match(await status(page), /the knight attacks/);
      await drag(page, 0x11, 0x34);
      assert.equal(await entry(), 'FE');
      await page.click('.live .table [data-ranks="1"][data-files="2"]');
      assert.match(await status(page), /^Difference 12: 42 pairs/);
      assert.equal((await page.$$('.arrows > path')).length, 42);
      await press(page, 'ArrowRight');
      assert.match(await status(page), /^Difference 13: 35 pairs/);
      await page.focus(cell(0x00));
      await press(page, 'ArrowRight', 'Enter');
      assert.match(await status(page), / to b1 is /);
    }));

  test('checks and pins are found from the king, and pieces can be moved', () =>
    chapter('check', async (page) => {
      assert.equal(await status(page), 'Rook e8: check.');
      assert.match(await text(page, '.try > p:not(.status)'), /^5 legal moves: .*Be6/);
      assert.deepEqual(await marked(page, 'walked'), ['64', '54', '44', '34', '24', '14']);
      const verdicts = async () => (await texts(page, '.card .verdict')).sort();
      assert.deepEqual(await verdicts(), ['check', 'no attack', 'pins d2']);
      assert.deepEqual(await lit(page), ['walk from the king to the piece, and count the pieces between', 'none: check']);
      await drag(page, 0x13, 0x24);
      assert.deepEqual(await verdicts(), ['check', 'no attack', 'pins e3']);
      await page.focus(cell(0x31));
      await press(page, 'Enter', 'ArrowUp', 'Enter');
      assert.deepEqual(await verdicts(), ['no attack', 'no attack', 'pins e3']);
      await page.check('input[name="check-position"] >> nth=0', { force: true });
      assert.deepEqual(await verdicts(), ['check', 'no attack', 'pins d2']);
      await page.check('input[name="check-position"] >> nth=3', { force: true });
      assert.deepEqual(await verdicts(), ['blocked twice', 'check if e5 moves', 'no attack', 'no attack']);
      await page.focus('.card:has-text("h4")');
      await press(page, 'Enter');
      assert.equal(await status(page), 'Queen h4: blocked twice.');
      // A white rook on h5 would attack the king that is not to move.
      await page.check('input[name="check-position"] >> nth=2', { force: true });
      await drag(page, 0x34, 0x37);
      assert.match(await status(page), /^(This is no legal position|Bishop b4)/);
    }));

  test('an exchange ends where a side stops', () =>
    chapter('exchange', async (page) => {
      assert.equal(await status(page), 'The exchange is worth +100 for White.');
      assert.equal((await texts(page, '.exchange li')).length, 5);
      await page.check('input[name="exchange-position"] >> nth=1', { force: true });
      assert.equal(await status(page), 'The exchange is worth −220 for White. White stops before capture 3.');
      await page.focus('input[name="exchange-capture"]:checked');
      await drag(page, 0x54, 0x57);
      assert.equal(await status(page), 'The exchange is worth +100 for White.');
      await page.focus(cell(0x55));
      await press(page, 'Enter', 'ArrowRight', 'Enter');
      assert.equal((await texts(page, '.exchange li')).length, 3);
    }));

  test('a subtraction finds how far a line reaches', () =>
    chapter('lanes', async (page) => {
      assert.match(await status(page), /^Line ↑ of d4 reaches d5 d6\. On the board: 8787878F87878F8F/);
      assert.deepEqual(await texts(page, 'dd'), ['1000 1010 8A', '1000 1001 89', '0000 0011 03', '0000 0011 03']);
      assert.ok((await lit(page)).some((line) => line.startsWith('= squares')));
      await check(page, 'lane-stage', 'ands');
      assert.ok((await lit(page)).some((line) => line.startsWith('AND 88')));
      await drag(page, 0x53, 0x43);
      assert.match(await status(page), /reaches d5\./);
      await page.focus('.lanes button:nth-child(3)');
      await press(page, 'Enter');
      assert.match(await status(page), /^Line ↓ of d4 reaches d3 d2 d1/);
      await page.focus(cell(0x33));
      await press(page, 'ArrowDown', 'Enter');
      assert.match(await status(page), /^Line ↓ of d3 reaches d2 d1/);
    }));

  test('the tree grows move by move to the score of alpha-beta', () =>
    chapter('tree', async (page) => {
      const visible = () => page.$$eval('.node', (nodes) => nodes.filter((node) => node.checkVisibility({ visibilityProperty: true })).length);
      const end = () => press(page, ...Array(14).fill('Enter'));
      assert.equal(await visible(), 11);
      await page.click('.live button.main');
      assert.equal(await visible(), 1);
      await end();
      assert.equal(await status(page), 'The search is complete. The best move is C, with a score of +40.');
      assert.match(await text(page, 'p.faint >> nth=0'), /^7 of 9 leaves/);
      assert.ok(await page.isVisible('.cut:has-text("2 skipped")'));
      await page.click('.node:has-text("B1")');
      assert.match((await lit(page)).join(), /cutoff/);
      await page.click('.node:has-text("B1")');
      assert.match(await status(page), /^B1: \+20.* Cutoff: White already has \+30/);
      await page.check('input[name="tree"] >> nth=1', { force: true });
      await page.focus('.live button.main');
      await press(page, ...Array(12).fill('Enter'));
      assert.match(await text(page, 'p.faint >> nth=0'), /^5 of 9 leaves/);
      await page.check('input[name="tree"] >> nth=2', { force: true });
      assert.match(await status(page), /White has 4 moves/);
    }));

  test('the table keeps what a search has found, and a second order of moves finds it', () =>
    chapter('table', async (page) => {
      assert.equal((await texts(page, '.entries tbody tr')).length, 8);
      assert.match(await status(page), /^White plays a3\. .* Key A499…, entry 5 has this key, and depth 1 is enough: a hit\.$/);
      assert.match(await text(page, 'p.faint'), /of 73 nodes \(79 without the table\)/);
      await page.click('.live button:has-text("hit")');
      assert.match(await status(page), /Key 3177…, entry 1 .* a hit/);
      const stored = await text(page, '.entries .here code');
      assert.match(await status(page), new RegExp(`Key ${stored}`));
      await page.focus('.entries .here button');
      await press(page, 'Enter');
      assert.match(await status(page), /now has it, with depth/);
      assert.match((await lit(page)).join(), /memory\.store/);
      await page.focus('.live button.main');
      await press(page, ...Array(3).fill('Enter'));
      assert.match(await text(page, 'p.faint'), / step \d+ of 118$/);
    }));

  test('the tree plays until it is paused or the tab is left', () =>
    at(`#learn/${CHAPTERS.tree}`, async (page) => {
      const step = async () => Number(/step (\d+)/.exec(await text(page, 'p.faint >> nth=0'))[1]);
      await page.clock.pauseAt(await page.evaluate(() => Date.now() + 60_000));
      const play = '.live .buttons button:nth-child(3)';
      // At the end, it begins again.
      await page.click(play);
      await page.clock.runFor(1800);
      assert.equal(await step(), 4);
      await page.click(play);
      await page.clock.runFor(1200);
      assert.equal(await step(), 4);
      await page.click(play);
      await page.click('nav a[href="#play"]');
      await page.waitForSelector('#board', { state: 'visible' });
      const left = await step();
      await page.clock.runFor(1200);
      assert.equal(await step(), left);
    }, { prepare: (page) => page.clock.install() }));

  test('the contents, and the links to the next and the previous chapter, open chapters in place', () =>
    at('#learn', async (page) => {
      await page.click('#chapter a[href="#learn/01-board"]');
      await page.click('.turn a >> nth=-1');
      await page.waitForSelector('#chapter [data-live="steps"]');
      assert.match(page.url(), /#learn\/02-steps$/);
      await page.click('.turn a >> nth=0');
      await page.waitForSelector('#chapter [data-live="board"]');
      await page.click('#chapters summary');
      await page.click('#chapters a >> nth=3');
      await page.waitForSelector('#chapter [data-live="steps"]');
      await page.goBack();
      await page.waitForSelector('#chapter [data-live="board"]');
    }));

  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  const kinds = [['any chapter on a dark phone', { colorScheme: 'dark', ...phone }, /./], ['a live picture on a light desk', { colorScheme: 'light' }, /^0[1-8]/]];
  for (const [name, options, isTried] of kinds) {
    test(`axe finds no serious violation in ${name}`, OF_A_RELEASE, () =>
      at('#learn', async (page) => {
        const names = await page.$$eval('template', (found) => found.map(({ id }) => id.replace('chapter-', '')));
        assert.equal(names.filter((each) => /^\d/.test(each)).length, (await page.$$('#chapters ol a')).length);
        for (const each of names.filter((found) => isTried.test(found))) {
          await page.evaluate((hash) => (location.hash = hash), `#learn/${each}`);
          await page.waitForFunction((hash) => location.hash === hash, `#learn/${each}`);
          await page.waitForTimeout(50);
          await inspect(page, each);
          assert.ok(!/\]\([\w.]|\*\*|```/.test(await page.textContent('#chapter')), each);
        }
      }, options));
  }

  test('the static chapters show their still pictures, which have colours for both themes', () =>
    at('learn/03-differences.html', async (page) => {
      await inspect(page, 'static');
      assert.ok((await page.$eval('main img', (image) => image.naturalHeight)) > 0);
      const folder = new URL('../dist/learn/images/', import.meta.url);
      for (const name of readdirSync(folder)) {
        assert.match(readFileSync(new URL(name, folder), 'utf8'), /prefers-color-scheme: ?dark/, name);
      }
    }, { colorScheme: 'dark' }));

  test('the page in one file has the chapters with their pictures', async () => {
    const { page, context, problems } = await visit(`#learn/${CHAPTERS.differences}`, { server: { url: SINGLE } });
    assert.match(await status(page), /^b2 to g7 is 55/);
    await page.evaluate(() => (location.hash = '#learn/09-order'));
    await page.waitForFunction(() => document.querySelector('#chapter img')?.naturalHeight > 0);
    assert.deepEqual(problems, []);
    await context.close();
  });
});
