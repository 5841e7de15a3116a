// Reads from the counts of the fleet how long the legacy source takes, so that a fallback can start in time to answer a caller.

import type { MigrationCounts } from './count-comparisons.ts';
import type { OperationCounts } from './counts-store.ts';
import { latencyCount, latencyQuantile } from './latency-histogram.ts';

const REFRESH_MS = 15_000;
/** With fewer calls there is no value, because the 99th percentile would be the slowest call. */
const CALLS_MIN = 100;

/** The 99th percentile of each operation that has enough calls. */
function quantilesOf(found: Readonly<Record<string, OperationCounts>>) {
  return Object.entries(found).flatMap(([operation, { legacyMs }]) => {
    const p99Ms = latencyCount(legacyMs) < CALLS_MIN ? undefined : latencyQuantile(legacyMs, 0.99);
    return p99Ms === undefined ? [] : [[operation, p99Ms] as const];
  });
}

/**
 * Creates the reader of latencies, which reads the counts every 15 seconds. The earlier value stays while Redis fails, and while
 * the counts have begun anew and are too few: the legacy source does not change when somebody repairs the new source. `compared`
 * returns the resources whose two sources are both asked now. `shadow` is included, so that the ramp begins with a value.
 */
export function createLegacyLatencyReader({
  counts,
  compared,
}: {
  readonly counts: Pick<MigrationCounts, 'read'>;
  readonly compared: () => readonly string[];
}) {
  let known: ReadonlyMap<string, number> = new Map();

  /** Reads the counts now. It never rejects. */
  async function refresh(): Promise<void> {
    try {
      const resources = compared();
      const found = await Promise.all(resources.map((resource) => counts.read(resource)));
      const isCompared = ([operation]: readonly [string, number]) =>
        resources.some((resource) => operation.startsWith(`${resource}.`));
      known = new Map([...[...known].filter(isCompared), ...found.flatMap(quantilesOf)]);
    } catch {
      // The next time tries again.
    }
  }

  const timer = setInterval(() => void refresh(), REFRESH_MS).unref();
  return {
    /** The 99th percentile of an operation, in milliseconds; `undefined` if there were too few calls. It never waits. */
    p99Ms: (operation: string) => known.get(operation),
    refresh,
    close: () => clearInterval(timer),
  };
}
