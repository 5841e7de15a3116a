// Keeps the slow calls of one principal from taking all slots of a source.

import { createSlowPrincipals, principalOf, type SlotCall } from './slow-principals.ts';

/** If a source has fewer slots, no principal is limited, because half of them would be too few. */
const SLOTS_MIN = 4;
/** The waiting calls of one principal fill at most this part of the queue, but at least `QUEUE_MIN` may wait. */
const QUEUE_PART = 1 / 8;
const QUEUE_MIN = 4;

/**
 * Creates the record of the slots that each principal holds. A principal whose calls are slow may hold at most half of them.
 * `concurrency`: the slots of the source. `size`: those that this process has now. `queueMax`: the most calls that wait.
 * `isSilent`: whether the source answers nobody. Then the source is slow and not the principals, and its breaker must see the
 * timeouts.
 */
export function createPrincipalSlots({
  concurrency,
  size,
  queueMax,
  isSilent,
  monotonic,
}: {
  readonly concurrency: number;
  readonly size: () => number;
  readonly queueMax: number;
  readonly isSilent: () => boolean;
  readonly monotonic: () => number;
}) {
  const slow = createSlowPrincipals(monotonic);
  const held = new Map<string, number>();
  const waitingMax = Math.max(QUEUE_MIN, Math.floor(queueMax * QUEUE_PART));
  let active = 0;
  /** Calls without a caller's name (`''`) may be anybody's, so they are not limited. */
  const isBounded = (principal: string) => concurrency >= SLOTS_MIN && principal !== '';
  const isSlow = (principal: string) => slow.has(principal) && !isSilent();

  function room(principal: string): number {
    if (!isBounded(principal) || !isSlow(principal)) return Infinity;
    return Math.max(1, Math.floor(size() / 2)) - (held.get(principal) ?? 0);
  }

  return {
    /** The moving average of how long calls take, milliseconds. */
    get meanMs() {
      return slow.meanMs;
    },
    /** How many calls hold a slot. */
    get active() {
      return active;
    },
    /** Whether there is a slot for a call. While half of the slots are free, no principal is limited. */
    isFree(call: SlotCall): boolean {
      const allowed = size();
      return active < allowed && ((active + 1) * 2 <= allowed || room(principalOf(call)) > 0);
    },
    /** How many more slots a principal may take. */
    room,
    /**
     * Whether `waiting` calls are too many for a principal, because others wait as well (`waitingOfAll`) or its calls are slow.
     */
    isCrowding: (principal: string, waiting: number, waitingOfAll: number) =>
      isBounded(principal) && waiting > waitingMax && (waiting < waitingOfAll || isSlow(principal)),
    enter(call: SlotCall): void {
      active += 1;
      slow.callStarted(call);
      const principal = principalOf(call);
      held.set(principal, (held.get(principal) ?? 0) + 1);
    },
    leave(call: SlotCall): void {
      active -= 1;
      slow.callEnded(call);
      const principal = principalOf(call);
      const left = (held.get(principal) ?? 0) - 1;
      if (left > 0) held.set(principal, left);
      else held.delete(principal);
    },
  };
}
