// Asks the legacy source some questions again later, to measure how often its own answers change meanwhile.

import { fieldOf } from '../counts/delta.ts';
import { latencyBucket, latencyQuantile } from '../counts/latency-histogram.ts';
import { type ComparerDeps, createClassify, type ServedQuery, waitUnref } from './comparer.ts';
import { type Answered, createAskForComparison } from './comparison-call.ts';
import type { ShadowRateLimit } from './shadow-rate-limit.ts';
import { isInPlace } from './resolve-page-shift.ts';

/**
 * Measures the noise: how often the legacy source differs from itself after as long as the new one lags behind. The write that
 * makes this difference makes the new source differ for as long.
 */
export type LegacyRereads = {
  /** Asks again after the lag, unless another question of the operation was chosen a moment ago. It rejects where `signal` aborts. */
  reread(question: ServedQuery, first: Answered, signal: AbortSignal): Promise<void>;
  /** Learns how long a difference has lasted. */
  lagged(operation: string, lagMs: number): void;
};

/**
 * `onReread` is called with the fields that have changed, for each question that was read again, and `onAnswered` with the time
 * that each call took. A call takes a token of `rate`, as the first one of a comparison does.
 */
export type LegacyRereadsDeps = Omit<ComparerDeps, 'toSample'> & {
  readonly rate: Pick<ShadowRateLimit, 'take'>;
  readonly onReread: (operation: string, changed: readonly string[]) => void;
  readonly onAnswered: (ms: number) => void;
};

/** One question of an operation in this time: 1,800 an hour, where so many are compared. */
const EVERY_MS = 2_000;

/** Creates the second readings of one resource. */
export function createLegacyRereads(deps: LegacyRereadsDeps): LegacyRereads {
  const { config, sources, clock, rate, onReread, onAnswered, wait = waitUnref } = deps;
  const classify = createClassify(deps);
  const askForComparison = createAskForComparison({ ...deps, timeoutMs: config.shadow.timeout });
  const lags = new Map<string, Record<string, number>>();
  const startedMs = clock.monotonic();
  const lastMs = new Map<string, number>();

  return {
    async reread({ operation, query }, first, signal) {
      const nowMs = clock.monotonic();
      const before = lastMs.get(operation) ?? startedMs;
      if (nowMs - before < EVERY_MS || !first.isFresh) return;
      lastMs.set(operation, nowMs);
      // Where all tokens are used, the next comparison that gets one tries again: else a busy fleet would measure nothing.
      if (!(await rate.take())) {
        lastMs.set(operation, before);
        return;
      }
      // Until a lag is known, the wait of rechecks: an operator sets it above the lag.
      await wait(latencyQuantile(lags.get(operation) ?? {}, 0.99) ?? config.recheck.delay, signal);
      const again = await askForComparison(sources.legacy, query, undefined, signal, 'waits');
      if (again.kind !== 'answered') return;
      onAnswered(again.ms);
      if (!again.isFresh) return;
      const { counting } = classify(query, { legacy: first.answer, new: again.answer });
      const changed = counting.filter(isInPlace).map(({ path }) => fieldOf(path));
      onReread(operation, [...new Set(changed)]);
    },
    lagged(operation, lagMs) {
      const known = lags.get(operation) ?? {};
      const bucket = latencyBucket(lagMs);
      lags.set(operation, { ...known, [bucket]: (known[bucket] ?? 0) + 1 });
    },
  };
}
