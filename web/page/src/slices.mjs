// Runs long work in slices, so that the page stays responsive.

/** The maximum work without a pause, in milliseconds; a step may add a few. */
const SLICE_MS = 24;

/** Resolves after pending events are handled. (A timer would wait at least 4 ms.) */
export const pause = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** Runs a generator and resolves with its result. Rejects if `signal` is aborted. Short work runs without a pause. */
export async function inSlices(steps, signal) {
  for (let end = performance.now() + SLICE_MS; ; ) {
    signal?.throwIfAborted();
    const { done, value } = steps.next();
    if (done) {
      return value;
    }
    if (performance.now() >= end) {
      await pause();
      end = performance.now() + SLICE_MS;
    }
  }
}
