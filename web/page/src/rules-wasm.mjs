// The module of web/rules/: its functions take text or bytes and return text, without a worker.

import bytes from '#rules.wasm';

const compiled = new WebAssembly.Module(bytes);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An instance of the module, with a memory of its own. */
export class Module {
  #exports;

  constructor() {
    this.#start();
  }

  #start() {
    const imports = {};
    for (const { module, name } of WebAssembly.Module.imports(compiled)) {
      // Imports of packages that the engine is built with; nothing here calls them.
      (imports[module] ??= {})[name] = () => {
        throw new Error(`${name} of ${module} was called`);
      };
    }
    this.#exports = new WebAssembly.Instance(compiled, imports).exports;
  }

  /** Calls a function that takes a number. */
  begin(size) {
    this.#exports.begin(size);
  }

  /** Calls a function with texts, or with bytes. Throws an Error with its reason if it refuses them. */
  ask(name, ...parts) {
    const input = parts[0] instanceof Uint8Array ? parts[0] : encoder.encode(parts.join('\t'));
    const { memory, room, answer } = this.#exports;
    try {
      const address = room(input.length);
      new Uint8Array(memory.buffer, address, input.length).set(input);
      const length = this.#exports[name]();
      const text = decoder.decode(new Uint8Array(memory.buffer, answer(), length < 0 ? ~length : length));
      if (length >= 0) {
        return text;
      }
      throw new Error(text);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        // The instance cannot be used after a trap.
        this.#start();
        throw new Error('there is too little memory for it');
      }
      throw error;
    }
  }
}
