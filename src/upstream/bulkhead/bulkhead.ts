import { fault, type GatewayError } from '../../errors/fault.ts';
import type { Priority } from '../../kernel/upstream-call.ts';
import { type StepTimes, timed } from '../../telemetry/requests/step-times.ts';
import { createTokenPacer, type TakeToken } from './token-pacer.ts';
import { createWaitingCalls } from './waiting-calls.ts';

/** This process's share of slots that several processes divide among themselves. Its size changes over time. */
export type Share = {
  /** How many concurrent calls this process may have now. */
  readonly size: number;
  /** Asks for a larger share, because calls wait. Repeating it has no further effect. */
  requestMore(): void;
  /** A call has ended, so the share may shrink now. */
  onRelease(): void;
  /** Called once, at the start, with the bulkhead that uses the share. */
  attach(user: ShareUser): void;
};

/** The bulkhead that uses a share. `onGrow` is called after the share's size has grown. */
export type ShareUser = { readonly active: number; readonly waiting: number; readonly onGrow: () => void };

/** The most concurrent calls of a source, and the most waiting ones. */
export type BulkheadOptions = {
  readonly concurrency: number;
  /** Absent: this process has the whole `concurrency`. */
  readonly share?: Share | undefined;
  /** At most `max` calls wait, and callers at most `time` milliseconds. */
  readonly queue: { readonly max: number; readonly time: number };
  /** Absent: no rate limits the source. */
  readonly takeToken?: TakeToken | undefined;
  /** The rate behind `takeToken`, over all processes; for `Retry-After`. */
  readonly perSecond?: number | undefined;
};

/** What a bulkhead needs to know of a call. */
export type BulkheadCall = {
  readonly priority: Priority;
  readonly signal: AbortSignal;
  /** Gets the time that the call waits for its slot. */
  readonly steps?: StepTimes | undefined;
};

/** A bulkhead: limits the concurrent calls. Further calls wait, in the order of their priority. */
export type Bulkhead = {
  /**
   * Runs `work` once it has a slot. Rejects with the signal's reason if that aborts first.
   * @throws GatewayError `overloaded` if too many calls wait, or this one has waited too long
   */
  run<T>(call: BulkheadCall, work: () => Promise<T>): Promise<T>;
  readonly active: number;
  readonly waiting: number;
};

/** Calls that a client waits for. A scan has a time budget of its own. */
const BOUNDED_WAIT: ReadonlySet<Priority> = new Set<Priority>(['caller', 'refresh']);
const RETRY_AFTER_SECONDS_MAX = 60;
/** The weight of the newest call in the moving average of call durations. */
const NEWEST_WEIGHT = 0.1;

/** Creates the bulkhead of one source. */
export function createBulkhead(options: BulkheadOptions): Bulkhead {
  const { concurrency, share, queue: limits, takeToken, perSecond = Infinity } = options;
  const queue = createWaitingCalls();
  const pacer = createTokenPacer(takeToken, useToken);
  let active = 0;
  let meanMs = 0;
  const size = () => share?.size ?? concurrency;

  /** `Retry-After` estimates when the calls that wait now will have ended. */
  function overloaded(detail: string): GatewayError {
    const busySeconds = (queue.size * meanMs) / Math.max(1, size()) / 1_000;
    const seconds = Math.ceil(Math.max(1, busySeconds, queue.size / perSecond));
    return fault('overloaded', { detail, retryAfterSeconds: Math.min(RETRY_AFTER_SECONDS_MAX, seconds) });
  }

  function enterNext(): void {
    const next = queue.first();
    if (next === undefined) return;
    active += 1;
    next.enter();
  }

  /** Gives free slots to the calls that wait, as fast as tokens are granted. */
  function fill(): void {
    while (!pacer.isThrottled && queue.size > pacer.pending && active + pacer.pending < size())
      if (pacer.request()) enterNext();
    if (queue.size > 0 && active >= size()) share?.requestMore();
  }

  function useToken(isGranted: boolean): void {
    // If every waiting call has gone away meanwhile, the token is lost.
    if (isGranted && active < size()) enterNext();
    fill();
  }

  function waitForSlot(priority: Priority, signal: AbortSignal): Promise<void> {
    const call = queue.add(priority, signal);
    fill();
    if (queue.size > limits.max)
      queue.last()?.refuse(overloaded('as many calls wait for the source as net.queue.max allows'));
    if (BOUNDED_WAIT.has(priority))
      call.refuseAfter(limits.time, () => overloaded('no slot was free within net.queue.time'));
    return call.entered;
  }

  function release(durationMs: number): void {
    meanMs += (durationMs - meanMs) * (meanMs === 0 ? 1 : NEWEST_WEIGHT);
    active -= 1;
    share?.onRelease();
    fill();
  }

  const bulkhead: Bulkhead & ShareUser = {
    async run({ priority, signal, steps }, work) {
      signal.throwIfAborted();
      if (takeToken === undefined && queue.size === 0 && active < size()) active += 1;
      else await timed(steps, 'bulkhead', waitForSlot(priority, signal));
      const startMs = performance.now();
      try {
        return await work();
      } finally {
        release(performance.now() - startMs);
      }
    },
    get active() {
      return active;
    },
    get waiting() {
      return queue.size;
    },
    onGrow: fill,
  };
  share?.attach(bulkhead);
  return bulkhead;
}
