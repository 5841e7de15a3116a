import { createSlowPrincipals, principalOf, type SlotCall } from './slow-principals.ts';

/** With fewer slots, half of them would be too few for a principal. */
const SLOTS_MIN = 4;
/** One principal has at most this part of the queue, or a few calls. */
const QUEUE_PART = 1 / 8;
const QUEUE_MIN = 4;

/**
 * Creates the record of the slots that each principal holds. A principal whose calls are slow may hold half of all slots.
 * `concurrency`: the slots of the source. `size`: those that this process has now. `queueMax`: the most calls that wait.
 * `isSilent`: whether the source answers nobody; then no principal is slow, and the breaker of the source must see the timeouts.
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
  /** Calls without a caller's name may be anybody's. */
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
    /** Whether so many waiting calls are too many for a principal, because others wait as well or its calls are slow. */
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
