// Follows one subject, such as a source, for incident-tracker.ts: decides when an incident about it opens, what belongs to it,
// and when it ends.

import { createFailureWindow, type FailureRun } from './failure-window.ts';
import { isSameCause, NO_ANSWER } from './failure-words.ts';
import {
  type Failure,
  hostOf,
  incidentOf,
  isAnswer,
  isHarmOnly,
  openTally,
  beginTally,
  goesOn,
  goesOnElsewhere,
  type IncidentTally,
  type KnownBreaker,
  mainCause,
  tallyFailure,
  countHealthyCall,
  type TallySubject,
} from './incident-tally.ts';
import { type Incident, QUIET_MS, SAME_MS } from './incident.ts';
import { createUpstreamHosts } from './upstream-hosts.ts';

/** What a run needs. */
export type IncidentRunDeps = TallySubject & {
  /** If a smaller share of the calls fails (0 to 1), it is no incident. */
  readonly shareMin: number;
  /** How many calls of the same upstream were slow since a moment; 0 while that is no incident. */
  readonly slowSince?: ((since: number) => number) | undefined;
};

/** How many failures are kept with their details until an incident opens. */
const PENDING_MAX = 500;
const SECOND_MS = 1_000;

/** The failures of the last minute that belong to no incident, each with the time at which it was seen. */
type Pending = readonly { readonly failure: Failure; readonly seenAt: number }[];

/**
 * Updates a tally each second, and ends it if there was no failure for a minute; `undefined` if it ended long ago. `isHeld`:
 * it must not end, because a field counts as lost for some time after the last answer that lacks it.
 */
function goOn(tally: IncidentTally, now: number, isHeld: boolean): IncidentTally | undefined {
  if (!tally.isOpen) return now - tally.seen >= QUIET_MS + SAME_MS ? undefined : tally;
  if (now - Math.max(tally.seen, tally.seenByFleet) >= QUIET_MS && !isHeld) tally.isOpen = false;
  return tally;
}

/**
 * Whether an open incident may have begun at `since`, before its first failure in this process. Counts are kept by the second,
 * so less than a second would add calls from before the incident.
 */
const mayBegin = ({ isOpen, since: first }: IncidentTally, since: number) =>
  isOpen && since < first - SECOND_MS && since >= first - QUIET_MS;

/** The failures since an incident began. An answer counts by when it was seen, because its request began before the calls. */
const failuresSince = (pending: Pending, since: number) =>
  pending.flatMap(({ failure, seenAt }) =>
    (isAnswer(failure) ? seenAt : failure.at) >= since ? [failure] : [],
  );

/** The last incident, if new failures open it again: their cause is of the same kind. */
const sameAs = (last: Incident | undefined, failures: readonly Failure[]) =>
  last && isSameCause(last.cause, mainCause(failures) ?? last.cause) ? last : undefined;

/** How a breaker stands once its state is `open`, `half_open` or `closed`. */
function breakerAfter(before: KnownBreaker, state: string, now: number): KnownBreaker {
  const openedAt = state === 'open' ? now : before.openedAt;
  return { state, openedAt: state === 'closed' ? undefined : openedAt };
}

const nextSecond = (ms: number) => Math.ceil(ms / SECOND_MS) * SECOND_MS;

/** The failures of the last minute; the same list if no failure is older. */
const latestOf = (pending: Pending, now: number): Pending =>
  (pending[0]?.seenAt ?? now) < now - QUIET_MS
    ? pending.filter(({ seenAt }) => seenAt >= now - QUIET_MS)
    : pending;

/** Whether only calls without an answer in time fail, fewer than are slow: they belong to the incident of the slow ones. */
const isOutnumbered = ({ since, failed }: FailureRun, pending: Pending, slowSince: (at: number) => number) =>
  failed < slowSince(since) &&
  failuresSince(pending, since).every((one) => isAnswer(one) || one.cause?.startsWith(NO_ANSWER) === true);

/** The first pending failure of a host. */
const firstOf = (host: string, pending: Pending) =>
  pending.find(({ failure }) => failure.host !== undefined && hostOf(failure.host) === host);

/**
 * Finds the incidents of one subject, one after another. `ok` counts a call that began at `at` and did not fail, `fail` a failure,
 * which opens an incident if there are enough. `breaker` notes when the breaker opened.
 */
export type IncidentRun = ReturnType<typeof createIncidentRun>;

