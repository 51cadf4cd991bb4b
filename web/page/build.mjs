// Builds the page: one folder, `dist`, for any static host. Needs ../carrybit.wasm and
// rules.wasm (../build).
//
//     node build.mjs [--source URL] [--without-notices]
//
// `--source` is where the page's link to the source leads; without it the source of the last
// commit is put into the folder. `--without-notices` leaves out the licences of the engine's
// packages, which ../notices collects: for a page that is not distributed.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { parseArgs } from 'node:util';

import { build } from 'esbuild';

const HERE = dirname(fileURLToPath(import.meta.url));
const WEB = join(HERE, '..');
const ROOT = join(WEB, '..');
const SOURCES = join(HERE, 'src');
const OUT = join(HERE, 'dist');

/** The packages that are part of the page. */
const PACKAGES = ['cm-chessboard', 'uplot'];

/** The size of a square in the drawings of the board, which cm-chessboard expects; pieces are drawn on 48. */
const TILE = 40;

/** Where the source lies if it lies beside the page; visitors keep no copy of it. */
const ARCHIVE = 'source.tar.gz';

/** The notices of Rust's standard library, of which they keep none, either. */
const LIBRARY_NOTICES = 'RUST-STANDARD-LIBRARY.html';

const { values: options } = parseArgs({
  options: { source: { type: 'string' }, 'without-notices': { type: 'boolean' } },
});
const hasNotices = !options['without-notices'];

const read = (...path) => readFileSync(join(...path), 'utf8');
const write = (name, content) => writeFileSync(join(OUT, name), content);

if (![join(WEB, 'carrybit.wasm'), join(HERE, 'rules.wasm')].every((path) => existsSync(path))) {
  console.error('There is no web/carrybit.wasm or web/page/rules.wasm yet: web/build makes both.');
  process.exit(1);
}
if (!options.source && !existsSync(join(ROOT, '.git'))) {
  console.error('There is no git repository here to take the source from: say with --source where it is.');
  process.exit(1);
}
if (hasNotices) {
  execFileSync(join(WEB, 'notices'), { stdio: 'inherit' });
}
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);

await build({
  entryPoints: { page: join(SOURCES, 'main.mjs') },
  outdir: OUT,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  external: ['node:*'],
  loader: { '.wasm': 'binary' },
  logLevel: 'warning',
});
await build({
  entryPoints: { page: join(SOURCES, 'page.css') },
  outdir: OUT,
  bundle: true,
  minify: true,
  target: 'es2022',
  logLevel: 'warning',
});

const drawings = pieces(read(ROOT, 'analyse', 'src', 'page', 'pieces.svg'));
const html = read(SOURCES, 'index.html')
  .replace('<!--drawings-->', () => sprite(drawings))
  .replace('<!--source-->', options.source ?? ARCHIVE);
write('index.html', html);
write('icon.svg', icon(drawings.n));
write('licences.txt', licences());
copyFileSync(join(SOURCES, 'manifest.webmanifest'), join(OUT, 'manifest.webmanifest'));
for (const name of ['carrybit.js', 'carrybit.wasm']) {
  copyFileSync(join(WEB, name), join(OUT, name));
}

// Of what has been written so far, visitors keep everything.
const files = readdirSync(OUT).sort();
const hash = createHash('sha256');
files.forEach((name) => hash.update(name).update(readFileSync(join(OUT, name))));
const worker = read(SOURCES, 'service-worker.js')
  .replace('__VERSION__', hash.digest('hex').slice(0, 12))
  .replace("['__FILES__']", JSON.stringify(['./', ...files.filter((name) => name !== 'index.html')]));
write('service-worker.js', worker);
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

/** The drawings of the pieces, by letter: what stands in the symbols of that file. */
function pieces(svg) {
  const symbols = [...svg.matchAll(/<symbol id="(\w)"[^>]*>(.*?)<\/symbol>/gs)];
  return Object.fromEntries(symbols.map(([, letter, content]) => [letter, content.trim().replace(/\n\s*/g, '')]));
}

/** All drawings of the board, for the page itself: cm-chessboard looks them up by these names. */
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
    '<circle id="markRing" cx="20" cy="20" r="17"/>',
    '<circle id="markCheck" cx="20" cy="20" r="19.5"/>',
    '<path id="arrowHead" d="M14 9 32 20 14 31Z"/>',
    `<g id="logo">${drawn.n}</g>`,
  ];
  const content = [...groups, ...marks].join('\n');
  const svg = `<svg width="0" height="0"><defs>\n${content}\n</defs></svg>`;
  return `<div id="cm-chessboard-sprite" aria-hidden="true">${svg}</div>`;
}

/** The icon: the knight on a square. */
function icon(knight) {
  const style = '.l{fill:none;stroke:#2c6a8f;stroke-width:1.5}.f{fill:#2c6a8f;stroke:none}';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><style>${style}</style>` +
    `<rect width="48" height="48" rx="10" fill="#2c6a8f"/><g fill="#fffdf6" transform="translate(4.8 4.8) scale(.8)">${knight}</g></svg>\n`;
}

/** Under what terms all this stands. */
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
