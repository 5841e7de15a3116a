// Finds the principals whose calls to a source are slow, and keeps them from taking all slots of its bulkhead.

import type { Priority } from '../../../kernel/upstream-call.ts';

/** A call that holds a slot, or asks for one. */
export type SlotCall = {
  readonly priority: Priority;
  readonly signal: AbortSignal;
  /** The cause of the call: `principal` names its caller. */
  readonly usage?: { readonly principal?: string | undefined } | undefined;
};

/** The principal of a call: its caller, or all calls of its priority together. Calls without a caller's name have ''. */
export function principalOf({ priority, usage }: SlotCall): string {
  return priority === 'caller' ? (usage?.principal ?? '') : priority;
}

/** A call is slow if it takes so many times the mean, but never below `SLOW_MS_MIN`, which may be chance. */
const SLOW_TIMES = 5;
const SLOW_MS_MIN = 100;
/** A principal stays slow for so many times the duration of its slow call, because it may ask the same again. */
const SLOW_HOLDS = 4;
/** The most slow principals that are remembered. */
const PRINCIPALS_MAX = 1_000;
/** The weight of the newest call in the mean. Slow calls hardly count, because else one caller could raise the mean. */
const NEWEST_WEIGHT = 0.1;
const SLOW_WEIGHT = 0.002;

/** Creates the memory of the principals with slow calls, compared with the mean of all calls. `monotonic` is a clock in ms. */
function createSlowPrincipals(monotonic: () => number) {
  /**
   * The running calls, the oldest first. This is no Map, because each table that a Map outgrows points to the next one, so one
   * dead table in V8's old space keeps all later calls in memory, until its slow collection runs.
   */
  const running: { readonly call: SlotCall; readonly startMs: number }[] = [];
  const slowUntil = new Map<string, number>();
  let meanMs = 0;
  let markedMs = 0;
  const slowMs = () => (meanMs === 0 ? Infinity : Math.max(SLOW_MS_MIN, SLOW_TIMES * meanMs));

  function mark(call: SlotCall, ms: number, nowMs: number): void {
    const principal = principalOf(call);
    const untilMs = Math.max(slowUntil.get(principal) ?? 0, nowMs + SLOW_HOLDS * ms);
    slowUntil.delete(principal);
    slowUntil.set(principal, untilMs);
    const [oldest = ''] = slowUntil.keys();
    if (slowUntil.size > PRINCIPALS_MAX) slowUntil.delete(oldest);
  }

  function markRunning(nowMs: number): void {
    const limitMs = slowMs();
    markedMs = nowMs;
    for (const { call, startMs } of running) {
      if (nowMs - startMs < limitMs) return;
      mark(call, nowMs - startMs, nowMs);
    }
  }

  return {
    /** The moving average of how long calls take, milliseconds. */
    get meanMs() {
      return meanMs;
    },
    /** Whether a call of the principal takes several times the mean, or did so a short time ago. */
    has(principal: string): boolean {
      const nowMs = monotonic();
      if (nowMs >= markedMs + 1) markRunning(nowMs);
      return (slowUntil.get(principal) ?? 0) > nowMs;
    },
    callStarted: (call: SlotCall) => void running.push({ call, startMs: monotonic() }),
    callEnded(call: SlotCall): void {
      const nowMs = monotonic();
      // A loop of its own, because `findIndex` would make a closure for each call.
      let index = 0;
      while (index < running.length && running[index]?.call !== call) index += 1;
      const ms = nowMs - (running[index]?.startMs ?? nowMs);
      running.splice(index, 1);
      const isSlow = ms >= slowMs();
      if (isSlow) mark(call, ms, nowMs);
      // The first call is the mean.
      meanMs += (ms - meanMs) * (meanMs === 0 ? 1 : isSlow ? SLOW_WEIGHT : NEWEST_WEIGHT);
    },
  };
}

/** If a source has fewer slots, no principal is limited, because half of them would be too few. */
const SLOTS_MIN = 4;
/** The waiting calls of one principal fill at most this part of the queue, but at least `QUEUE_MIN` may wait. */
const QUEUE_PART = 1 / 8;
const QUEUE_MIN = 4;

/**
 * Creates the counts of the slots that each principal holds. A principal whose calls are slow may hold at most half of them.
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
