// Variations, addresses, and what a reload keeps: the page in Chromium.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { SINGLE, describePage, enter, untilMoves } from './browser.mjs';

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
  const says = (page, id, words) =>
    page.waitForFunction(([where, text]) => new RegExp(text).test(document.getElementById(where).textContent), [id, words]);
  const untilShown = (page, wanted) =>
    page.waitForFunction((text) => {
      const all = [...document.querySelectorAll('#analyse-moves .move')];
      return all.map((move) => move.querySelector('span').textContent).join(' ') === text;
    }, wanted);
  const untilAddress = (page, hash) => page.waitForFunction((wanted) => location.hash === wanted, hash);

  test('another move begins a variation, which can be walked, promoted, deleted and restored', () =>
    at('#analyse', async (page) => {
      await type(page, '1. e4 c5 2. Nf3');
      await key(page, 'ArrowLeft', 'ArrowLeft');
      await type(page, 'e5 Nf9', 'e5', 'Nf3');
      assert.equal(await moves(page), 'e4 c5 (e5) (Nf3) Nf3');
      await key(page, 'ArrowLeft', 'ArrowLeft', 'ArrowRight');
      assert.equal(await current(page), 'c5');
      await page.hover('#board .square[data-square="a5"]');
      for (const [distance, move] of [[-100, 'e4'], [100, 'c5'], [30, 'c5'], [30, 'Nf3'], [-100, 'c5']]) {
        await page.mouse.wheel(0, distance);
        await page.waitForFunction((san) => document.querySelector('#analyse-moves [aria-current] span').textContent === san, move);
      }
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
      // In one task: the address has not followed yet.
      await Promise.all([page.waitForEvent('load'), page.evaluate(() => {
        document.querySelector('#analyse-moves .move').click();
        location.reload();
      })]);
      assert.equal(await current(page), 'e4');
      await untilAddress(page, '#analyse?moves=e2e4');
      await enter(page, '#fen', '1. d4 d5 *');
      await page.waitForFunction(() => document.querySelectorAll('#analyse-moves .move').length === 2);
      await page.click('#pgn-box summary');
      await page.fill('#analyse-pgn', '1. e9 *');
      await page.click('#analyse-pgn-form button:not([type])');
      await says(page, 'pgn-answer', 'Cannot read the text: .*e9');
      assert.equal(await moves(page), 'd4 d5');
    }));

  test('one of several games is chosen, and keeps its changes', () =>
    at('#analyse', async (page) => {
      const games = [GAME, '[White "C"]\n\n{ [%cal Gd2d4] } 1. c4 *\n', '1. e9 *\n', '1. d4 ( *\n'];
      const arrows = () => page.$$eval('#board .arrow-success[data-arrow="d2d4"]', (all) => all.length);
      await page.setInputFiles('#analyse-file', { name: 'a.pgn', mimeType: 'text/plain', buffer: Buffer.from(games.join('\n')) });
      await untilMoves(page, 'analyse-moves', 11);
      const options = await page.$$eval('#analyse-game option', (all) => all.map(({ text, disabled }) => `${disabled} ${text}`));
      assert.deepEqual(options.map((text) => text.slice(0, 18)), ['false 1. A – B 1-0', 'false 2. C – Black', 'false 3. White – B', 'true 4. White – Bl']);
      await page.selectOption('#analyse-game', '1');
      await page.waitForFunction(() => document.querySelectorAll('#analyse-moves .move').length === 1);
      assert.equal(await arrows(), 1);
      await page.fill('#comment', 'English');
      await page.selectOption('#analyse-game', '2');
      await says(page, 'pgn-answer', 'Cannot read game 3: .*e9');
      assert.equal(await page.inputValue('#analyse-game'), '1');
      await page.selectOption('#analyse-game', '0');
      await untilMoves(page, 'analyse-moves', 11);
      assert.equal(await arrows(), 0);
      await page.selectOption('#analyse-game', '1');
      await page.waitForFunction(() => document.querySelector('#comment').value === 'English');
      await page.click('#start-position');
      assert.ok(await page.isHidden('#analyse-game'));
      await page.click('#undo');
      assert.equal(await page.inputValue('#analyse-game'), '1');
    }));

  test('moves, comments, glyphs and drawings are undone and redone by button and keyboard', () =>
    at('#analyse', async (page) => {
      const draw = async () => {
        await page.hover('#board .square[data-square="g8"]');
        await page.mouse.down({ button: 'right' });
        await page.hover('#board .square[data-square="f6"]');
        await page.mouse.up({ button: 'right' });
      };
      const state = async () => [
        await moves(page), await page.inputValue('#comment'), await page.$$eval('#board .arrow-success', (all) => all.length),
        await page.$eval('#glyph', ({ selectedOptions: [{ text }] }) => text),
      ];
      const states = [await state()];
      const save = async () => states.push(await state());
      await type(page, 'e4');
      await save();
      await page.focus('#comment');
      await page.keyboard.type('good');
      await save();
      await page.selectOption('#glyph', '!');
      await save();
      await draw();
      await save();
      await draw();
      await save();
      await type(page, 'e5');
      await save();
      assert.deepEqual(states.slice(-2), [['e4!', 'good', 0, '!'], ['e4! e5', '', 0, '–']]);
      assert.equal(states.at(-3)[2], 1);
      // A choice that was used before does not take the key.
      await page.focus('#glyph');
      await page.keyboard.press('Control+z');
      assert.deepEqual(await state(), states.at(-2));
      for (const expected of states.slice(0, -2).reverse()) {
        await page.click('#undo');
        assert.deepEqual(await state(), expected);
      }
      assert.ok(await page.isDisabled('#undo'));
      await page.focus('#analyse-moves');
      for (const [number, expected] of states.slice(1).entries()) {
        await page.keyboard.press(number % 2 === 0 ? 'Control+y' : 'Control+Shift+Z');
        assert.deepEqual(await state(), expected);
      }
      assert.ok(await page.isDisabled('#redo'));
      await page.click('#undo');
      await type(page, 'c5');
      assert.ok(await page.isDisabled('#redo'));
      await page.focus('#glyph');
      await page.keyboard.press('ArrowLeft');
      assert.deepEqual([await current(page), await moves(page)], ['e4!', 'e4! c5']);
      await page.keyboard.press('ArrowDown');
      assert.equal(await moves(page), 'e4? c5');
    }, { reducedMotion: 'reduce' }));

  test('an address opens the settings of a game from a position, and a wrong one changes nothing', () =>
    at('#play?fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1', async (page) => {
      const pieces = () => page.$$eval('#board .piece', (all) => all.length);
      assert.equal(await page.inputValue('#play-fen'), '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1');
      assert.equal(await pieces(), 3);
      await page.click('nav a[href="#analyse"]');
      await enter(page, '#fen', '4k3/8/8/8/8/8/8/4K2R w K - 0 1');
      await page.click('#analyse-play');
      await untilAddress(page, '#play?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1');
      await page.goBack();
      await page.waitForSelector('#lines', { state: 'visible' });
      await page.goForward();
      assert.equal(await page.inputValue('#play-fen'), '4k3/8/8/8/8/8/8/4K2R w K - 0 1');
      await page.evaluate(() => { location.hash = '#play?fen=4k3/8_w'; });
      await says(page, 'remark', 'no valid position');
      await untilAddress(page, '#play');
      assert.equal(await page.inputValue('#play-fen'), '4k3/8/8/8/8/8/8/4K2R w K - 0 1');
      assert.equal(await pieces(), 3);
      await page.evaluate(() => { location.hash = '#play?moves=e2e4'; });
      await page.waitForSelector('#remark', { state: 'hidden' });
      assert.match(await page.inputValue('#play-fen'), /4P3.* b /);
      await page.fill('#elo', '1000');
      await page.click('#begin');
      await untilMoves(page, 'play-moves', 1);
      await untilAddress(page, '#play');
      await page.reload();
      await untilMoves(page, 'play-moves', 1);
      // The engine keeps its strength while the settings of another game are shown.
      await page.evaluate(() => { location.hash = '#play?moves=d2d4'; });
      await page.fill('#elo', '2000');
      await page.click('#play-back');
      assert.match(await page.textContent('#top'), /Carrybit1000/);
    }, { reducedMotion: 'reduce' }));

  for (const [name, options] of [['the page', {}], ['the page in one file', { server: { url: SINGLE } }]]) {
    test(`${name} opens addresses, and Back and Forward go through them`, () =>
      at('#analyse?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1&moves=e1g1', async (page) => {
        await untilShown(page, 'O-O');
        await page.click('#start-position');
        await untilAddress(page, '#analyse?moves=');
        await enter(page, '#fen', '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1');
        await type(page, 'e4');
        const second = '#analyse?fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1&moves=e2e4';
        await untilAddress(page, second);
        for (const shown of ['', 'O-O']) {
          await page.goBack();
          await untilShown(page, shown);
        }
        for (const shown of ['', 'e4']) {
          await page.goForward();
          await untilShown(page, shown);
        }
        // In one task: the address has not followed the step yet.
        await page.evaluate(() => {
          document.querySelector('#analyse-steps button').click();
          document.querySelector('nav a[href="#review"]').click();
        });
        await page.waitForSelector('#panel-review', { state: 'visible' });
        await page.goBack();
        await untilAddress(page, second.replace('&moves=e2e4', ''));
        await untilShown(page, 'e4');
        assert.equal(await page.$('#analyse-moves [aria-current]'), null);
        await page.click('#analyse-moves .move');
        await untilAddress(page, second);
        await page.reload();
        await untilShown(page, 'e4');
        await page.evaluate(() => { location.hash = '#analyse?fen=8/8'; });
        await says(page, 'remark', 'no valid position');
        await untilShown(page, 'e4');
        await page.evaluate(() => { navigator.clipboard.writeText = (text) => { globalThis.copied = text; }; });
        await page.click('#copy-link');
        await page.waitForFunction((hash) => globalThis.copied?.endsWith(hash), second);
      }, options));
  }

  test('variations of a review that begin with the same move are told apart', () =>
    at('#review', async (page) => {
      await page.fill('#pgn', '1. e4 (1. d4 d5) (1. d4 Nf6 2. c4) e5 *');
      await page.selectOption('#review-time', 'movetime 200');
      await page.click('#review-start');
      await page.waitForSelector('#review-result', { state: 'visible' });
      await page.locator('#review-moves .move', { hasText: 'c4' }).click();
      await page.click('#review-analyse');
      await untilMoves(page, 'analyse-moves', 7);
      assert.equal(await current(page), 'c4');
      await untilAddress(page, '#analyse?moves=d2d4_g8f6_c2c4');
      await page.reload();
      await untilMoves(page, 'analyse-moves', 7);
      assert.equal(await current(page), 'c4');
    }));

  test('a reload keeps a finished review, and an analysis of it has the whole game', () =>
    at('#review', async (page) => {
      await page.fill('#pgn', GAME);
      await page.selectOption('#review-time', 'movetime 200');
      await page.click('#review-start');
      // The end of the review leaves a chapter where it is.
      await page.click('nav a[href="#learn"]');
      await page.locator('#chapter > :last-child').scrollIntoViewIfNeeded();
      const scrolled = () => page.$$eval('html, .panel', (parts) => parts.reduce((sum, { scrollTop }) => sum + scrollTop, 0));
      const before = await scrolled();
      await page.waitForSelector('#review-result:not([hidden])', { state: 'attached' });
      assert.equal(await scrolled(), before);
      assert.ok(before > 0);
      await page.click('nav a[href="#review"]');
      await page.waitForSelector('#review-result', { state: 'visible' });
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
      // The engine evaluates a variation when it is shown.
      await page.click('#review-moves .variation .move');
      await says(page, 'review-now', '1\\.\\.\\. c5Best: .*depth.*hm');
      assert.match(await page.textContent('#review-moves [aria-current]'), /^c5[+−]?\d/);
      assert.match(await page.textContent('#bar-score'), /^\d/);
      assert.ok(await page.evaluate(() => document.activeElement.matches('#review-moves .variation .move')));
      await page.keyboard.press('Home');
      await page.keyboard.press('End');
      await page.click('#review-analyse');
      await untilMoves(page, 'analyse-moves', 11);
      assert.equal(await current(page), 'Qxf7#');
      // The marks of the review are written, and can be removed.
      await page.click('#pgn-box summary');
      await page.waitForFunction(() => /Nf6\s\$4/.test(document.querySelector('#analyse-pgn').value));
      await key(page, 'ArrowLeft');
      await page.selectOption('#glyph', '–');
      assert.match(await moves(page), / Nf6 Qxf7#$/);
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
