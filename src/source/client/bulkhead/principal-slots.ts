import { createSlowPrincipals, principalOf, type SlotCall } from './slow-principals.ts';

/** The slots that each principal holds. One whose calls are slow may hold half of all. */
export type PrincipalSlots = {
  /** The moving average of how long calls take, milliseconds. */
  readonly meanMs: number;
  /** How many calls hold a slot. */
  readonly active: number;
  /** Whether there is a slot for a call. While half of the slots are free, nobody has more than half. */
  isFree(call: SlotCall): boolean;
  /** How many more slots a principal may take. */
  room(principal: string): number;
  /** Whether so many waiting calls are too many for a principal: others wait as well, or its calls are slow. */
  isCrowding(principal: string, waiting: number, waitingOfAll: number): boolean;
  enter(call: SlotCall): void;
  leave(call: SlotCall): void;
};

/** What they are made with. */
export type PrincipalSlotsOptions = {
  /** The slots of the source, and those that this process has now. */
  readonly concurrency: number;
  readonly size: () => number;
  /** The most calls that wait. */
  readonly queueMax: number;
  /** Whether the source answers nobody: then nobody is slow, and its breaker must see its timeouts. */
  readonly isSilent: () => boolean;
  readonly monotonic: () => number;
};

/** Where there are fewer slots, half of them is too little. */
const SLOTS_MIN = 4;
/** One principal has at most this part of the queue, or a few calls. */
const QUEUE_PART = 1 / 8;
const QUEUE_MIN = 4;

/** Creates them without a call. */
export function createPrincipalSlots({
  concurrency,
  size,
  queueMax,
  isSilent,
  monotonic,
}: PrincipalSlotsOptions): PrincipalSlots {
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
    get meanMs() {
      return slow.meanMs;
    },
    get active() {
      return active;
    },
    isFree(call) {
      const allowed = size();
      return active < allowed && ((active + 1) * 2 <= allowed || room(principalOf(call)) > 0);
    },
    room,
    isCrowding: (principal, waiting, waitingOfAll) =>
      isBounded(principal) && waiting > waitingMax && (waiting < waitingOfAll || isSlow(principal)),
    enter(call) {
      active += 1;
      slow.callStarted(call);
      const principal = principalOf(call);
      held.set(principal, (held.get(principal) ?? 0) + 1);
    },
    leave(call) {
      active -= 1;
      slow.callEnded(call);
      const principal = principalOf(call);
      const left = (held.get(principal) ?? 0) - 1;
      if (left > 0) held.set(principal, left);
      else held.delete(principal);
    },
  };
}
