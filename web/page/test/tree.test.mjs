// Variations, addresses, and what a reload keeps: the page in Chromium.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { SINGLE, describePage, enter, review, untilMoves } from './browser.mjs';

const GAME = `[Event "Club"]
[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 { [%clk 0:05:00] } 1... e5 (1... c5 { [%csl Gd4] [%cal Gc5d4] hm } 2. Nf3 (2. c3 d5)) 2. Bc4 Nc6 3. Qh5 Nf6
4. Qxf7# 1-0
`;

describePage('a tree of moves', (suite) => {
  const { at } = suite;
  /** The moves listed, those of variations in brackets. */
  const moves = (page, list = 'analyse-moves') =>
    page.$$eval(`#${list} .move`, (all) =>
      all.map((move) => (move.closest('.variation') ? `(${move.querySelector('span').textContent})` : move.querySelector('span').textContent)).join(' '));
  const current = (page, list = 'analyse-moves') => page.textContent(`#${list} [aria-current] span`);
  const type = async (page, ...texts) => {
    for (const text of texts) {
      await enter(page, '#analyse-move', text);
    }
  };
  const key = async (page, ...names) => {
    await page.focus('#analyse-moves');
    for (const name of names) {
      await page.keyboard.press(name);
    }
  };
  const untilAddress = (page, hash) => page.waitForFunction((wanted) => location.hash === wanted, hash);

  test('another move begins a variation, which can be walked, promoted, deleted and restored', () =>
    at('#analyse', async (page) => {
      await type(page, 'e4', 'c5', 'Nf3');
      await key(page, 'ArrowLeft', 'ArrowLeft');
      await type(page, 'e5', 'Nf3');
      assert.equal(await moves(page), 'e4 c5 (e5) (Nf3) Nf3');
      await key(page, 'ArrowLeft', 'ArrowLeft', 'ArrowRight');
      assert.equal(await current(page), 'c5');
      await page.click('#analyse-moves .variation .move');
      await key(page, 'End');
      assert.equal(await current(page), 'Nf3');
      await page.click('#promote');
      assert.equal(await moves(page), 'e4 e5 (c5) (Nf3) Nf3');
      assert.ok(await page.isDisabled('#promote'));
      await page.click('#delete');
      await page.click('#delete');
      assert.equal(await moves(page), 'e4 c5 Nf3');
      for (const expected of ['e4 e5 (c5) (Nf3)', 'e4 e5 (c5) (Nf3) Nf3', 'e4 c5 (e5) (Nf3) Nf3', 'e4 c5 (e5) Nf3']) {
        await page.click('#undo');
        assert.equal(await moves(page), expected);
      }
      // A move of an engine's line begins a variation, too.
      await key(page, 'Home');
      await page.waitForFunction(() => document.querySelectorAll('#lines .pv button').length > 2);
      const before = (await moves(page)).split(' ').length;
      await type(page, 'a4');
      await page.waitForFunction(() => document.querySelectorAll('#lines .pv button').length > 2);
      await page.click('#lines .pv button');
      assert.equal((await moves(page)).split(' ').length, before + 2);
      await page.click('#start-position');
      assert.equal(await moves(page), '');
      await page.click('#undo');
      assert.equal((await moves(page)).split(' ').length, before + 2);
    }));

  test('PGN is pasted, annotated, copied and saved with all its parts', () =>
    at('#analyse', async (page) => {
      await page.click('#pgn-box summary');
      await page.fill('#analyse-pgn', GAME);
      await page.click('#analyse-pgn-form button:not([type])');
      await untilMoves(page, 'analyse-moves', 11);
      assert.equal(await moves(page), 'e4 e5 (c5) (Nf3) (c3) (d5) Bc4 Nc6 Qh5 Nf6 Qxf7#');
      assert.match(await page.textContent('#analyse-moves .move'), /e4.*5:00/);
      await page.click('#analyse-moves .variation .move');
      await page.waitForSelector('#board [data-arrow="c5d4"]', { state: 'attached' });
      await page.fill('#comment', 'Sicilian');
      const [file] = await Promise.all([page.waitForEvent('download'), page.click('#save-pgn')]);
      const saved = readFileSync(await file.path(), 'utf8');
      const expected = GAME.replace('hm', 'Sicilian');
      assert.equal(saved.replace(/\s+/g, ' '), expected.replace(/\s+/g, ' '));
      await page.hover('#board .square[data-square="g1"]');
      await page.mouse.down({ button: 'right' });
      await page.hover('#board .square[data-square="f3"]');
      await page.mouse.up({ button: 'right' });
      await page.reload();
      for (const arrow of ['c5d4', 'g1f3']) {
        await page.waitForSelector(`#board .arrow-success[data-arrow="${arrow}"]`, { state: 'attached' });
      }
      await untilMoves(page, 'analyse-moves', 11);
      assert.equal(await current(page), 'c5');
      assert.equal(await page.inputValue('#comment'), 'Sicilian');
      await enter(page, '#fen', '1. d4 d5 *');
      await untilMoves(page, 'analyse-moves', 2);
      await page.setInputFiles('#analyse-file', { name: 'a.pgn', mimeType: 'text/plain', buffer: Buffer.from(`${GAME}\n${GAME}`) });
      await page.waitForFunction(() => /first of 2 games/.test(document.querySelector('#pgn-answer').textContent));
      await page.fill('#analyse-pgn', '1. e9 *');
      await page.click('#analyse-pgn-form button:not([type])');
      await page.waitForFunction(() => /Cannot read the text: .*e9/.test(document.querySelector('#pgn-answer').textContent));
      assert.equal((await moves(page)).split(' ').length, 11);
    }));

  for (const [name, options] of [['the page', {}], ['the page in one file', { server: { url: SINGLE } }]]) {
    test(`${name} opens addresses, and Back and Forward go through them`, () =>
      at('#analyse?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1&moves=e1g1', async (page) => {
        assert.equal(await moves(page), 'O-O');
        await enter(page, '#fen', '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1');
        await type(page, 'e4');
        const second = '#analyse?fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1&moves=e2e4';
        await untilAddress(page, second);
        await page.goBack();
        assert.equal(await moves(page), 'O-O');
        await page.goForward();
        assert.equal(await moves(page), 'e4');
        await page.click('nav a[href="#review"]');
        await page.goBack();
        await untilAddress(page, second);
        assert.equal(await moves(page), 'e4');
        await page.reload();
        assert.equal(await moves(page), 'e4');
        await page.evaluate(() => { location.hash = '#analyse?fen=8/8'; });
        await page.waitForFunction(() => /no valid position/.test(document.querySelector('#remark').textContent));
        assert.equal(await moves(page), 'e4');
        await page.evaluate(() => { navigator.clipboard.writeText = (text) => { globalThis.copied = text; }; });
        await page.click('#copy-link');
        await page.waitForFunction((hash) => globalThis.copied?.endsWith(hash), second);
      }, options));
  }

  test('a reload keeps a finished review, and an analysis of it has the whole game', () =>
    at('#review', async (page) => {
      await page.fill('#pgn', GAME);
      await page.selectOption('#review-time', 'movetime 200');
      await review(page);
      const listed = (await moves(page, 'review-moves')).replace(/[?!]/g, '');
      assert.equal(listed, 'e4 e5 (c5) (Nf3) (c3) (d5) Bc4 Nc6 Qh5 Nf6 Qxf7#');
      await page.focus('#review-moves');
      await page.keyboard.press('ArrowRight');
      await page.reload();
      await page.waitForSelector('#review-result:not([hidden])');
      assert.equal(await current(page, 'review-moves'), 'e4');
      await page.evaluate(() => { navigator.clipboard.writeText = (text) => { globalThis.copied = text; }; });
      await page.click('#review-copy');
      await page.waitForFunction(() => /\[%clk 0:05:00\].*c3 d5/s.test(globalThis.copied));
      await page.keyboard.press('End');
      await page.click('#review-analyse');
      await untilMoves(page, 'analyse-moves', 11);
      assert.equal(await current(page), 'Qxf7#');
      await page.goBack();
      await page.waitForSelector('#review-result', { state: 'visible' });
      await page.keyboard.press('Home');
      const second = page.locator('#review-now .pv button').nth(1);
      const san = await second.textContent();
      await second.click();
      await page.click('#review-analyse');
      assert.equal(await current(page), san);
      // An animation that a change of the layout interrupts makes cm-chessboard print a warning.
    }, { reducedMotion: 'reduce' }));
});
