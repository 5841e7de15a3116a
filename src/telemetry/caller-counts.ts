// Counts the requests of each caller, for the console's page of callers and for the condition that limits refuse a caller.

import * as z from 'zod';
import type { Clock } from '../kernel/clock.ts';
import type { DeepReadonly } from '../kernel/deep-readonly.ts';
import { createRefusals, type Refusals } from './caller-refusals.ts';
import { timeSchema } from './incidents/incident.ts';

const count = z.number();
/** A window of a rate limit, as the last request of a caller saw it. */
const limitWindow = z
  .object({ points: count, seconds: count, remaining: count, resetSeconds: count })
  .readonly();
/**
 * The counts of one caller. `limited`: requests that were answered 429. `missedMax`: at most this many earlier requests are missing
 * in the counts, because the caller may have been forgotten in between. `lastAt`: when the last request ended. `label`: of the
 * caller's key, for people. `windows`: those of the rate limit after the last request.
 */
const callerCount = z.object({
  ...{ id: z.string(), label: z.string().optional(), tier: z.string().optional() },
  ...{ requests: count, clientErrors: count, serverErrors: count, limited: count, missedMax: count },
  ...{ lastAt: timeSchema, windows: z.array(limitWindow).readonly().optional() },
});

/**
 * The counts of one or several processes, as JSON, since when they are counted. A caller that is not listed has sent at most
 * `forgottenMax` requests that were counted and forgotten.
 */
export const callerSnapshot = z.object({
  ...{ since: timeSchema, forgottenMax: count, callers: z.array(callerCount) },
});

/** The counts of one caller. */
export type CallerCount = z.output<typeof callerCount>;

/** The counts of one or several processes. */
export type CallerSnapshot = DeepReadonly<z.output<typeof callerSnapshot>>;

/**
 * A caller with more than a fifth of its requests refused by limits. `share`: the refused part in the last minute, from 0 to 1;
 * 0: that has ended.
 */
export type RefusedCaller = Readonly<Refusals> &
  Pick<CallerCount, 'id'> & { readonly label: string | undefined; readonly share: number };

/** What a finished request says about its caller. */
export type CallerRequest = {
  /** The id of the caller in the log; absent if the request had no valid credential. */
  readonly principalId: string | undefined;
  readonly principalLabel?: string | undefined;
  readonly limitTier?: string | undefined;
  readonly limitWindows?: CallerCount['windows'];
};

/** Counts requests by their callers, in bounded memory. */
export type CallerCounts = ReturnType<typeof createCallerCounts>;

const CALLERS_MAX = 500;
/** Callers with at least 20 requests in the last minute are judged; the ten with the largest refused share are shown. */
const [JUDGED_MS, JUDGED_MIN, REFUSED_MIN, REFUSED_SHOWN] = [60_000, 20, 0.2, 10];
/** Their counts are noted this often, so that the minute is exact to this time. */
const NOTED_MS = 5_000;
/** Callers without a credential share this id. Their windows are not kept, because each address has its own. */
const ANONYMOUS = 'anonymous';

const NOTHING = { requests: 0, clientErrors: 0, serverErrors: 0, limited: 0 };

const byRequests = (one: Readonly<CallerCount>, other: Readonly<CallerCount>) =>
  other.requests - one.requests;

/**
 * Creates the counts, a variant of lossy counting (Manku and Motwani, 2002). If there are too many callers, the half with
 * the fewest requests is forgotten. A new caller may be missing at most as many requests as the largest forgotten count.
 */
