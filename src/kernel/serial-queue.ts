/** A queue that runs one piece of work at a time, in the order of the calls. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates an empty queue, for CPU-bound work that would gain nothing from running in parallel. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return function enqueue(work) {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}
