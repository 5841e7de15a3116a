// Finds the principals whose calls to a source are slow, so that a bulkhead can limit them.

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
const PRINCIPALS_MAX = 1_000;
/** The weight of the newest call in the mean. Slow calls hardly count, because else one caller could raise the mean. */
const NEWEST_WEIGHT = 0.1;
const SLOW_WEIGHT = 0.002;

/** Creates the record of the principals with slow calls, compared with the mean of all calls. `monotonic` is a clock in ms. */
export function createSlowPrincipals(monotonic: () => number) {
  /**
   * The running calls, the oldest first. This is no Map, because each table that a Map outgrows points to the next one, so one
   * dead table in V8's old space keeps all later calls in memory, until its slow collection runs.
   */
  const running: { readonly call: SlotCall; readonly startMs: number }[] = [];
  const slowUntil = new Map<string, number>();
  let meanMs = 0;
  let lookedMs = 0;
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
    lookedMs = nowMs;
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
      if (nowMs >= lookedMs + 1) markRunning(nowMs);
      return (slowUntil.get(principal) ?? 0) > nowMs;
    },
    callStarted: (call: SlotCall) => void running.push({ call, startMs: monotonic() }),
    callEnded(call: SlotCall): void {
      const nowMs = monotonic();
      const index = running.findIndex((one) => one.call === call);
      const [ended] = index < 0 ? [] : running.splice(index, 1);
      const ms = nowMs - (ended?.startMs ?? nowMs);
      const isSlow = ms >= slowMs();
      if (isSlow) mark(call, ms, nowMs);
      meanMs += (ms - meanMs) * (meanMs === 0 ? 1 : isSlow ? SLOW_WEIGHT : NEWEST_WEIGHT);
    },
  };
}
