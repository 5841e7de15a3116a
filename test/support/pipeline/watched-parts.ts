import { createSharedComponents } from '../../../src/kernel/shared-components.ts';

/** Whether a value was read, or something around it, from which nothing was read then: it may be read later. */
function isMadeFrom(reads: ReadonlySet<string>, path: string): boolean {
  const around = [...reads].filter((read) => path === read || path.startsWith(`${read}.`));
  return around.some((read) => read === path || ![...reads].some((other) => other.startsWith(`${read}.`)));
}

/** The parts of some configurations, and what of them each part was made from. */
export function watchParts() {
  const parts = createSharedComponents();
  const madeFrom = new Map<unknown, { readonly name: string; readonly reads: Set<string> }>();
  let making: Set<string> | undefined;
  let kept: unknown[] = [];
  let onMake: () => void = () => undefined;
  const wrappers = new Map<unknown, unknown>();

  /** The same function each time, which calls `begin` where a part is made. */
  function watching<Make extends (...from: never[]) => unknown>(make: Make, begin: () => void): Make {
    onMake = begin;
    const wrapper =
      wrappers.get(make) ??
      ((...from: Parameters<Make>) => {
        onMake();
        try {
          return make(...from);
        } finally {
          making = undefined;
        }
      });
    wrappers.set(make, wrapper);
    return wrapper as Make;
  }

  const watched: typeof parts = {
    open() {
      const set = parts.open();
      return {
        ...set,
        acquire(make, settings, deps) {
          let reads: Set<string> | undefined;
          const value = set.acquire(
            watching(make, () => (reads = making = new Set())),
            settings,
            deps,
          );
          if (reads === undefined) kept.push(value);
          else madeFrom.set(value, { name: make.name, reads });
          return value;
        },
      };
    },
  };
  return {
    parts: watched,
    note(path: string): void {
      making?.add(path);
    },
    /** The parts that were not made anew since the last call, though they were made from what is at a path. */
    keptFrom(path: string) {
      const wrong = kept.flatMap((value) => {
        const { name = '', reads = new Set<string>() } = madeFrom.get(value) ?? {};
        return isMadeFrom(reads, path) ? [name] : [];
      });
      kept = [];
      return wrong;
    },
  };
}
