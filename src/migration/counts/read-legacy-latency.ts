// Reads from the evidence of the fleet how long the legacy source of each operation takes.

import type { MigrationCounts, OperationCounts } from './migration-counts.ts';
import { latencyCount, latencyQuantile } from './latency-histogram.ts';

/** How long the legacy sources take. */
export type LegacyLatency = {
  /** What 99 % of the calls took at most, in milliseconds; `undefined`: too little is known. It never waits. */
  p99Ms(operation: string): number | undefined;
  /** Reads the evidence now. It never rejects. */
  refresh(): Promise<void>;
  close(): void;
};

/** `compared` is asked at each reading, every 15 seconds; where it is empty, the store is asked nothing. */
export type LegacyLatencyDeps = {
  readonly counts: Pick<MigrationCounts, 'read'>;
  /** The resources of which both sources are asked now: in `shadow`, so that the first step of the ramp knows, too. */
  readonly compared: () => readonly string[];
};

const REFRESH_MS = 15_000;
/** A 99th percentile of fewer calls is that of the slowest one. */
const CALLS_MIN = 100;

/** By operation, what 99 % of the calls took at most; without those of which too little is known. */
function quantilesOf(found: Readonly<Record<string, OperationCounts>>) {
  return Object.entries(found).flatMap(([operation, { legacyMs }]) => {
    const p99Ms = latencyCount(legacyMs) < CALLS_MIN ? undefined : latencyQuantile(legacyMs, 0.99);
    return p99Ms === undefined ? [] : [[operation, p99Ms] as const];
  });
}

/**
 * Creates what reads the evidence every 15 seconds. While Redis fails, or evidence that began anew says too little, what was
 * known before counts: the legacy source is no slower because somebody has mended the new one.
 */
export function createLegacyLatency({ counts, compared }: LegacyLatencyDeps): LegacyLatency {
  let known: ReadonlyMap<string, number> = new Map();

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

  const timer = setInterval(() => void refresh(), REFRESH_MS);
  timer.unref();
  return {
    p99Ms: (operation) => known.get(operation),
    refresh,
    close: () => clearInterval(timer),
  };
}
