/** Lets only so many pieces of work be under way at once; the others wait in the order in which they came. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a gate. */
export function createGate(size: number): Gate {
  const waiting: (() => void)[] = [];
  let active = 0;
  return async (work) => {
    if (active < size) active += 1;
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The place goes over to whoever has waited longest.
      if (next === undefined) active -= 1;
      else next();
    }
  };
}
