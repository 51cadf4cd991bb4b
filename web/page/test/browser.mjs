// Test support: the distribution's Chromium, a static host for the page, and common steps.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize, resolve } from 'node:path';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const PAGE = fileURLToPath(new URL('../dist', import.meta.url));

/** The page in one file, on the disk. */
export const SINGLE = new URL('../dist/carrybit.html', import.meta.url).href;

/** The possible paths of Chromium, or of the program that the environment variable CHROMIUM names. */
const PROGRAMS = (process.env.PATH ?? '').split(':').map((folder) => resolve(folder, process.env.CHROMIUM ?? 'chromium'));

/** Options of tests that `.ci/run` leaves to a release. */
export const OF_A_RELEASE = { skip: process.env.CARRYBIT_SHORT ? 'asked of a release' : false };

/** Far more than any step takes, in milliseconds: a longer one waits for something that never comes. */
export const HANG_MS = 300_000;

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

const program = PROGRAMS.find((path) => existsSync(path));
const isBuilt = existsSync(join(PAGE, 'page.js'));
const missing = !program ? 'there is no Chromium' : !isBuilt ? 'the page is not built' : false;

/** A second copy of the page, in another folder of the host and of another version. */
const COPY = '/copy/';
const OTHER_VERSION = '0'.repeat(12);

/**
 * Serves the page in two folders, as a static host does: `{ url, copy, close, requests }`; `requests`
 * are paths with queries. Like many hosts, it redirects `index.html`.
 */
export async function host() {
  const requests = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://host');
    requests.push(request.url);
    // Chromium asks for it once, later than it shows icon.svg in `clear`: a 404 would be a problem of the next test.
    if (pathname === '/favicon.ico') {
      response.writeHead(204);
      response.end();
      return;
    }
    const path = pathname.startsWith(COPY) ? pathname.slice(COPY.length - 1) : pathname;
    if (path.endsWith('/index.html')) {
      response.writeHead(301, { Location: './' });
      response.end();
      return;
    }
    const file = join(PAGE, normalize(path.endsWith('/') ? `${path}index.html` : path));
    try {
      const isOther = pathname === `${COPY}service-worker.js`;
      const body = isOther ? (await readFile(file, 'utf8')).replace(/[0-9a-f]{12}/, OTHER_VERSION) : await readFile(file);
      const type = TYPES[extname(file)] ?? 'application/octet-stream';
      response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'max-age=3600' });
      response.end(body);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  const url = `http://127.0.0.1:${server.address().port}/`;
  return { url, copy: new URL(COPY, url).href, close, requests };
}

/** A new page in a context of its own. */
const newPage = async (browser, options) => (await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })).newPage();

/**
 * Opens the page: `{ page, context, problems }`; problems are console messages, errors, and requests to
 * other hosts. `engine` is the script of another worker; `prepare(page)` runs before the page loads; `used` is
 * a page that `clear` has left.
 */
async function visit(browser, url, { engine, prepare = () => {}, used, ...options } = {}) {
  const page = used ?? await newPage(browser, { serviceWorkers: engine ? 'block' : 'allow', ...options });
  if (engine) {
    await page.route('**/carrybit.js', (route) => route.fulfill({ contentType: 'text/javascript', body: engine }));
  }
  await prepare(page);
  const problems = [];
  page.on('console', (message) => {
    const isOurs = !message.text().startsWith('Service Worker registration blocked');
    if (isOurs && ['error', 'warning'].includes(message.type())) {
      problems.push(`${message.text()} (${message.location().url})`);
    }
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const isOwn = request.url() === url.split('#')[0] || request.url().startsWith(new URL(url).origin);
    if (!isOwn && !/^(blob|data):/.test(request.url())) {
      problems.push(`fetched from elsewhere: ${request.url()}`);
    }
  });
  page.setDefaultTimeout(HANG_MS);
  await page.goto(url);
  return { page, context: page.context(), problems };
}

