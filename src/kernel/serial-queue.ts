/** Does one piece of work after the other, in the order in which they are asked for. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a line: work that keeps the processor busy would only be slower side by side. */
export function createInTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return function inTurn(work) {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}
