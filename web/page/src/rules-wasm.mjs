// The module of the rules (web/rules/): its functions take texts and return texts, without a worker.

import bytes from '#rules.wasm';

const compiled = new WebAssembly.Module(bytes);
const imports = {};
for (const { module, name } of WebAssembly.Module.imports(compiled)) {
  // Imports of packages that the engine is built with; the rules never call them.
  (imports[module] ??= {})[name] = () => {
    throw new Error(`${name} of ${module} was called`);
  };
}
const { exports } = new WebAssembly.Instance(compiled, imports);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Calls a function of the module. Throws an Error with its reason if it refuses the input. */
export function ask(name, ...parts) {
  const input = encoder.encode(parts.join('\t'));
  const address = exports.room(input.length);
  new Uint8Array(exports.memory.buffer, address, input.length).set(input);
  const length = exports[name]();
  const answer = decoder.decode(new Uint8Array(exports.memory.buffer, exports.answer(), length));
  if (answer.startsWith('!')) {
    throw new Error(answer.slice(1));
  }
  return answer;
}