export function createCallerCounts(clock: Pick<Clock, 'now'>, callersMax = CALLERS_MAX) {
  const since = clock.now();
  const counts = new Map<string, CallerCount>();
  let forgottenMax = 0;
  const refusals = createRefusals();
  /** The counts at some moments of the last minute, and the latest before it. */
  let noted = [{ at: since, callers: new Map<string, Pick<CallerCount, 'requests' | 'limited'>>() }];

  function note(at: number): void {
    const now = [...counts].map(([id, { requests, limited }]) => [id, { requests, limited }] as const);
    noted.push({ at, callers: new Map(now) });
  }

  function makeRoom(): void {
    const forgotten = [...counts.values()].sort(byRequests).slice(Math.floor(callersMax / 2));
    for (const { id, requests, missedMax } of forgotten) {
      forgottenMax = Math.max(forgottenMax, requests + missedMax);
      counts.delete(id);
      refusals.forget(id);
    }
  }

  function open(id: string): CallerCount {
    if (counts.size >= callersMax) makeRoom();
    const about = { label: undefined, tier: undefined, windows: undefined };
    const opened = { id, ...NOTHING, lastAt: 0, missedMax: forgottenMax, ...about };
    counts.set(id, opened);
    return opened;
  }

  return {
    /** Counts a finished request; status 499: the client left. It allocates nothing if the caller is known. */
    count({ principalId, principalLabel, limitTier, limitWindows }: CallerRequest, status: number): void {
      if (principalId === undefined) return;
      const caller = counts.get(principalId) ?? open(principalId);
      caller.requests += 1;
      if (status >= 400 && status < 500) caller.clientErrors += 1;
      if (status >= 500) caller.serverErrors += 1;
      caller.lastAt = clock.now();
      if (status === 429) {
        caller.limited += 1;
        refusals.note(principalId, caller.requests, caller.lastAt);
      }
      if (principalId === ANONYMOUS) return;
      caller.label = principalLabel;
      caller.tier = limitTier;
      caller.windows = limitWindows;
    },
    /** The callers of whom limits refused more than a fifth in the last minute, or a few seconds more, and those before. */
    refused(): readonly RefusedCaller[] {
      const now = clock.now();
      const from = noted.findLastIndex(({ at }) => at <= now - JUDGED_MS);
      noted = noted.slice(Math.max(0, from));
      const first = noted[0];
      if (now - (noted.at(-1)?.at ?? 0) >= NOTED_MS) note(now);
      const found = [...counts.values()].flatMap(({ id, label, requests, limited }) => {
        const before = first?.callers.get(id) ?? NOTHING;
        const share = (limited - before.limited) / (requests - before.requests);
        const run = refusals.of(id);
        if (run === undefined || requests - before.requests < JUDGED_MIN || share <= REFUSED_MIN) return [];
        return [{ ...run, id, label, share }];
      });
      const ended = refusals.end(new Set(found.map(({ id }) => id)), first?.at ?? 0, now);
      const over = ended.map(([id, run]) => ({ ...run, id, label: counts.get(id)?.label, share: 0 }));
      return [...found, ...over].sort((one, other) => other.share - one.share).slice(0, REFUSED_SHOWN);
    },
    /** The label of a caller's key; `undefined` if it is not known. */
    labelOf: (id: string) => counts.get(id)?.label,
    snapshot: (): CallerSnapshot => ({ since, forgottenMax, callers: [...counts.values()] }),
  };
}

function add(one: Readonly<CallerCount>, other: Readonly<CallerCount>): CallerCount {
  const [latest] = other.lastAt > one.lastAt ? [other] : [one];
  return {
    ...latest,
    requests: one.requests + other.requests,
    clientErrors: one.clientErrors + other.clientErrors,
    serverErrors: one.serverErrors + other.serverErrors,
    limited: one.limited + other.limited,
    missedMax: one.missedMax + other.missedMax,
  };
}

/** Merges the counts of several processes, and takes into account that a process may have forgotten a caller. */
export function mergeCallers(snapshots: readonly CallerSnapshot[]): CallerSnapshot {
  const forgottenMax = snapshots.reduce((sum, one) => sum + one.forgottenMax, 0);
  const merged = new Map<string, CallerCount>();
  for (const { callers, forgottenMax: own } of snapshots)
    for (const caller of callers) {
      const others = merged.get(caller.id);
      // The forgotten counts of all processes are added first, and then subtracted for each process that knows the caller.
      const known = { ...caller, missedMax: caller.missedMax - own };
      const before = others ?? { ...known, ...NOTHING, missedMax: forgottenMax };
      merged.set(caller.id, add(before, known));
    }
  return {
    since: Math.min(...snapshots.map((one) => one.since)),
    forgottenMax,
    callers: [...merged.values()],
  };
}

/** The `count` callers with the most requests, the most first. */
export function topCallers({ callers }: CallerSnapshot, count: number): readonly Readonly<CallerCount>[] {
  return [...callers].sort(byRequests).slice(0, count);
}
