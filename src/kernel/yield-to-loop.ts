/** The longest stretch of work between two turns of the event loop, milliseconds; what is done at once is small. */
const STRETCH_MS = 5;

/** Lets the event loop turn where the work has lasted long enough; `undefined` where it may go on at once. */
export type Pace = () => Promise<void> | undefined;

/**
 * Paces a long computation, so that it never holds the event loop for more than a few milliseconds. It is asked
 * between small pieces of work, and throws the signal's reason once nobody wants the result any more.
 */
export function createPace(signal: AbortSignal): Pace {
  let since = performance.now();
  return function pace() {
    signal.throwIfAborted();
    if (performance.now() - since < STRETCH_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now();
        resolve();
      });
    });
  };
}