/** Leaves the page of a host, and removes all that it and its tests have stored and set. */
async function clear(page, { url }) {
  ['console', 'pageerror', 'request', 'dialog'].forEach((event) => page.removeAllListeners(event));
  await page.unrouteAll();
  // Of the same origin, without scripts.
  await page.goto(`${url}icon.svg`);
  await page.evaluate(async () => {
    localStorage.clear();
    sessionStorage.clear();
    const registrations = await navigator.serviceWorker.getRegistrations();
    await Promise.all(registrations.map((registration) => registration.unregister()));
    await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
  });
  await page.mouse.move(0, 0);
}

/**
 * Declares a suite of tests of the page. `define` gets an object with `server`, `visit(hash, options)`, and
 * `at(hash, act, options)`, which visits the page, runs `act`, and checks that there were no problems.
 */
export function describePage(name, define) {
  describe(name, { skip: missing }, () => {
    let browser;
    // By the kind of context; not those whose test fails.
    const pages = new Map();
    const suite = {
      visit: (hash, { server = suite.server, ...options } = {}) => visit(browser, server.url + hash, options),
      async at(hash, act, options = {}) {
        const { engine, server, prepare, ...context } = options;
        // A new context, with its process, takes four times as long as a visit.
        const kind = server || prepare ? undefined : JSON.stringify([Boolean(engine), context]);
        const used = pages.get(kind);
        pages.delete(kind);
        const { page, problems } = await suite.visit(hash, { ...options, used });
        await act(page);
        assert.deepEqual(problems, []);
        if (kind) {
          await clear(page, suite.server);
          pages.set(kind, page);
        } else {
          await page.context().close();
        }
      },
    };
    before(async () => {
      suite.server = await host();
      // Each visit would compile all functions of the modules.
      const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--js-flags=--wasm-lazy-compilation'];
      browser = await chromium.launch({ executablePath: program, args, timeout: HANG_MS });
    });
    after(async () => {
      await browser?.close();
      await suite.server.close();
    });
    define(suite);
  });
}

/** Types a text into a field and presses Enter. */
export async function enter(page, field, text) {
  await page.fill(field, text);
  await page.press(field, 'Enter');
}

/** Waits until a list has a number of moves. */
export const untilMoves = (page, list, count) =>
  page.waitForFunction(([id, least]) => document.querySelectorAll(`#${id} .move`).length >= least, [list, count]);

/** Clicks on squares. */
export async function click(page, ...squares) {
  for (const square of squares) {
    await page.click(`#board .square[data-square="${square}"]`);
  }
}

/**
 * Runs `act`; returns the processor times of the tasks that blocked the page meanwhile, the longest first, in
 * milliseconds. Other programs do not prolong them.
 */
export async function tasksDuring(page, act) {
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] });
  await act();
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(({ tid }) => tid);
  const tasks = traceEvents.filter(({ name, tid, tdur }) => name === 'RunTask' && threads.includes(tid) && tdur !== undefined);
  return tasks.map(({ tdur }) => tdur / 1000).sort((one, other) => other - one);
}

/** Resigns the game, and answers the question. */
export async function resign(page) {
  await page.click('#resign');
  await page.click('#question [value="yes"]');
  await page.waitForSelector('#play-over', { state: 'visible' });
}

export const untilReviewed = (page) => page.waitForSelector('#review-result:not([hidden])');

/** Starts a review and waits for its result. */
export async function review(page) {
  await page.click('#review-start');
  await untilReviewed(page);
}

/** Saves the reviewed game; returns the download. */
export async function download(page) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('#review-save')]);
  return file;
}

/** Checks that the page is not too wide. `where` describes its state. */
export async function assertFits(page, where) {
  const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(width <= 0, `${where} is too wide by ${width}`);
}

/** Checks with axe, and that the page is not too wide. `where` describes its state. */
export async function inspect(page, where) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    await page.evaluate(readFileSync(AXE, 'utf8'));
  }
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  const found = serious.map(({ id, nodes }) => `${where}: ${id} ${nodes.map(({ target }) => target)}`);
  assert.deepEqual(found, []);
  await assertFits(page, where);
}
