// Keeps comparison counts in the memory of one process, for a gateway without Redis.

import { createDelta, type Delta } from './delta.ts';
import { createByScope, type CountsScope, type CountsStore, type StoredCounts } from './counts-store.ts';

/** The counts of one operation, which are never written to Redis. */
type Kept = Delta & { stepAt: number };

function countKeys(keys: Kept['keys'], since: number) {
  const counted = [...keys.values()].filter(({ at }) => at >= since);
  return { keys: counted.length, mismatchedKeys: counted.filter(({ isMismatched }) => isMismatched).length };
}

function storedOf(kept: Kept, { stepAt }: CountsScope, recentAt: number): StoredCounts {
  return {
    counts: Object.fromEntries(kept.counts),
    step: kept.stepAt === stepAt ? Object.fromEntries(kept.step) : {},
    keys: {
      all: countKeys(kept.keys, 0),
      step: countKeys(kept.keys, stepAt),
      recent: countKeys(kept.keys, recentAt),
    },
    critical: [...kept.critical],
    failing: kept.failing.toReversed(),
    transient: [...kept.transient],
    lastFallbackAt: kept.lastFallbackAt,
  };
}

/** Creates the store. It keeps only the present counts of each resource. */
export function createLocalCountsStore(): CountsStore {
  const operationsOf = createByScope(() => new Map<string, Kept>());

  function mapOperations<T>(scope: CountsScope, of: (kept: Kept) => T) {
    const all = [...operationsOf(scope)].map(([operation, kept]) => [operation, of(kept)] as const);
    return Promise.resolve(Object.fromEntries(all));
  }

  return {
    deltaOf(scope, operation) {
      const operations = operationsOf(scope);
      const kept = operations.get(operation) ?? { ...createDelta(), stepAt: scope.stepAt };
      operations.set(operation, kept);
      if (kept.stepAt !== scope.stepAt) kept.step.clear();
      kept.stepAt = scope.stepAt;
      return kept;
    },
    flush: () => Promise.resolve(),
    read: (scope, recentAt) => mapOperations(scope, (kept) => storedOf(kept, scope, recentAt)),
    groups: (scope) =>
      mapOperations(scope, ({ groups }) => [...groups].map(([name, group]) => ({ name, ...group }))),
  };
}
