// Limits the concurrent calls to a source, so that Portico never overloads it. Further calls wait in a queue.

import { fault, type GatewayError } from '../../../kernel/errors/fault.ts';
import type { Priority } from '../../../kernel/upstream-call.ts';
import { type RequestTimings, timed } from '../../../telemetry/requests/request-timings.ts';
import { createPrincipalSlots, principalOf, type SlotCall } from './principal-slots.ts';
import { createTokenPacer, type TakeToken } from './token-pacer.ts';
import { createWaitingCalls } from './waiting-calls.ts';

/** How many of the slots of a source this process may use. Several processes divide the slots, so it changes over time. */
export type Quota = {
  /** How many concurrent calls this process may have now. */
  readonly size: number;
  /** Asks for a larger quota, because calls wait. Repeated calls have no further effect. */
  requestMore(): void;
  /** Called when a call has ended, so the quota may shrink now. */
  onRelease(): void;
  /** Called once by the bulkhead that uses the quota. */
  attach(user: QuotaUser): void;
};

/** The bulkhead that uses a quota. `waiting`: calls that need more slots. `onGrow` is called after the quota's size has grown. */
export type QuotaUser = { readonly active: number; readonly waiting: number; readonly onGrow: () => void };

/** The limits of the bulkhead of a source. */
export type BulkheadOptions = {
  readonly concurrency: number;
  /** The part of `concurrency` that this process may use; absent: all of it. */
  readonly quota?: Quota | undefined;
  /** At most `max` calls wait. Calls for callers and refreshes wait at most `time` milliseconds. */
  readonly queue: { readonly max: number; readonly time: number };
  /** Takes a token of the rate limit; absent: the source has no rate limit. */
  readonly takeToken?: TakeToken | undefined;
  /** The rate limit behind `takeToken`, over all processes, to estimate `Retry-After`. */
  readonly perSecond?: number | undefined;
  /** Whether the source has answered nobody for as long as a call may take; absent: never. */
  readonly isSilent?: (() => boolean) | undefined;
};

/** What a bulkhead needs to know of a call. */
type BulkheadCall = SlotCall & {
  /** Records how long the call waits for its slot. */
  readonly timings?: RequestTimings | undefined;
};

/**
 * A bulkhead limits the concurrent calls to a source. Further calls wait, in the order of their priority. Within one priority,
 * principals take turns. A principal whose calls are slow holds at most half of the slots, because these calls would keep all
 * others waiting.
 */
export type Bulkhead = {
  /**
   * Runs `work` once the call has a slot. Rejects with the signal's reason if the signal aborts first.
   * @throws GatewayError `overloaded` if too many calls wait, or this call has waited too long
   */
  run<T>(call: BulkheadCall, work: () => Promise<T>): Promise<T>;
  readonly active: number;
  readonly waiting: number;
};

/** The priorities whose calls wait only for `queue.time`. A scan has a time budget of its own. */
const BOUNDED_WAIT: ReadonlySet<Priority> = new Set<Priority>(['caller', 'refresh']);
const RETRY_AFTER_SECONDS_MAX = 60;

/** The error for a call without a slot. Its `Retry-After` estimates when the calls that wait now will have ended. */
function refusal(detail: string, waiting: number, msPerCall: number, perSecond: number): GatewayError {
  const seconds = Math.ceil(Math.max(1, (waiting * msPerCall) / 1_000, waiting / perSecond));
  return fault('overloaded', { detail, retryAfterSeconds: Math.min(RETRY_AFTER_SECONDS_MAX, seconds) });
}

/** Creates the bulkhead of one source. */
export function createBulkhead(options: BulkheadOptions): Bulkhead {
  const { concurrency, quota, queue: limits, takeToken, perSecond = Infinity } = options;
  const queue = createWaitingCalls();
  const pacer = createTokenPacer(takeToken, useToken);
  const size = () => quota?.size ?? concurrency;
  const slots = createPrincipalSlots({
    ...{ concurrency, size, queueMax: limits.max },
    isSilent: options.isSilent ?? (() => false),
    monotonic: () => performance.now(),
  });
  const room = (principal: string) => slots.room(principal);
  const overloaded = (detail: string) =>
    refusal(detail, queue.size, slots.meanMs / Math.max(1, size()), perSecond);

  function enterNext(): void {
    const next = queue.first(room);
    if (next !== undefined) slots.enter(next.asking);
    next?.enter();
  }

  /** Gives free slots to the calls that wait, as fast as tokens are granted. */
  function fill(): void {
    if (queue.size === 0) return;
    while (slots.active + pacer.pending < size() && !pacer.isThrottled && queue.ready(room) > pacer.pending)
      if (pacer.request()) enterNext();
    if (quota !== undefined && slots.active >= size() && queue.ready(room) > 0) quota.requestMore();
  }

  function useToken(isGranted: boolean): void {
    // If every waiting call has gone away meanwhile, the token is lost.
    if (isGranted && slots.active < size()) enterNext();
    fill();
  }

  function waitForSlot(asking: BulkheadCall): Promise<void> {
    const call = queue.add(asking);
    fill();
    if (call.isWaiting && slots.isCrowding(principalOf(asking), queue.countOf(asking), queue.size))
      call.refuse(overloaded('as many calls of this caller wait for the source as one may have there'));
    if (queue.size > limits.max)
      queue.last()?.refuse(overloaded('as many calls wait for the source as net.queue.max allows'));
    if (BOUNDED_WAIT.has(asking.priority))
      call.refuseAfter(limits.time, () => overloaded('no slot was free within net.queue.time'));
    return call.entered;
  }

  function release(call: BulkheadCall): void {
    slots.leave(call);
    quota?.onRelease();
    fill();
  }

  quota?.attach({
    get active() {
      return slots.active;
    },
    get waiting() {
      return queue.ready(room);
    },
    onGrow: fill,
  });
  return {
    async run(call, work) {
      call.signal.throwIfAborted();
      if (takeToken === undefined && queue.size === 0 && slots.isFree(call)) slots.enter(call);
      else await timed(call.timings, 'bulkhead', waitForSlot(call));
      try {
        return await work();
      } finally {
        release(call);
      }
    },
    get active() {
      return slots.active;
    },
    get waiting() {
      return queue.size;
    },
  };
}