/** Creates the run of a subject without failures so far. */
export function createIncidentRun(deps: IncidentRunDeps) {
  const { kind, answered, shareMin, slowSince = () => 0 } = deps;
  const totalSince = kind === 'gateway' ? (since: number) => answered() - answered(since) : undefined;
  const window = createFailureWindow(shareMin, totalSince, kind === 'redis');
  let pending: Pending = [];
  const hosts = createUpstreamHosts();
  let [tally, breaker]: [IncidentTally | undefined, KnownBreaker] = [undefined, { state: 'closed' }];
  let [lastCall, heldAt] = [-Infinity, -Infinity];

  /** Opens an incident with the failures since its beginning. */
  function open(since: number, healthy: number, now: number): void {
    const before = sameAs(tally && incidentOf(tally, deps, breaker), failuresSince(pending, since));
    tally = openTally(since, now, answered(since), healthy, before, hosts.wellUntil(since));
    for (const failure of failuresSince(pending, since)) tallyFailure(tally, failure, deps, now);
    pending = [];
  }

  return {
    kind,
    ok(at: number, host?: string): void {
      window.add(at, false);
      if (host !== undefined) hosts.ok(at, host);
      if (tally?.isOpen === true) countHealthyCall(tally, host);
    },
    fail(failure: Failure, now: number): void {
      const isEffect = isAnswer(failure);
      if (!isEffect) lastCall = now;
      // A failed answer is an effect of failed calls, which are counted; only if there are none, the answer itself counts.
      if (!isEffect || (!isHarmOnly(failure) && now - lastCall > QUIET_MS)) window.add(failure.at, true);
      if (tally?.isOpen === true) tallyFailure(tally, failure, deps, now);
      else {
        pending = [...pending.slice(1 - PENDING_MAX), { failure, seenAt: now }];
        const run = window.incidentAt(now);
        if (run !== undefined && !isOutnumbered(run, pending, slowSince))
          open(run.since, Math.max(0, run.total - run.failed), now);
      }
    },
    /** Others saw it begin at `since`, and fail last at `seen`: all count since then, and end it at the same time. */
    begin({ since, seen }: Pick<Incident, 'since' | 'seen'>, now: number): void {
      if (tally !== undefined && seen <= now) goesOnElsewhere(tally, seen, deps, window);
      if (tally === undefined || !mayBegin(tally, since)) return;
      const healthy = window.countsSince(nextSecond(since)).healthy - window.countsSince(tally.since).healthy;
      beginTally(tally, since, answered(since), healthy);
    },
    /** Opens an incident at once, because its cause is certain. Answers show how long one of lost keys or of a lost field lasts. */
    hold(failure: Failure, since: number, now: number): void {
      if (kind === 'field') heldAt = now;
      // That they are lost is known since it opened first: one refusal does not open it again.
      if (kind === 'keys' && tally?.isOpen === false && pending.length < 2) return;
      if (tally?.isOpen !== true) open(since, 0, now);
      else if (kind === 'keys' || kind === 'field') return;
      if (tally !== undefined) tallyFailure(tally, failure, deps, now);
    },
    /** Notes that one of several hosts has failed so often that it is not asked for a while. */
    hostLost(name: string, now: number): void {
      hosts.lost(name, now);
      const since = firstOf(name, pending)?.failure.at;
      if (tally?.isOpen !== true && since !== undefined) open(since, window.countsSince(since).healthy, now);
    },
    breaker: (state: string, now: number): void => void (breaker = breakerAfter(breaker, state, now)),
    /** Ends it if nothing has failed for a minute. Call it each second. */
    tick(now: number): void {
      pending = latestOf(pending, now);
      if (tally === undefined) return;
      if (hosts.isOneDead(now) && tally.isOpen) goesOn(tally, now, deps, now);
      const wasOpen = tally.isOpen;
      tally = goOn(tally, now, heldAt === now);
      if (wasOpen && tally?.isOpen === false) window.clear();
    },
    /** The latest incident; `undefined` if there is none, or it ended long ago. */
    get incident(): Incident | undefined {
      return tally && incidentOf(tally, deps, breaker);
    },
    failedSince: (ms: number): number => window.countsSince(ms).failed,
    isOpen: (): boolean => tally?.isOpen === true,
    /** Whether anything failed within the last minute. */
    isFailing: (): boolean => tally?.isOpen === true || pending.some(({ failure }) => !isHarmOnly(failure)),
  };
}
