// The module of the rules for tests under Node; esbuild puts it into the page.

import { readFileSync } from 'node:fs';

export default readFileSync(new URL('../rules.wasm', import.meta.url));
