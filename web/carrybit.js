/*
 * Carrybit as a Web Worker: receives UCI commands by postMessage and posts lines of output.
 *
 *     const engine = new Worker('carrybit.js');
 *     engine.onmessage = ({ data }) => console.log(data);
 *     engine.postMessage('go movetime 1000');
 *
 * `carrybit.wasm` must be beside this file, and gets the same query (`carrybit.js?v=2`). If it is
 * elsewhere, give its URL after a `#`: `carrybit.js#/engine/carrybit-2.wasm`. In Node, this is a
 * worker of `node:worker_threads`, and a CommonJS module with the functions `load` and `start`.
 */
'use strict';

(() => {
  /** The time of a slice of the search, in milliseconds. */
  const SLICE_MS = 8;

  /** The interval of wake-ups of a search that only waits for `stop`, in milliseconds. */
  const REST_MS = 50;

  /** States of Asyncify. */
  const UNWINDING = 1;
  const REWINDING = 2;

  const isNode = typeof process === 'object' && process.versions?.node !== undefined;

  /** Calls `act` after pending events. */
  const soon = (() => {
    if (typeof setImmediate === 'function') {
      return setImmediate;
    }
    // A timer would wait at least 4 ms.
    const { port1, port2 } = new MessageChannel();
    let next;
    port1.onmessage = () => next();
    return (act) => {
      next = act;
      port2.postMessage(null);
    };
  })();

  /**
   * Starts the engine. `say` gets each line of output, `quit` is called after the command `quit` or the end
   * of the input, and `fail` gets the error if the engine crashes. Returns `{ hear(bytes), end(), memory }`:
   * `hear` takes input, and `end` ends it.
   */
  async function start(module, { say, quit, fail }) {
    const decoder = new TextDecoder();
    // Addresses from 2 GB on arrive as negative numbers.
    const text = (address, length) =>
      decoder.decode(new Uint8Array(engine.memory.buffer, address >>> 0, length));
    let sliceEnd = 0;
    /** The address of Asyncify's pair of pointers to the saved stack. */
    let savedStack = 0;
    let isSuspended = false;
    let isResting = false;
    let isScheduled = false;
    let isOver = false;
    let timer;

    /** Finishes a rewind; otherwise suspends the search if `isDue()`. */
    const suspend = (isDue) => {
      if (engine.asyncify_get_state() === REWINDING) {
        engine.asyncify_stop_rewind();
      } else if (isDue()) {
        engine.asyncify_start_unwind(savedStack);
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
      // Unused imports of dependencies.
      (imports[other] ??= {})[name] ??= () => {
        throw new Error(`${name} of ${other} was called`);
      };
    }
    const engine = (await WebAssembly.instantiate(module, imports)).exports;
    savedStack = engine.unwound();

    /** Runs a slice of the search. */
    const work = () => {
      sliceEnd = performance.now() + SLICE_MS;
      isResting = false;
      if (isSuspended) {
        engine.asyncify_start_rewind(savedStack);
      }
      engine.work();
      isSuspended = engine.asyncify_get_state() === UNWINDING;
      if (isSuspended) {
        engine.asyncify_stop_unwind();
      }
    };
    /** Runs `act`, handles its events, and schedules the next slice. */
    const attempt = (act) => {
      if (isOver) {
        return;
      }
      if (isResting && isScheduled) {
        // Input wakes a waiting search: its next slice comes at once.
        isResting = false;
        isScheduled = false;
        clearTimeout(timer);
      }
      try {
        act();
        if (!engine.attend()) {
          isOver = true;
          quit();
        } else if (!isScheduled && (isSuspended || engine.has_work())) {
          isScheduled = true;
          if (isResting) {
            timer = setTimeout(slice, REST_MS);
          } else {
            soon(slice);
          }
        }
      } catch (error) {
        isOver = true;
        fail(error);
      }
    };
    const slice = () => {
      isScheduled = false;
      attempt(work);
    };

    return {
      memory: engine.memory,
      hear(bytes) {
        attempt(() => {
          const address = engine.room(bytes.length) >>> 0;
          new Uint8Array(engine.memory.buffer, address, bytes.length).set(bytes);
          engine.hear();
        });
      },
      end: () => attempt(() => engine.end()),
    };
  }

  /** Loads and compiles the module. */
  async function load() {
    if (isNode) {
      const { readFile } = require('node:fs/promises');
      const { join } = require('node:path');
      return WebAssembly.compile(await readFile(join(__dirname, 'carrybit.wasm')));
    }
    const { href, hash, search } = self.location;
    const url = hash === '' ? `carrybit.wasm${search}` : decodeURIComponent(hash.slice(1));
    const response = await fetch(new URL(url, href));
    if (!response.ok) {
      throw new Error(`cannot load ${response.url}: ${response.status} ${response.statusText}`);
    }
    // Streaming compilation needs the right type, which some servers do not send.
    const isKnown = response.headers.get('Content-Type')?.startsWith('application/wasm');
    return isKnown
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer());
  }

  /** Starts the engine of a worker; returns the handler of its messages. */
  function serve(post, close) {
    const encoder = new TextEncoder();
    const fail = (error) => {
      post(`info string the engine has crashed: ${error.message ?? error}`);
      // Throw outside of a promise, so that the worker's `onerror` is called.
      setTimeout(() => {
        throw error;
      });
    };
    const engine = load().then((module) => start(module, { say: post, quit: close, fail }));
    engine.catch(fail);
    let last = engine;
    return (message) => {
      const bytes = encoder.encode(`${message}\n`);
      // Early lines wait for the engine, in order.
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
