// Splits long computations into steps, so that other requests are served in between.

/** How long a computation may run before the event loop gets a turn, in milliseconds. */
const SLICE_MS = 5;

/** Gives the event loop a turn if the computation has run long enough. If it returns `undefined`, go on at once. */
export type YieldToLoop = () => Promise<void> | undefined;

/**
 * Cooperative scheduling for a long computation, so that it never blocks the event loop for more than a few milliseconds. Call it
 * between small pieces of work. It throws the signal's reason once the signal is aborted.
 */
export function createYieldToLoop(signal: AbortSignal): YieldToLoop {
  let since = performance.now();
  return function yieldToLoop() {
    signal.throwIfAborted();
    if (performance.now() - since < SLICE_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now();
        resolve();
      });
    });
  };
}

/** A computation in steps, each of a few milliseconds. */
export type Steps<T> = Generator<undefined, T>;

/** Runs all steps without a pause; returns the result. */
export function finishSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the steps with a turn of the event loop between them, so that requests are served meanwhile. */
export async function finishStepsInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
