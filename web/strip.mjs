// Removes the custom sections of WebAssembly modules, in place. One of them has 200 KB of data for
// wasm-bindgen, which comes from a dependency of the engine and is not used.
//
//     node strip.mjs MODULE...

import { readFileSync, writeFileSync } from 'node:fs';

/** The size of the magic number and the version, in bytes. */
const HEADER = 8;

for (const path of process.argv.slice(2)) {
  const bytes = readFileSync(path);
  const kept = [bytes.subarray(0, HEADER)];
  for (let at = HEADER, end; at < bytes.length; at = end) {
    let [length, cursor, shift] = [0, at + 1, 0];
    do {
      length += (bytes[cursor] & 0x7f) * 2 ** shift;
      shift += 7;
    } while (bytes[cursor++] & 0x80);
    end = cursor + length;
    // The id of a custom section is 0.
    if (bytes[at] !== 0) {
      kept.push(bytes.subarray(at, end));
    }
  }
  writeFileSync(path, Buffer.concat(kept));
}
