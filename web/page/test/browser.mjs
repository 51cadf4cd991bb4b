// The distribution's Chromium, and a static host for the page: what the tests of the page run on.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

const PAGE = fileURLToPath(new URL('../dist', import.meta.url));

/** The places where Chromium may be; CHROMIUM names another one. */
const PROGRAMS = process.env.CHROMIUM
  ? [process.env.CHROMIUM]
  : (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'chromium'));

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

/** Where Chromium is; undefined if it is not there. */
export const program = PROGRAMS.find((path) => existsSync(path));

/** The page once more, in another folder of the host, and of another version. */
const COPY = '/copy/';
const OTHER_VERSION = '0'.repeat(12);

/**
 * Serves the page as any static host does, in two folders: `{ url, copy, close, requests }`, where
 * requests are paths with their queries. Like many others, it sends visitors of `index.html` on.
 */
export async function host() {
  const requests = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://host');
    requests.push(request.url);
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

/** Opens Chromium. */
export function browse() {
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
}

/**
 * Opens the page: `{ page, problems }`, where problems are what it says in the console, and
 * errors. `engine` is the script of a worker in place of ours, `prepare(page)` what to do before.
 */
export async function visit(browser, url, { engine, prepare = () => {}, ...options } = {}) {
  const serviceWorkers = engine ? 'block' : 'allow';
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, serviceWorkers, ...options });
  const page = await context.newPage();
  if (engine) {
    await page.route('**/carrybit.js', (route) => route.fulfill({ contentType: 'text/javascript', body: engine }));
  }
  await prepare(page);
  const problems = [];
  page.on('console', (message) => {
    const isOurs = !message.text().startsWith('Service Worker registration blocked');
    if (isOurs && ['error', 'warning'].includes(message.type())) {
      problems.push(message.text());
    }
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !/^(blob|data):/.test(request.url())) {
      problems.push(`fetched from elsewhere: ${request.url()}`);
    }
  });
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  return { page, context, problems };
}
