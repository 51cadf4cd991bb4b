// Long work in slices, between which the page can react.

/** The longest that the page works without a pause, in milliseconds; a step may add a few. */
const SLICE_MS = 24;

/** Resolves after the events that wait have been handled. A timer would wait for 4 ms. */
export const pause = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/**
 * Runs a generator to its end and resolves with its result. Short work ends without a pause.
 * Rejects if `signal` is aborted before a step.
 */
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
