import type { Clock } from '../../kernel/clock.ts';
import { type FigureSample, increments, type MetricsJson, sampleMetrics } from './figure-sample.ts';
import { createFigureSlots, type FigureTable, type TableRange } from './figure-slots.ts';

/** The figures of this gateway, sampled from its metrics. */
export type FigureSampler = {
  /** When counting began, milliseconds since the epoch. */
  readonly since: number;
  /** Begins to sample, every ten seconds. */
  start(): void;
  /** A sample of this moment. Those who ask within half a second share one. Rejects where the metrics cannot be read. */
  now(): Promise<FigureSample>;
  /** What was counted in the minute before a sample, and over how long; less after a start. */
  lastMinute(sample: FigureSample): { readonly grown: ReadonlyMap<string, number>; readonly overMs: number };
  /** The figures of the last hour, in slots of ten seconds or a multiple of them. */
  read(range: TableRange, isWanted: (key: string) => boolean): FigureTable;
  /** Calls back with a sample every two seconds, until the returned function is called. */
  listen(onTick: (sample: FigureSample) => void): () => void;
  /** Ends all timers, and hands over the minute that has begun. */
  close(): Promise<void>;
};

/** `metrics` is read every ten seconds, every two while somebody listens, and when somebody asks for a sample. */
export type FigureSamplerDeps = {
  /** The metrics that `sampledMetrics` names; it may give others, too. */
  readonly metrics: () => Promise<MetricsJson>;
  readonly clock: Pick<Clock, 'now'>;
  /** Takes the figures of a minute that is over, by its beginning in milliseconds since the epoch. Never rejects. */
  readonly keepMinute?: ((atMs: number, figures: ReadonlyMap<string, number>) => Promise<void>) | undefined;
};

/** The length of a slot of the last hour, in milliseconds. */
export const SLOT_MS = 10_000;
const SLOTS = 361;
const TICK_MS = 2_000;
const SHARED_MS = 500;
/** The length of a slot that is kept in Redis, in milliseconds. */
export const MINUTE_MS = 60_000;
const NOTHING: FigureSample['counters'] = new Map();

/** The samples of the last minute, of which rates are made. */
function createRecentSamples(since: number) {
  let samples: readonly FigureSample[] = [{ at: since, counters: NOTHING, gauges: () => [] }];
  return {
    add(sample: FigureSample): void {
      // One that is older than a minute stays, so that a minute is covered.
      const from = samples.findLastIndex(({ at }) => at <= sample.at - MINUTE_MS);
      samples = [...samples.slice(Math.max(0, from)), sample];
    },
    lastMinute(sample: FigureSample) {
      const first = samples.findLast(({ at }) => at <= sample.at - MINUTE_MS) ?? samples[0] ?? sample;
      return { grown: increments(first.counters, sample.counters), overMs: sample.at - first.at };
    },
  };
}

/** Sums the figures of the minute that has begun, and hands over those that are over. */
function createMinutes(keep: NonNullable<FigureSamplerDeps['keepMinute']>) {
  let minute = { atMs: 0, figures: new Map<string, number>() };
  async function handOver(): Promise<void> {
    const { atMs, figures } = minute;
    minute = { atMs: 0, figures: new Map() };
    // One without a figure is kept, too: nothing was counted is another answer than nobody counted.
    if (atMs > 0) await keep(atMs, figures);
  }
  return {
    handOver,
    add(slotMs: number, grown: ReadonlyMap<string, number>): void {
      const atMs = Math.floor(slotMs / MINUTE_MS) * MINUTE_MS;
      if (minute.atMs !== atMs) void handOver();
      minute.atMs = atMs;
      for (const [key, count] of grown) minute.figures.set(key, (minute.figures.get(key) ?? 0) + count);
    },
  };
}

/** Calls back with a sample every two seconds, while anybody listens. */
function createTicks(now: () => Promise<FigureSample>) {
  const listeners = new Set<(sample: FigureSample) => void>();
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
    listen(onTick: (sample: FigureSample) => void): () => void {
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
 * Creates the sampler. It counts nothing itself: what it has are differences of metrics, so each figure equals what
 * `/metrics` says. It costs one reading of the metrics every ten seconds; while somebody listens, every two.
 */
export function createFigureSampler({ metrics, clock, keepMinute }: FigureSamplerDeps): FigureSampler {
  const since = clock.now();
  const slots = createFigureSlots({ slotMs: SLOT_MS, slots: SLOTS });
  const recent = createRecentSamples(since);
  const minutes = createMinutes(keepMinute ?? (() => Promise.resolve()));
  let latest: FigureSample = { at: since, counters: NOTHING, gauges: () => [] };
  let underWay: Promise<FigureSample> | undefined;
  let slotTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function take(): Promise<FigureSample> {
    const sample = sampleMetrics(await metrics(), clock.now());
    const grown = increments(latest.counters, sample.counters);
    // A sample for the end of a slot comes some milliseconds late. The middle between two samples names the right slot.
    const slotMs = Math.max(since, Math.floor((latest.at + sample.at) / 2));
    slots.add(slotMs, grown);
    minutes.add(slotMs, grown);
    recent.add(sample);
    latest = sample;
    return sample;
  }

  function sample(): Promise<FigureSample> {
    underWay ??= take().finally(() => (underWay = undefined));
    return underWay;
  }

  function now(): Promise<FigureSample> {
    const isFresh = latest.at > since && Math.abs(clock.now() - latest.at) < SHARED_MS;
    return isFresh ? Promise.resolve(latest) : sample();
  }

  const ticks = createTicks(now);

  /** At the end of each slot by the clock, so that the slots of all gateways are of the same times. */
  function plan(): void {
    if (isClosed) return;
    slotTimer = setTimeout(
      () => {
        // Metrics that could not be read are counted with the next sample.
        void sample()
          .catch(() => undefined)
          .finally(plan);
      },
      SLOT_MS - (clock.now() % SLOT_MS),
    );
    slotTimer.unref();
  }

  return {
    since,
    start: plan,
    now,
    lastMinute: (taken) => recent.lastMinute(taken),
    read: (range, isWanted) => slots.read(range, isWanted),
    listen: (onTick) => ticks.listen(onTick),
    async close() {
      isClosed = true;
      clearTimeout(slotTimer);
      ticks.close();
      // What has been counted since the last slot ended is to be kept, too.
      await sample().catch(() => undefined);
      await minutes.handOver();
    },
  };
}
