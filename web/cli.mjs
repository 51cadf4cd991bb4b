#!/usr/bin/env node
// The engine as a UCI program on standard input and output. With arguments, such as `carrybit bench`,
// it runs this command and exits.

import { createRequire } from 'node:module';
import { writeSync } from 'node:fs';

const { load, start } = createRequire(import.meta.url)('./carrybit.js');

/** Writes a line synchronously; exits if the output is closed. */
function say(line) {
  const bytes = Buffer.from(`${line}\n`);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if (error.code !== 'EAGAIN') {
        process.exit(error.code === 'EPIPE' ? 0 : 1);
      }
    }
  }
}

const engine = await start(await load(), {
  say,
  quit: () => process.exit(0),
  fail: (error) => {
    console.error(`carrybit: ${error.message ?? error}`);
    process.exit(1);
  },
});

const command = process.argv.slice(2).join(' ');
if (command !== '') {
  engine.hear(Buffer.from(`${command}\n`));
  engine.end();
} else {
  process.stdin.on('data', (bytes) => engine.hear(bytes));
  process.stdin.on('end', () => engine.end());
}
