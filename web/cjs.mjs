// Writes modules and their types for `require`, which takes an ES module only since Node 20.19: NAME.cjs
// and NAME.d.cts from NAME.mjs and NAME.d.mts. The modules import nothing.
//
//     node cjs.mjs NAME...

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';

for (const name of process.argv.slice(2)) {
  const names = [];
  const text = readFileSync(`${name}.mjs`, 'utf8')
    .replace(/^export (.*?)(\w+)(?= [={]|\()/gm, (_, kind, exported) => {
      names.push(exported);
      return kind + exported;
    })
    .replaceAll('import.meta.url', "require('node:url').pathToFileURL(__filename)");
  writeFileSync(`${name}.cjs`, `'use strict';\n\n${text}\nmodule.exports = { ${names.join(', ')} };\n`);
  copyFileSync(`${name}.d.mts`, `${name}.d.cts`);
}
