import type { Clock } from '../kernel/clock.ts';

/** A window of a rate limit, as a request was told of it. */
type LimitWindow = {
  readonly points: number;
  readonly seconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
};

/** What is counted of one caller. */
export type CallerCount = {
  readonly id: string;
  requests: number;
  clientErrors: number;
  limited: number;
  /** So many of its earlier requests at most are not counted: it may have made room for others before. */
  missedMax: number;
  /** Milliseconds since the epoch. */
  lastAt: number;
  tier: string | undefined;
  /** What its last request was told. */
  windows: readonly LimitWindow[] | undefined;
};

/** What a process, or several, counted of its callers. It is JSON. */
export type CallerSnapshot = {
  /** Since when, milliseconds since the epoch. */
  readonly since: number;
  /** Of a caller that is not among these, so many requests may have been counted and forgotten. */
  readonly forgottenMax: number;
  readonly callers: readonly Readonly<CallerCount>[];
};

/** What a finished request tells of its caller. */
export type CallerRequest = {
  /** The id of the caller in the log; absent: it had no valid credential. */
  readonly principalId: string | undefined;
  readonly limitTier?: string | undefined;
  readonly limitWindows?: readonly LimitWindow[] | undefined;
};

/** Counts requests by their callers, in bounded memory. */
export type CallerCounts = {
  /** Counts a finished request; `status` 499 where the client left. It makes nothing new for a caller that is known. */
  count(request: CallerRequest, status: number): void;
  readonly snapshot: () => CallerSnapshot;
};

const CALLERS_MAX = 500;
/** Callers without a credential share one id, and each address has windows of its own. */
const ANONYMOUS = 'anonymous';

const byRequests = (one: Readonly<CallerCount>, other: Readonly<CallerCount>) =>
  other.requests - one.requests;

/**
 * Creates the counts: a variant of lossy counting (Manku and Motwani, 2002). Once the room is full, the half with the
 * fewest requests is forgotten, and the largest forgotten count bounds what a caller that comes anew may be missing.
 */
export function createCallerCounts(clock: Pick<Clock, 'now'>, callersMax = CALLERS_MAX): CallerCounts {
  const since = clock.now();
  const counts = new Map<string, CallerCount>();
  let forgottenMax = 0;

  function makeRoom(): void {
    const forgotten = [...counts.values()].sort(byRequests).slice(Math.floor(callersMax / 2));
    for (const { id, requests, missedMax } of forgotten) {
      forgottenMax = Math.max(forgottenMax, requests + missedMax);
      counts.delete(id);
    }
  }

  function open(id: string): CallerCount {
    if (counts.size >= callersMax) makeRoom();
    const zero = { requests: 0, clientErrors: 0, limited: 0, lastAt: 0 };
    const opened = { id, ...zero, missedMax: forgottenMax, tier: undefined, windows: undefined };
    counts.set(id, opened);
    return opened;
  }

  return {
    count({ principalId, limitTier, limitWindows }, status) {
      if (principalId === undefined) return;
      const caller = counts.get(principalId) ?? open(principalId);
      caller.requests += 1;
      if (status >= 400 && status < 499) caller.clientErrors += 1;
      if (status === 429) caller.limited += 1;
      caller.lastAt = clock.now();
      if (principalId === ANONYMOUS) return;
      caller.tier = limitTier;
      caller.windows = limitWindows;
    },
    snapshot: () => ({ since, forgottenMax, callers: [...counts.values()] }),
  };
}

function add(one: Readonly<CallerCount>, other: Readonly<CallerCount>): CallerCount {
  const [latest] = other.lastAt > one.lastAt ? [other] : [one];
  return {
    ...latest,
    requests: one.requests + other.requests,
    clientErrors: one.clientErrors + other.clientErrors,
    limited: one.limited + other.limited,
    missedMax: one.missedMax + other.missedMax,
  };
}

/** The counts of several processes as one. A process that has forgotten a caller may have counted some of it. */
export function mergeCallers(snapshots: readonly CallerSnapshot[]): CallerSnapshot {
  const forgottenMax = snapshots.reduce((sum, one) => sum + one.forgottenMax, 0);
  const merged = new Map<string, CallerCount>();
  for (const { callers, forgottenMax: own } of snapshots)
    for (const caller of callers) {
      const others = merged.get(caller.id);
      // What the others may have forgotten counts in full, until they turn out to know the caller.
      const known = { ...caller, missedMax: caller.missedMax - own };
      const before = others ?? {
        ...known,
        requests: 0,
        clientErrors: 0,
        limited: 0,
        missedMax: forgottenMax,
      };
      merged.set(caller.id, add(before, known));
    }
  return {
    since: Math.min(...snapshots.map((one) => one.since)),
    forgottenMax,
    callers: [...merged.values()],
  };
}

/** The callers with the most requests, the most first. */
export function topCallers({ callers }: CallerSnapshot, count: number): readonly Readonly<CallerCount>[] {
  return [...callers].sort(byRequests).slice(0, count);
}
