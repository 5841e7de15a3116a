import type { Redis } from 'ioredis';
import { createYieldToLoop } from '../../kernel/yield-to-loop.ts';
import { type SeriesTable, pointTimes, type TableRange } from '../../telemetry/history/series-ring.ts';
import { packSeries, unpackSeries } from '../../telemetry/history/packed-series.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import { writeFigures } from '../redis/scripts/count-scripts.ts';

/** What fleet figures need. `keys.figures` gets a number of minutes since the epoch. */
export type FleetFiguresDeps = {
  readonly client: Redis;
  readonly keys: Pick<RedisKeys, 'figures'>;
  /** The random name of this process. A process that starts again has a new name, so it adds a field. */
  readonly gateway: string;
};

const MINUTE_MS = 60_000;
const KEPT_MS = 48 * 3_600_000;
/** Figures of more gateways in a minute are not kept, so that processes that start again and again do not fill Redis. */
const GATEWAYS_MAX = 500;
/** If Redis denies the right to write, the next try is after this time, because each refusal makes Redis look unhealthy. */
const REFUSED_MS = 3_600_000;
/** The errors of Redis for a missing right, also inside a script; the words differ between versions of Redis. */
const REFUSED = /NOPERM|can't run this command|ACL failure/;
/** How many minutes are read at once. */
const CHUNK = 60;

function addTo(
  columns: Map<string, number[]>,
  length: number,
  step: number,
  key: string,
  count: number,
): void {
  const counts = columns.get(key) ?? Array.from({ length }, () => 0);
  columns.set(key, counts);
  counts[step] = (counts[step] ?? 0) + count;
}

/**
 * Creates the figures (counts of the metrics, by name) of all gateways on one Redis, for the history that the console shows. Redis
 * has a hash for each minute, with a field for each gateway. If the figures are lost, only views suffer.
 */
export function createFleetFigures({ client, keys, gateway }: FleetFiguresDeps) {
  let refusedAt = -Infinity;

  return {
    /** Adds the figures of a minute of this gateway, in one write. Rejects if Redis fails. */
    async write(atMs: number, figures: ReadonlyMap<string, number>): Promise<void> {
      if (performance.now() - refusedAt < REFUSED_MS) return;
      try {
        const args = [gateway, packSeries(figures), KEPT_MS, GATEWAYS_MAX];
        await writeFigures(client, [keys.figures(atMs / MINUTE_MS)], args);
      } catch (error) {
        if (error instanceof Error && REFUSED.test(error.message)) refusedAt = performance.now();
        throw error;
      }
    },
    /** Sums the figures that begin with one of `prefixes` over all gateways. Rejects if Redis fails. */
    async read(
      { fromMs, toMs, stepMs }: TableRange,
      prefixes: readonly string[],
      signal: AbortSignal,
    ): Promise<SeriesTable> {
      const at = pointTimes({ fromMs, toMs, stepMs });
      const minutes = pointTimes({ fromMs: at[0] ?? toMs, toMs, stepMs: MINUTE_MS });
      const isCounted = at.map(() => false);
      const columns = new Map<string, number[]>();
      const yieldToLoop = createYieldToLoop(signal);
      for (let first = 0; first < minutes.length; first += CHUNK) {
        const chunk = minutes.slice(first, first + CHUNK);
        const found = await Promise.all(
          chunk.map((minute) => client.hvalsBuffer(keys.figures(minute / MINUTE_MS))),
        );
        for (const [index, packed] of found.flatMap((all, index) =>
          all.map((one) => [index, one] as const),
        )) {
          await yieldToLoop();
          const step = Math.floor(((chunk[index] ?? 0) - (at[0] ?? 0)) / stepMs);
          // What cannot be unpacked is skipped. A check would not help: who can write here can also write wrong counts.
          const figures = unpackSeries(packed);
          if (figures === undefined) continue;
          isCounted[step] = true;
          for (const [key, count] of figures)
            if (prefixes.some((prefix) => key.startsWith(prefix)))
              addTo(columns, at.length, step, key, count);
        }
      }
      return { stepMs, at, isCounted, columns };
    },
  };
}
