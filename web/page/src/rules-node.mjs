// Loads the rules module for tests in Node; in the page, esbuild embeds it.

import { readFileSync } from 'node:fs';

export default readFileSync(new URL('../../rules.wasm', import.meta.url));
