/** A counting semaphore: at most `size` pieces of work run at once; the others wait in the order in which they came. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates a semaphore with all permits free. Work that waits cannot be withdrawn: let `work` look at its signal first.
 * Work that fails gives its permit back, too.
 */
export function createSemaphore(size: number): Semaphore {
  const waiting: (() => void)[] = [];
  let active = 0;
  return async (work) => {
    if (active < size) active += 1;
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The permit passes directly to the longest waiting piece of work.
      if (next === undefined) active -= 1;
      else next();
    }
  };
}
