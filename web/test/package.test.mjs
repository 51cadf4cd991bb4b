// The contents of the npm package.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const WEB = fileURLToPath(new URL('..', import.meta.url));

const missing = ['cargo', 'python3'].find((tool) => spawnSync(tool, ['--version']).error);

test('the package contains third-party licences', { skip: missing && `there is no ${missing}` }, () => {
  execFileSync('./notices', { cwd: WEB });
  const notices = readFileSync(`${WEB}THIRD-PARTY.txt`, 'utf8');
  assert.match(notices, /^vampirc-uci \d.*\(Apache-2\.0\)$/m);
  assert.match(notices, /Apache License/);
  const listing = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: WEB, stdio: ['ignore', 'pipe', 'ignore'] });
  const files = JSON.parse(listing)[0].files.map(({ path }) => path);
  for (const name of ['THIRD-PARTY.txt', 'RUST-STANDARD-LIBRARY.html', 'carrybit.wasm', 'index.mjs', 'index.cjs', 'rules.wasm', 'rules.d.cts']) {
    assert.ok(files.includes(name), `${name} is not among ${files}`);
  }
});

test('a bundler for browsers accepts the modules without settings', async (t) => {
  let bundler;
  try {
    bundler = createRequire(`${WEB}page/`)('esbuild');
  } catch {
    t.skip('the packages of the page are not installed');
    return;
  }
  const bundle = { entryPoints: ['index', 'rules'].map((name) => `${WEB}${name}.mjs`), bundle: true, format: 'esm', platform: 'browser', outdir: WEB, write: false };
  const { warnings } = await bundler.build({ ...bundle, logLevel: 'silent' });
  assert.deepEqual(warnings, []);
});
