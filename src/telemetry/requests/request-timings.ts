// Measures what a request spends its time on, for its trace. Each stage adds its own timing.

/**
 * The parts of a request that are timed. `credential`, `limit`: waiting for the store of keys or of limits. `cache`: asking
 * Redis for an answer. `shared`: waiting for an answer that another request makes. `plan`: planning the upstream calls.
 * `rows`: reading the rows of an earlier scan. `login`: logging in at the source. `bulkhead`: waiting for a concurrency slot
 * or a rate token of the source. `upstream`: one exchange. `read`: reading its reply. `backoff`: the pause before a retry.
 */
export const timingNames = [
  ...(['credential', 'limit', 'cache', 'shared', 'plan', 'rows'] as const),
  ...(['login', 'bulkhead', 'upstream', 'read', 'backoff'] as const),
] as const;

/** One of `timingNames`. */
export type TimingName = (typeof timingNames)[number];

/** A timing as it was measured, in milliseconds of the monotonic clock. */
export type MeasuredTiming = {
  readonly name: TimingName;
  readonly startMs: number;
  readonly endMs: number;
  /** For an exchange: the base URL to which it was sent. */
  readonly base: string | undefined;
  /** For an exchange: the status of the reply, or the code of the error. */
  readonly outcome: number | string | undefined;
};

/** Further timings are only counted, because a scan has hundreds. */
const TIMINGS_MAX = 60;

/**
 * The timings of one request that is not served from memory. To add a timing costs only a few pushes to arrays; everything
 * else is computed when somebody reads the timings.
 */
export class RequestTimings {
  readonly #names: TimingName[] = [];
  /** The start and the end of each timing, one after another. */
  readonly #times: number[] = [];
  /** The base and the outcome of each timing; `undefined` if it is not an exchange. */
  readonly #exchanges: (string | number | undefined)[] = [];
  #leftOut = 0;
  #leftOutFrom = Infinity;
  #leftOutUntil = 0;

  /** Adds a timing that has ended. */
  add(name: TimingName, startMs: number, endMs: number, base?: string, outcome?: number | string): void {
    if (this.#names.length === TIMINGS_MAX) {
      this.#leftOut += 1;
      this.#leftOutFrom = Math.min(this.#leftOutFrom, startMs);
      this.#leftOutUntil = Math.max(this.#leftOutUntil, endMs);
      return;
    }
    this.#names.push(name);
    this.#times.push(startMs, endMs);
    this.#exchanges.push(base, outcome);
  }

  /** The timings, in the order in which they ended. */
  list(): readonly MeasuredTiming[] {
    return this.#names.map((name, i) => ({
      name,
      startMs: this.#times[2 * i] ?? 0,
      endMs: this.#times[2 * i + 1] ?? 0,
      base: this.#exchanges[2 * i] as string | undefined,
      outcome: this.#exchanges[2 * i + 1],
    }));
  }

  /** How many timings were only counted, and when they ran; `undefined` if there are none. */
  get leftOut(): { readonly count: number; readonly startMs: number; readonly endMs: number } | undefined {
    if (this.#leftOut === 0) return undefined;
    return { count: this.#leftOut, startMs: this.#leftOutFrom, endMs: this.#leftOutUntil };
  }
}

/** An object with the timings of a request. They are absent if nobody needs them, as for a refresh in the background. */
export type TimingsCarrier = { timings?: RequestTimings | undefined };

/** Returns the timings of a request, and creates them first if needed: a request that is served from memory has none. */
export function obtainTimings(carrier: TimingsCarrier): RequestTimings {
  return (carrier.timings ??= new RequestTimings());
}

/** Waits for `work` and adds a timing for it, even if it rejects. */
export async function timed<T>(
  timings: RequestTimings | undefined,
  name: TimingName,
  work: Promise<T>,
): Promise<T> {
  if (timings === undefined) return work;
  const startMs = performance.now();
  try {
    return await work;
  } finally {
    timings.add(name, startMs, performance.now());
  }
}
