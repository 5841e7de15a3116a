/**
 * What the time of a request goes to. `credential`, `limit`: a look-up that had to be waited for. `cache`: of an answer in
 * Redis. `shared`: for an answer that another request is having made. `rows`: of the rows of an earlier scan. `login`: at
 * the source. `bulkhead`: for a free slot or a token of the source. `upstream`: one exchange. `read`: of its reply.
 * `backoff`: the pause before a retry.
 */
export type TimingName =
  | 'credential'
  | 'limit'
  | 'cache'
  | 'shared'
  | 'plan'
  | 'rows'
  | 'login'
  | 'bulkhead'
  | 'upstream'
  | 'read'
  | 'backoff';

/** A step as it was measured: milliseconds on the monotonic clock. */
export type MeasuredTiming = {
  readonly name: TimingName;
  readonly startMs: number;
  readonly endMs: number;
  /** Of an exchange: where it was sent, as a base URL. */
  readonly base: string | undefined;
  /** Of an exchange: the status that came, or the code of the error in its place. */
  readonly outcome: number | string | undefined;
};

/** Steps beyond so many are only counted: a scan has hundreds. */
const STEPS_MAX = 60;

/**
 * The step times of one request that is not served from memory. A step costs a few pushes to arrays: nothing is computed
 * before somebody looks.
 */
export class RequestTimings {
  readonly #names: TimingName[] = [];
  /** Start and end in turn. */
  readonly #times: number[] = [];
  /** Base and outcome in turn; `undefined` for timings that are no exchanges. */
  readonly #exchanges: (string | number | undefined)[] = [];
  #leftOut = 0;
  #leftOutFrom = Infinity;
  #leftOutUntil = 0;

  /** Adds a step that has ended. */
  add(name: TimingName, startMs: number, endMs: number, base?: string, outcome?: number | string): void {
    if (this.#names.length === STEPS_MAX) {
      this.#leftOut += 1;
      this.#leftOutFrom = Math.min(this.#leftOutFrom, startMs);
      this.#leftOutUntil = Math.max(this.#leftOutUntil, endMs);
      return;
    }
    this.#names.push(name);
    this.#times.push(startMs, endMs);
    this.#exchanges.push(base, outcome);
  }

  /** The timings in the order of their ends. */
  list(): readonly MeasuredTiming[] {
    return this.#names.map((name, i) => ({
      name,
      startMs: this.#times[2 * i] ?? 0,
      endMs: this.#times[2 * i + 1] ?? 0,
      base: this.#exchanges[2 * i] as string | undefined,
      outcome: this.#exchanges[2 * i + 1],
    }));
  }

  /** The timings that were only counted, and from when to when they ran; `undefined`: there are none. */
  get leftOut(): { readonly count: number; readonly startMs: number; readonly endMs: number } | undefined {
    if (this.#leftOut === 0) return undefined;
    return { count: this.#leftOut, startMs: this.#leftOutFrom, endMs: this.#leftOutUntil };
  }
}

/** What carries the step times of a request; absent where nobody asks for them, as of a refresh in the background. */
export type TimingsCarrier = { timings?: RequestTimings | undefined };

/** The step times of a request; created on first use, because a request that is served from memory has none. */
export function openTimings(carrier: TimingsCarrier): RequestTimings {
  return (carrier.timings ??= new RequestTimings());
}

/** Waits for some work, and records how long it took, also where it fails. */
export async function timed<T>(timings: RequestTimings | undefined, name: TimingName, work: Promise<T>): Promise<T> {
  if (timings === undefined) return work;
  const startMs = performance.now();
  try {
    return await work;
  } finally {
    timings.add(name, startMs, performance.now());
  }
}
