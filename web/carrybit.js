/*
 * Carrybit as a Web Worker: it takes lines of UCI by postMessage and answers with lines.
 *
 *     const engine = new Worker('carrybit.js');
 *     engine.onmessage = ({ data }) => console.log(data);
 *     engine.postMessage('go movetime 1000');
 *
 * `carrybit.wasm` must lie beside this file; a query (`carrybit.js?v=2`) is handed on to it.
 * Where it lies elsewhere, its address stands behind a `#`: `carrybit.js#/engine/carrybit-2.wasm`.
 * Under Node this is a worker of `node:worker_threads`, and a CommonJS module with the function
 * `start`.
 */
'use strict';

(() => {
  /** How long the search works before others have their turn, in milliseconds. */
  const SLICE_MS = 8;

  /** How often a search that only waits to be stopped is looked after, in milliseconds. */
  const REST_MS = 50;

  /** The states of a module that Asyncify has made suspendable. */
  const UNWINDING = 1;
  const REWINDING = 2;

  const isNode = typeof process === 'object' && process.versions?.node !== undefined;

  /** Calls `act` soon, after whatever else is to be done. */
  const soon = (() => {
    if (typeof setImmediate === 'function') {
      return setImmediate;
    }
    // A timer would wait for 4 ms.
    const { port1, port2 } = new MessageChannel();
    let next;
    port1.onmessage = () => next();
    return (act) => {
      next = act;
      port2.postMessage(null);
    };
  })();

  /**
   * Starts the engine of this module. `say` gets each line, `quit` is called at the end of
   * the dialogue, and `fail` gets the error if the engine cannot go on.
   * Returns an object with `hear(bytes)` for input, `end()` for the end of it, and `memory`.
   */
  async function start(module, { say, quit, fail }) {
    const decoder = new TextDecoder();
    const text = (address, length) =>
      decoder.decode(new Uint8Array(engine.memory.buffer, address, length));
    let sliceEnd = 0;
    let unwound = 0;
    let isSuspended = false;
    let isResting = false;
    let isScheduled = false;
    let isOver = false;
    let timer;

    /** Unwinds the stack if the search `shall` be suspended; ends rewinding it. */
    const suspend = (shall) => {
      if (engine.asyncify_get_state() === REWINDING) {
        engine.asyncify_stop_rewind();
      } else if (shall()) {
        engine.asyncify_start_unwind(unwound);
      }
    };
    const host = {
      now: () => performance.timeOrigin + performance.now(),
      say: (address, length) => say(text(address, length)),
      fail: (address, length) => say(`info string ${text(address, length).replace(/\s+/g, ' ')}`),
      pause: () => suspend(() => performance.now() >= sliceEnd),
      rest: () => suspend(() => (isResting = true)),
    };
    const imports = { host };
    for (const { module: other, name } of WebAssembly.Module.imports(module)) {
      // A package that the engine is built with could run in a page by itself. It never does.
      (imports[other] ??= {})[name] ??= () => {
        throw new Error(`${name} of ${other} was called`);
      };
    }
    const engine = (await WebAssembly.instantiate(module, imports)).exports;
    unwound = engine.unwound();

    /** Has the search work for a slice of time. */
    const work = () => {
      sliceEnd = performance.now() + SLICE_MS;
      isResting = false;
      if (isSuspended) {
        engine.asyncify_start_rewind(unwound);
      }
      engine.work();
      isSuspended = engine.asyncify_get_state() === UNWINDING;
      if (isSuspended) {
        engine.asyncify_stop_unwind();
      }
    };
    /** Does `act`, and what follows from it. */
    const attempt = (act) => {
      if (isOver) {
        return;
      }
      try {
        act();
        if (!engine.attend()) {
          isOver = true;
          quit();
        } else if (isSuspended || engine.has_work()) {
          schedule();
        }
      } catch (error) {
        isOver = true;
        fail(error);
      }
    };
    const slice = () => {
      isScheduled = false;
      clearTimeout(timer);
      attempt(work);
    };
    const schedule = () => {
      if (isScheduled) {
        return;
      }
      isScheduled = true;
      if (isResting) {
        timer = setTimeout(slice, REST_MS);
      } else {
        soon(slice);
      }
    };
    /** Whatever was waited for may have happened. */
    const wake = () => {
      if (isResting && isScheduled) {
        isResting = false;
        isScheduled = false;
        clearTimeout(timer);
      }
    };

    return {
      memory: engine.memory,
      hear(bytes) {
        wake();
        attempt(() => {
          const address = engine.room(bytes.length);
          new Uint8Array(engine.memory.buffer, address, bytes.length).set(bytes);
          engine.hear();
        });
      },
      end() {
        wake();
        attempt(() => engine.end());
      },
    };
  }

  /** Where a page has the module. */
  function address() {
    const { href, hash, search } = self.location;
    return hash === '' ? new URL(`carrybit.wasm${search}`, href) : new URL(decodeURIComponent(hash.slice(1)), href);
  }

  /** The compiled module. */
  async function load() {
    if (isNode) {
      const { readFile } = require('node:fs/promises');
      const { join } = require('node:path');
      return WebAssembly.compile(await readFile(join(__dirname, 'carrybit.wasm')));
    }
    const response = await fetch(address());
    if (!response.ok) {
      throw new Error(`cannot load ${response.url}: ${response.status} ${response.statusText}`);
    }
    // Servers that do not know the type of the file prevent that it is compiled as it comes.
    const isKnown = response.headers.get('Content-Type')?.startsWith('application/wasm');
    return isKnown
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer());
  }

  /** Serves the other end of a worker: `post` sends to it, and `close` leaves. */
  function serve(post, close) {
    const encoder = new TextEncoder();
    const quit = () => close();
    const fail = (error) => {
      post(`info string the engine has died: ${error.message ?? error}`);
      // As an error of the worker; what is thrown in a promise would not be one.
      setTimeout(() => {
        throw error;
      });
    };
    const engine = load().then((module) => start(module, { say: post, quit, fail }));
    engine.catch(fail);
    let last = engine;
    return (message) => {
      const bytes = encoder.encode(`${message}\n`);
      // Lines that come early wait, in order, for the engine.
      last = last.then((ready) => {
        ready.hear(bytes);
        return ready;
      });
      last.catch(() => {});
    };
  }

  if (isNode) {
    const { isMainThread, parentPort } = require('node:worker_threads');
    if (!isMainThread && require.main === module) {
      parentPort.on('message', serve((line) => parentPort.postMessage(line), () => parentPort.close()));
    }
    module.exports = { load, start };
  } else {
    const hear = serve((line) => self.postMessage(line), () => self.close());
    self.onmessage = ({ data }) => hear(data);
  }
})();
