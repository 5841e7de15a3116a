// Asks the legacy source some questions again later, to measure how often writes change its answers (see transient-rules.ts).

import { fieldOf } from '../counts/delta.ts';
import { latencyBucket, latencyQuantile } from '../counts/latency-histogram.ts';
import { waitMs } from '../tasks/ask-at-low-priority.ts';
import { type ComparerDeps, createClassify, type ServedQuery } from './comparer.ts';
import { type Answered, createAskForComparison } from './comparison-call.ts';
import type { ShadowRateLimit } from './shadow-rate-limit.ts';
import { isInPlace } from './resolve-page-shift.ts';

/**
 * What repeated questions need. `onReread` is called for each question that was asked again, with the fields that have changed;
 * `onAnswered` with the time that each call took. Each call takes a token of `rate`, like the first call of a comparison.
 */
type LegacyRereadsDeps = Omit<ComparerDeps, 'toSample'> & {
  readonly rate: Pick<ShadowRateLimit, 'take'>;
  readonly onReread: (operation: string, changed: readonly string[]) => void;
  readonly onAnswered: (ms: number) => void;
};

/** At most one question of an operation is asked again in this time, which is 1,800 an hour. */
const EVERY_MS = 2_000;

/**
 * Creates the measurement of the noise: how often an answer of the legacy source changes within the lag of the new source. A write
 * that changes it makes the new source differ for that long.
 */
export function createLegacyRereads(deps: LegacyRereadsDeps) {
  const { config, sources, clock, rate, onReread, onAnswered, wait = waitMs } = deps;
  const classify = createClassify(deps);
  const askForComparison = createAskForComparison({ ...deps, timeoutMs: config.shadow.timeout });
  const lags = new Map<string, Record<string, number>>();
  const startedMs = clock.monotonic();
  const lastMs = new Map<string, number>();

  return {
    /** Asks again after the lag, unless another question of the operation was chosen just before. Rejects if `signal` aborts. */
    async reread({ operation, query }: ServedQuery, first: Answered, signal: AbortSignal): Promise<void> {
      const nowMs = clock.monotonic();
      const before = lastMs.get(operation) ?? startedMs;
      if (nowMs - before < EVERY_MS || !first.isFresh) return;
      lastMs.set(operation, nowMs);
      // If no token is left, the next question tries again; otherwise a busy fleet would never measure.
      if (!(await rate.take())) {
        lastMs.set(operation, before);
        return;
      }
      // Until the lag is known, it waits as long as a recheck; operators set that time above the lag.
      await wait(latencyQuantile(lags.get(operation) ?? {}, 0.99) ?? config.recheck.delay, signal);
      const again = await askForComparison(sources.legacy, query, undefined, signal, 'waits');
      if (again.kind !== 'answered') return;
      onAnswered(again.ms);
      if (!again.isFresh) return;
      const { counting } = classify(query, { legacy: first.answer, new: again.answer });
      const changed = counting.filter(isInPlace).map(({ path }) => fieldOf(path));
      onReread(operation, [...new Set(changed)]);
    },
    /** Counts how long a difference has lasted. */
    lagged(operation: string, lagMs: number): void {
      const known = lags.get(operation) ?? {};
      const bucket = latencyBucket(lagMs);
      lags.set(operation, { ...known, [bucket]: (known[bucket] ?? 0) + 1 });
    },
  };
}
