// Samples the metrics of this gateway every few seconds, because the console and the conditions need rates and a history.

import type { Clock } from '../../kernel/clock.ts';
import {
  increments,
  type MetricsSnapshot,
  type MetricsJson,
  sampleMetrics,
  type SeriesCounts,
} from './metric-sample.ts';
import { createSeriesRing } from './series-ring.ts';

/** Samples the metrics of this gateway at regular intervals, and keeps the history of the last hour for the console. */
export type MetricSampler = ReturnType<typeof createMetricSampler>;

/** What a sampler needs. It reads `metrics` every ten seconds, every two seconds for listeners, and on demand. */
export type MetricSamplerDeps = {
  /** Reads at least the metrics that `sampledMetrics` names. */
  readonly metrics: () => Promise<MetricsJson>;
  readonly clock: Pick<Clock, 'now'>;
  /** Takes the counts of each minute that has ended; `atMs`: when the minute began, in ms since the epoch. Never rejects. */
  readonly keepMinute?: ((atMs: number, counts: SeriesCounts) => Promise<void>) | undefined;
  /** Called with each sample. */
  readonly onSample?: ((sample: MetricsSnapshot) => unknown) | undefined;
};

/** The interval of a data point of the last hour, in milliseconds. */
export const POINT_MS = 10_000;
/** An hour of data points, and the one that is being counted. */
const POINTS = 361;
/** What was not counted for this time, in milliseconds, does not go on. */
export const LATEST_MS = 10_000;
const TICK_MS = 2_000;
const SHARED_MS = 500;
/** The interval of a data point that is kept in Redis, in milliseconds. */
export const MINUTE_MS = 60_000;
const NOTHING: SeriesCounts = new Map();

/** Keeps the samples of the last minute, from which rates are computed. */
function createRecentSamples(since: number) {
  let samples: readonly MetricsSnapshot[] = [{ at: since, counters: NOTHING, gauges: () => [] }];
  return {
    add(sample: MetricsSnapshot): void {
      // One sample that is older than a minute stays, so that a whole minute is covered.
      const from = samples.findLastIndex(({ at }) => at <= sample.at - MINUTE_MS);
      samples = [...samples.slice(Math.max(0, from)), sample];
    },
    /**
     * The counts of the minute before a sample, and the time that they cover, which is shorter just after a start. `latest`: those
     * of the last ten seconds or a little more.
     */
    lastMinute: (sample: MetricsSnapshot) => {
      const before = (ms: number) =>
        samples.findLast(({ at }) => at <= sample.at - ms) ?? samples[0] ?? sample;
      const since = (one: MetricsSnapshot) => increments(one.counters, sample.counters);
      const first = before(MINUTE_MS);
      return { grown: since(first), latest: since(before(LATEST_MS)), overMs: sample.at - first.at };
    },
  };
}

/** Sums the counts of the current minute, and hands each ended minute to `keep`. */
function createMinutes(keep: NonNullable<MetricSamplerDeps['keepMinute']>) {
  let minute = { atMs: 0, counts: new Map<string, number>() };
  async function handOver(): Promise<void> {
    const { atMs, counts } = minute;
    minute = { atMs: 0, counts: new Map() };
    // A minute without counts is kept, too, because "nothing happened" differs from "nobody counted".
    if (atMs > 0) await keep(atMs, counts);
  }
  return {
    handOver,
    add(timeMs: number, grown: SeriesCounts): void {
      const atMs = Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
      if (minute.atMs !== atMs) void handOver();
      minute.atMs = atMs;
      for (const [key, count] of grown) minute.counts.set(key, (minute.counts.get(key) ?? 0) + count);
    },
  };
}

/** Takes a sample every two seconds while there are listeners. */
function createTicks(now: () => Promise<MetricsSnapshot>) {
  const listeners = new Set<(sample: MetricsSnapshot) => void>();
  let timer: NodeJS.Timeout | undefined;

  async function tick(): Promise<void> {
    const taken = await now().catch(() => undefined);
    if (taken !== undefined) for (const listener of listeners) listener(taken);
  }

  function end(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** Calls back with a sample every two seconds, until the returned function is called. */
    listen: (onTick: (sample: MetricsSnapshot) => void): (() => void) => {
      listeners.add(onTick);
      timer ??= setInterval(() => void tick(), TICK_MS).unref();
      return () => {
        listeners.delete(onTick);
        if (listeners.size === 0) end();
      };
    },
    close(): void {
      listeners.clear();
      end();
    },
  };
}

/**
 * Creates the sampler. It counts nothing itself: its counts are differences of metrics, so they always agree with
 * `/metrics`.
 */
export function createMetricSampler({ metrics, clock, keepMinute, onSample }: MetricSamplerDeps) {
  const since = clock.now();
  const ring = createSeriesRing(POINT_MS, POINTS);
  const recent = createRecentSamples(since);
  const minutes = createMinutes(keepMinute ?? (() => Promise.resolve()));
  let latest: MetricsSnapshot = { at: since, counters: NOTHING, gauges: () => [] };
  let underWay: Promise<MetricsSnapshot> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function take(): Promise<MetricsSnapshot> {
    const sample = sampleMetrics(await metrics(), clock.now());
    const grown = increments(latest.counters, sample.counters);
    // A sample for the end of an interval comes some milliseconds late, but the middle between two samples is in the interval.
    const middleMs = Math.max(since, Math.floor((latest.at + sample.at) / 2));
    ring.add(middleMs, grown);
    minutes.add(middleMs, grown);
    recent.add(sample);
    latest = sample;
    onSample?.(sample);
    return sample;
  }

  function sample(): Promise<MetricsSnapshot> {
    underWay ??= take().finally(() => (underWay = undefined));
    return underWay;
  }

  function now(): Promise<MetricsSnapshot> {
    const isFresh = latest.at > since && Math.abs(clock.now() - latest.at) < SHARED_MS;
    return isFresh ? Promise.resolve(latest) : sample();
  }

  const ticks = createTicks(now);

  /** Plans the next sample for the end of the interval by the clock, so that all gateways sample at the same times. */
  function plan(): void {
    if (isClosed) return;
    timer = setTimeout(
      () => {
        // Metrics that could not be read are counted with the next sample.
        void sample()
          .catch(() => undefined)
          .finally(plan);
      },
      POINT_MS - (clock.now() % POINT_MS),
    );
    timer.unref();
  }

  return {
    /** When counting began, in milliseconds since the epoch. */
    since,
    /** Begins to sample, every ten seconds. */
    start: plan,
    /** A sample of this moment; calls within half a second share a sample. Rejects if the metrics cannot be read. */
    now,
    lastMinute: recent.lastMinute,
    /** Reads the data points of the last hour, in steps of a multiple of ten seconds. */
    read: ring.read,
    listen: ticks.listen,
    /** Ends all timers, takes a last sample, and hands over the current minute. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      ticks.close();
      // What was counted since the last sample is kept, too.
      await sample().catch(() => undefined);
      await minutes.handOver();
    },
  };
}
