// Reads from the evidence of the fleet how long the legacy source of each operation takes.

import type { MigrationEvidence } from './evidence.ts';
import { latencyCount, latencyQuantile } from './latency.ts';

/** How long the legacy sources take. */
export type LegacyLatency = {
  /** What 99 % of the calls took at most, in milliseconds; `undefined`: too little is known. It never waits. */
  p99Ms(operation: string): number | undefined;
  /** Reads the evidence now. It never rejects. */
  refresh(): Promise<void>;
  close(): void;
};

/** `serving` is asked at each reading, every 15 seconds; where it is empty, the store is asked nothing. */
export type LegacyLatencyDeps = {
  readonly evidence: Pick<MigrationEvidence, 'read'>;
  /** The resources whose callers the new source serves now. */
  readonly serving: () => readonly string[];
};

const REFRESH_MS = 15_000;
/** A 99th percentile of fewer calls is that of the slowest one. */
const CALLS_MIN = 100;

/** Creates what reads the evidence every 15 seconds; while Redis fails, what was read last counts. */
export function createLegacyLatency({ evidence, serving }: LegacyLatencyDeps): LegacyLatency {
  let known: ReadonlyMap<string, number> = new Map();

  async function refresh(): Promise<void> {
    try {
      const found = await Promise.all(serving().map((resource) => evidence.read(resource)));
      const all = found.flatMap((operations) => Object.entries(operations));
      known = new Map(
        all.flatMap(([operation, { legacyMs }]) => {
          const p99Ms = latencyCount(legacyMs) < CALLS_MIN ? undefined : latencyQuantile(legacyMs, 0.99);
          return p99Ms === undefined ? [] : [[operation, p99Ms] as const];
        }),
      );
    } catch {
      // The next time tries again.
    }
  }

  const timer = setInterval(() => void refresh(), REFRESH_MS);
  timer.unref();
  return {
    p99Ms: (operation) => known.get(operation),
    refresh,
    close: () => clearInterval(timer),
  };
}
