import type { Call } from '../../policy/call.ts';

/** Somebody who has called within the last hour, by the bucket of the ramp. */
export type RecentCaller = {
  readonly bucket: number;
  /** The id that the log shows; many callers without a credential share one. */
  readonly id: string;
  readonly calls: number;
};

/** The callers of one resource within the last hour, as this process has seen them. */
export type RecentCallers = {
  count(bucket: number, call: Call): void;
  list(): readonly RecentCaller[];
};

const SLICE_MS = 300_000;
const SLICES = 12;
/** The most callers of one slice that are told apart; the calls of others are not counted. */
const CALLERS_MAX = 10_000;

type Slice = {
  readonly number: number;
  readonly callers: Map<string, { bucket: number; id: string; calls: number }>;
};

/** Creates the counts of the last hour, in slices of five minutes. No address is kept: a bucket and an id stand for a caller. */
export function createRecentCallers(monotonic: () => number): RecentCallers {
  let slices: readonly Slice[] = [];

  function currentSlice(): Slice {
    const number = Math.floor(monotonic() / SLICE_MS);
    const newest = slices.at(-1);
    if (newest?.number === number) return newest;
    const slice = { number, callers: new Map() };
    slices = [...slices.filter((one) => one.number > number - SLICES), slice];
    return slice;
  }

  return {
    count(bucket, { principal }) {
      const { callers } = currentSlice();
      const id = principal?.id ?? '';
      const key = `${bucket}:${id}`;
      const known = callers.get(key);
      if (known !== undefined) known.calls += 1;
      else if (callers.size < CALLERS_MAX) callers.set(key, { bucket, id, calls: 1 });
    },
    list() {
      currentSlice();
      const merged = new Map<string, RecentCaller>();
      for (const { callers } of slices)
        for (const [key, one] of callers)
          merged.set(key, { ...one, calls: one.calls + (merged.get(key)?.calls ?? 0) });
      return [...merged.values()];
    },
  };
}
