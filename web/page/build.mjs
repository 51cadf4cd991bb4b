// Builds the page into the folder `dist`, for any static host. Needs ../carrybit.wasm and
// ../rules.wasm (from ../build).
//
//     node build.mjs [--source URL] [--without-notices]
//
// `--source` is the target of the page's link to the source. By default, the build writes an archive
// of the last commit to `dist` and links to it. `--without-notices` leaves out the licences of the
// engine's dependencies, which ../notices collects. Use it only for a page that is not distributed.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { parseArgs } from 'node:util';

import { build } from 'esbuild';

import { chapterPage, contents, hashOf, templates } from './course.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const WEB = join(HERE, '..');
const ROOT = join(WEB, '..');
const SOURCES = join(HERE, 'src');
const OUT = join(HERE, 'dist');
const COURSE = join(ROOT, 'docs', 'learn');

/** The packages in the page. */
const PACKAGES = ['cm-chessboard', 'uplot'];

/** The side of a square in the units of cm-chessboard; in those of pieces.svg it is 48. */
const TILE = 40;

/** The archive of the source. Not cached for offline use. */
const ARCHIVE = 'source.tar.gz';

/** The page as one file. Not cached for offline use. */
const SINGLE = 'carrybit.html';

/** The licences of Rust's standard library. Not cached for offline use. */
const LIBRARY_NOTICES = 'RUST-STANDARD-LIBRARY.html';

const { values: options } = parseArgs({
  options: { source: { type: 'string' }, 'without-notices': { type: 'boolean' } },
});
const hasNotices = !options['without-notices'];

const read = (...path) => readFileSync(join(...path), 'utf8');
const write = (name, content) => writeFileSync(join(OUT, name), content);

if (![join(WEB, 'carrybit.wasm'), join(WEB, 'rules.wasm')].every((path) => existsSync(path))) {
  console.error('web/carrybit.wasm or web/rules.wasm is missing: run web/build first.');
  process.exit(1);
}
if (!options.source && !existsSync(join(ROOT, '.git'))) {
  console.error('This is not a git repository, so the source cannot be archived: give its URL with --source.');
  process.exit(1);
}
if (hasNotices) {
  execFileSync(join(WEB, 'notices'), { stdio: 'inherit' });
}
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);

await build({
  entryPoints: ['main.mjs', 'page.css'].map((name) => ({ in: join(SOURCES, name), out: 'page' })),
  outdir: OUT,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  loader: { '.wasm': 'binary' },
  logLevel: 'warning',
});

const isMarkdown = (file) => file.endsWith('.md');
const course = Object.fromEntries(readdirSync(COURSE).filter(isMarkdown).sort().map((file) => [file.slice(0, -3), read(COURSE, file)]));
// The page links to it beside the levels.
course.strength = read(ROOT, 'docs', 'strength.md');

