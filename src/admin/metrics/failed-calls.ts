// Measures for the alerts on sources which share of the calls to each source fails now.

import { type MetricPlace, registerGauge } from '../../telemetry/metrics/metric-factories.ts';

/** The calls of a source at one moment, counted since the start. */
type Tally = { readonly atMs: number; readonly calls: number; readonly failed: number };

/** A share counts the calls of this time. It is short, so that the share falls within a minute of a recovery. */
const WINDOW_MS = 20_000;
/** Two tallies are at least this far apart, so that there are only a few, however often somebody looks. */
const APART_MS = 2_000;
/** A source that nobody calls keeps its last share for this time, because nothing has shown that it works again. */
const HELD_MS = 60_000;

class SourceCalls {
  calls = 0;
  failed = 0;
  #tallies: readonly Tally[] = [{ atMs: 0, calls: 0, failed: 0 }];
  #share = 0;
  #shareAtMs = 0;

  /** The share of the calls of the last twenty seconds that failed; `undefined`: there was no call for a minute. */
  share(nowMs: number): number | undefined {
    const { calls, failed } = this;
    const from = this.#tallies.findLastIndex(({ atMs }) => nowMs - atMs >= WINDOW_MS);
    this.#tallies = this.#tallies.slice(Math.max(0, from));
    const [first] = this.#tallies;
    if (first !== undefined && calls > first.calls) {
      this.#share = (failed - first.failed) / (calls - first.calls);
      this.#shareAtMs = nowMs;
    }
    if (nowMs - (this.#tallies.at(-1)?.atMs ?? 0) >= APART_MS)
      this.#tallies = [...this.#tallies, { atMs: nowMs, calls, failed }];
    return nowMs - this.#shareAtMs > HELD_MS ? undefined : this.#share;
  }
}

/** Registers the share of the calls to each source that fails at this moment: a state, for alerts. */
export function createFailedCallMetrics(place: MetricPlace) {
  const sources = new Map<string, SourceCalls>();
  registerGauge(place, {
    name: 'portico_source_failed_share',
    help: 'The share of the calls of a source in the last 20 s that brought no usable answer; of several workers, the worst.',
    labelNames: ['source'],
    read: () =>
      [...sources].flatMap(([source, calls]) => {
        const share = calls.share(performance.now());
        return share === undefined ? [] : [[[source], share] as const];
      }),
  });
  return {
    /** Counts one call, and whether it failed. */
    judge(source: string, isFailed: boolean): void {
      let of = sources.get(source);
      if (of === undefined) sources.set(source, (of = new SourceCalls()));
      of.calls += 1;
      if (isFailed) of.failed += 1;
    },
    /** Forgets sources that are served no longer. */
    keepOnly(names: ReadonlySet<string>): void {
      for (const source of sources.keys()) if (!names.has(source)) sources.delete(source);
    },
  };
}
