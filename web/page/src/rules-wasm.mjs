// Calls the WebAssembly module of web/rules/ without a worker. Its functions take text or bytes and return text.

import bytes from '#rules.wasm';

const compiled = compile();
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Compiles the module. If the browser cannot, nothing of the page works but this message. */
function compile() {
  try {
    return new WebAssembly.Module(bytes);
  } catch (error) {
    const remark = globalThis.document?.getElementById('remark');
    if (remark) {
      remark.textContent = 'This page needs a browser with WebAssembly SIMD.';
      remark.hidden = false;
    }
    throw error;
  }
}

const start = () => new WebAssembly.Instance(compiled).exports;

/** An instance of the module with its own memory. */
export class Module {
  #exports = start();

  /** Calls a function with texts as arguments. If it fails, throws an Error with its message. */
  ask(name, ...texts) {
    return this.#call(encoder.encode([name, ...texts].join('\t')));
  }

  /** Decodes the next bytes of a file. */
  decode(bytes) {
    return this.#call(encoder.encode('decode\t'), bytes);
  }

  #call(head, bytes = new Uint8Array()) {
    const { memory, room, answer, ask } = this.#exports;
    try {
      const address = room(head.length + bytes.length);
      const input = new Uint8Array(memory.buffer, address, head.length + bytes.length);
      input.set(head);
      input.set(bytes, head.length);
      const length = ask();
      const text = decoder.decode(new Uint8Array(memory.buffer, answer(), length < 0 ? ~length : length));
      if (length >= 0) {
        return text;
      }
      throw new Error(text);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        // After a trap, the instance is unusable. The usual cause is a lack of memory.
        this.#exports = start();
        throw new Error('out of memory; try a smaller file');
      }
      throw error;
    }
  }
}