const drawings = pieces(read(ROOT, 'src', 'analyse', 'page', 'pieces.svg'));
const html = read(SOURCES, 'index.html')
  .replace('<!--drawings-->', () => sprite(drawings))
  .replace('<!--chapters-->', () => contents(course))
  .replace('<!--course-->', () => templates(course))
  .replace('<!--source-->', () => (options.source ?? ARCHIVE).replace(/[&"<]/g, (sign) => `&#${sign.charCodeAt()};`));
write('index.html', html);
write('icon.svg', icon(drawings.n));
write('licences.txt', licences());
copyFileSync(join(SOURCES, 'manifest.webmanifest'), join(OUT, 'manifest.webmanifest'));
for (const name of ['carrybit.js', 'carrybit.wasm']) {
  copyFileSync(join(WEB, name), join(OUT, name));
}

cpSync(join(COURSE, 'images'), join(OUT, 'learn', 'images'), { recursive: true });
for (const name of Object.keys(course)) {
  write(join('learn', `${name}.html`), chapterPage(course, name));
}

// The service worker caches all files written so far.
const files = readdirSync(OUT, { recursive: true }).filter((name) => statSync(join(OUT, name)).isFile()).sort();
const hash = createHash('sha256');
files.forEach((name) => hash.update(name).update(readFileSync(join(OUT, name))));
const worker = read(SOURCES, 'service-worker.js')
  .replace('__VERSION__', hash.digest('hex').slice(0, 12))
  .replace("['__FILES__']", JSON.stringify(['./', ...files.filter((name) => name !== 'index.html')]));
write('service-worker.js', worker);
write(SINGLE, single(html));
if (hasNotices) {
  copyFileSync(join(WEB, LIBRARY_NOTICES), join(OUT, LIBRARY_NOTICES));
}
if (!options.source) {
  const how = ['--format=tar.gz', '--prefix=carrybit/', '-o', join(OUT, ARCHIVE)];
  execFileSync('git', ['archive', ...how, 'HEAD'], { cwd: ROOT });
}

const size = (name) => `${Math.ceil(statSync(join(OUT, name)).size / 1000)} KB`;
const packed = files.map((name) => gzipSync(readFileSync(join(OUT, name))).length);
console.log(`${OUT}: ${files.length} files, ${Math.ceil(packed.reduce((a, b) => a + b) / 1000)} KB by gzip`);
console.log(['page.js', 'page.css', 'carrybit.wasm'].map((name) => `${name} ${size(name)}`).join(', '));

/** The page as one file that needs no host: a browser opens it from a disk, where it may load no other files. */
function single(html) {
  // A worker made from a blob cannot fetch from a disk, so it has the module.
  const module = readFileSync(join(OUT, 'carrybit.wasm')).toString('base64');
  const worker = `const module = Uint8Array.from(atob('${module}'), (byte) => byte.charCodeAt());
self.fetch = async () => new Response(module, { headers: { 'Content-Type': 'application/wasm' } });
${read(OUT, 'carrybit.js')}`;
  // The worker needs an absolute URL after the #, which it does not fetch.
  const start = `{const worker = new Blob([${JSON.stringify(worker)}], { type: 'text/javascript' });
globalThis.carrybitWorker = URL.createObjectURL(worker) + '#data:,';}`;
  const script = read(OUT, 'page.js').replaceAll('</script', '<\\/script');
  const style = read(OUT, 'page.css');
  // The worker has this policy, too. The pictures of the course are data.
  const policy = `default-src 'none'; script-src ${hashOf(start)} ${hashOf(script)} 'wasm-unsafe-eval'; worker-src blob:; ` +
    `img-src data:; style-src ${hashOf(style)}; style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'`;
  return html
    .replace(/(http-equiv="Content-Security-Policy" content=)"[^"]*"/, (_, before) => `${before}"${policy}"`)
    .replace(/learn\/images\/[\w-]+\.svg/g, (name) => `data:image/svg+xml;base64,${readFileSync(join(OUT, name)).toString('base64')}`)
    .replace(/<link rel="(icon|manifest)"[^>]*>\n/g, '')
    .replace('<link rel="stylesheet" href="page.css">', () => `<style>${style}</style>`)
    .replace('<script type="module" src="page.js"></script>', () => `<script>${start}</script>\n<script type="module">${script}</script>`);
}

/** The drawings of the pieces by letter: the content of the file's symbols. */
function pieces(svg) {
  const symbols = [...svg.matchAll(/<symbol id="(\w)"[^>]*>(.*?)<\/symbol>/gs)];
  return Object.fromEntries(symbols.map(([, letter, content]) => [letter, content.trim().replace(/\n\s*/g, '')]));
}

/** All drawings of the board, under the names that cm-chessboard expects. */
function sprite(drawn) {
  const groups = ['w', 'b'].flatMap((color) =>
    Object.entries(drawn).map(([letter, content]) => {
      const name = `id="${color}${letter}" class="piece-${color}"`;
      return `<g ${name} transform="scale(${TILE / 48})">${content}</g>`;
    }),
  );
  const marks = [
    `<rect id="markSquare" width="${TILE}" height="${TILE}"/>`,
    '<circle id="markDot" cx="20" cy="20" r="6"/>',
    '<circle id="markerCircle" cx="20" cy="20" r="18"/>',
    '<circle id="markRing" cx="20" cy="20" r="17"/>',
    '<circle id="markCheck" cx="20" cy="20" r="19.5"/>',
    '<path id="arrowHead" d="M14 9 32 20 14 31Z"/>',
    `<g id="logo">${drawn.n}</g>`,
  ];
  const content = [...groups, ...marks].join('\n');
  const svg = `<svg width="0" height="0"><defs>\n${content}\n</defs></svg>`;
  return `<div id="cm-chessboard-sprite" aria-hidden="true">${svg}</div>`;
}

function icon(knight) {
  const style = '.l{fill:none;stroke:#2c6a8f;stroke-width:1.5}.f{fill:#2c6a8f;stroke:none}';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><style>${style}</style>` +
    `<rect width="48" height="48" rx="10" fill="#2c6a8f"/><g fill="#fffdf6" transform="translate(4.8 4.8) scale(.8)">${knight}</g></svg>\n`;
}

/** The licences of the page and its parts. */
function licences() {
  const folder = (name) => join(HERE, 'node_modules', name);
  const parts = PACKAGES.map((name) => {
    const file = readdirSync(folder(name)).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${JSON.parse(read(folder(name), 'package.json')).version}\n\n${read(folder(name), file).trim()}`;
  });
  const own = 'Carrybit, its network, this page and its pieces: MIT or Apache-2.0, at your option';
  const texts = ['LICENSE-MIT', 'LICENSE-APACHE'].map((name) => read(ROOT, name).trim());
  if (hasNotices) {
    parts.push(`Rust's standard library: ${LIBRARY_NOTICES}, beside this file`, read(WEB, 'THIRD-PARTY.txt').trim());
  }
  return `${[[own, ...texts].join('\n\n'), ...parts].join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
}
