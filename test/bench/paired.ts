import { median } from './rounds.ts';

/** A median with an interval that holds the true one with 95 % confidence. */
export type MedianInterval = { readonly median: number; readonly low: number; readonly high: number };

/** What one round measured of one server. */
export type Sample = {
  /** Answers per second. */
  readonly rate: number;
  /** User and system time of all its threads, microseconds. */
  readonly cpuPerRequest: number;
  /** Instructions outside the kernel; absent where the machine does not count them. */
  readonly instructionsPerRequest?: number | undefined;
};

/** What the rounds say of two servers; above 1, the second one is better. */
export type PairedResult = {
  /** Rate of the second over that of the first. */
  readonly rate: MedianInterval;
  /** CPU per request of the first over that of the second. */
  readonly cpu: MedianInterval;
  /** Instructions per request of the first over those of the second; absent where they are not counted. */
  readonly instructions?: MedianInterval | undefined;
};

/**
 * The median with its 95 % interval from order statistics: below the k-th smallest of n values the true median lies with
 * the probability that a fair coin shows heads fewer than k times in n. That asks nothing of how the values are spread.
 * Fewer than six values cannot say so much: the interval is then all of them.
 */
export function medianInterval(values: readonly number[]): MedianInterval {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, rankBelow(sorted.length, 0.025));
  return {
    median: median(sorted),
    low: sorted[rank - 1] ?? Number.NaN,
    high: sorted[sorted.length - rank] ?? Number.NaN,
  };
}

/** The greatest k with P(fewer than k heads of n) at most `share`. */
function rankBelow(n: number, share: number): number {
  let ways = 1;
  let sum = 0;
  for (let k = 0; k <= n; k += 1) {
    sum += ways / 2 ** n;
    if (sum > share) return k;
    ways = (ways * (n - k)) / (k + 1);
  }
  return n;
}

/** Compares two servers that were measured in the same rounds, round by round. */
export function pairRounds(first: readonly Sample[], second: readonly Sample[]): PairedResult {
  const ratios = (of: (a: Sample, b: Sample) => number) =>
    medianInterval(
      first.flatMap((sample, round) => (second[round] === undefined ? [] : [of(sample, second[round])])),
    );
  const isCounted = [...first, ...second].every((sample) => sample.instructionsPerRequest !== undefined);
  return {
    rate: ratios((a, b) => b.rate / a.rate),
    cpu: ratios((a, b) => a.cpuPerRequest / b.cpuPerRequest),
    instructions: isCounted
      ? ratios((a, b) => (a.instructionsPerRequest ?? Number.NaN) / (b.instructionsPerRequest ?? Number.NaN))
      : undefined,
  };
}
