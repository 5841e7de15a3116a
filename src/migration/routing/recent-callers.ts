// Counts the calls of the last hour by caller, so that `portico migration preview` says whom a share would reach.

import { finishStepsInTurns, type Steps } from '../../kernel/yield-to-loop.ts';
import type { Call } from '../../pipeline/stages/call.ts';
import { stepOfBucket } from './bucket.ts';

/** The calls of one caller within the last hour, and the caller's bucket. */
export type RecentCaller = {
  readonly bucket: number;
  /** The id in the log, which callers without a credential share; `undefined`: all callers beyond `CALLERS_MAX` together. */
  readonly id: string | undefined;
  readonly calls: number;
};

/** Counts and lists the callers of one resource that moves to a new source, within the last hour. */
export type RecentCallers = {
  readonly count: (bucket: number, call: Call) => void;
  /** Lists the callers. Callers in `named` are always listed with these ids. Rejects if Redis fails. */
  list(named: readonly string[]): Promise<readonly RecentCaller[]>;
  close(): void;
};

/** Calls by bucket and caller. */
type Counts = Map<string, { readonly bucket: number; readonly id: string | undefined; calls: number }>;

/** The calls of five minutes. `number` is the number of these five minutes since the epoch. */
export type CallSlice = { readonly number: number; readonly counts: Counts };

const SLICE_MS = 300_000;
const SLICES = 12;
/** The most callers of one slice that are counted one by one. */
export const CALLERS_MAX = 10_000;
/** So many callers of all slices take a few milliseconds; then requests are served. */
export const CALLERS_PER_STEP = 1_000;

/** The numbers of the slices of the last hour. */
export function recentSlices(nowMs: number): readonly number[] {
  const newest = Math.floor(nowMs / SLICE_MS);
  return Array.from({ length: SLICES }, (_, ago) => newest - ago);
}

function addCalls(counts: Counts, bucket: number, id: string | undefined, calls: number): void {
  const key = id === undefined ? String(bucket) : `${bucket}:${id}`;
  const known = counts.get(key);
  if (known === undefined) counts.set(key, { bucket, id, calls });
  else known.calls += calls;
}

/** Counts a call. If there are too many callers, they are counted by steps of 0.01 % only, which is enough for a preview. */
function countCall(counts: Counts, bucket: number, id: string): void {
  if (counts.size < CALLERS_MAX || counts.has(`${bucket}:${id}`)) addCalls(counts, bucket, id, 1);
  else addCalls(counts, stepOfBucket(bucket), undefined, 1);
}

/** Creates counts of the last hour, in slices of five minutes. A caller is kept as a bucket and an id, never as an address. */
export function createCallSlices(now: () => number) {
  let slices: readonly CallSlice[] = [];

  function recent(): readonly CallSlice[] {
    const numbers = recentSlices(now());
    return (slices = slices.filter(({ number }) => numbers.includes(number)));
  }

  function current(): CallSlice {
    const number = Math.floor(now() / SLICE_MS);
    const newest = slices.at(-1);
    if (newest?.number === number) return newest;
    const slice = { number, counts: new Map() };
    slices = [...recent(), slice];
    return slice;
  }

  return {
    count: (bucket: number, { principal }: Call) => countCall(current().counts, bucket, principal?.id ?? ''),
    recent,
    /** Returns the counts since the last `take`, and begins anew. */
    take(): readonly CallSlice[] {
      const taken = recent();
      slices = [];
      return taken;
    },
  };
}

/** Adds up the calls of each caller, in steps. */
export function* mergeCalls(all: Iterable<RecentCaller>): Steps<readonly RecentCaller[]> {
  const merged: Counts = new Map();
  let added = 0;
  for (const { bucket, id, calls } of all) {
    addCalls(merged, bucket, id, calls);
    added += 1;
    if (added % CALLERS_PER_STEP === 0) yield;
  }
  return [...merged.values()];
}

/** Creates the record of the callers of a gateway without Redis. `now` returns milliseconds. */
export function createLocalCallers(now: () => number): RecentCallers {
  const slices = createCallSlices(now);
  return {
    count: slices.count,
    list: () => finishStepsInTurns(mergeCalls(slices.recent().flatMap(({ counts }) => [...counts.values()]))),
    close: () => undefined,
  };
}
