import { createFailureWindow } from './failure-window.ts';
import {
  type Failure,
  hostOf,
  incidentOf,
  openTally,
  reopenTally,
  beginTally,
  type IncidentTally,
  tallyFailure,
  countHealthyCall,
  type TallySubject,
} from './incident-tally.ts';
import { type Incident, QUIET_MS, SAME_MS } from './incident.ts';

/** `answered`: the answers of this process so far, and how many there were at a moment of the last two minutes. */
export type IncidentRunDeps = TallySubject & {
  /** Fewer failures than this part of the calls are no incident. */
  readonly shareMin: number;
  readonly answered: (at?: number) => number;
};

/** Failures before an incident opens, whose details are kept. */
const PENDING_MAX = 500;
const SECOND_MS = 1_000;

/** The failures of the last minute that are part of no incident, each with when it was seen. */
type Pending = readonly { readonly failure: Failure; readonly seenAt: number }[];

/** Brings what a tally knows of the time up to now, and ends it if it is quiet; `undefined`: it ended long ago. */
function goOn(
  tally: IncidentTally,
  now: number,
  lastTick: number,
  answered: number,
): IncidentTally | undefined {
  if (!tally.isOpen) return now - tally.seen >= QUIET_MS + SAME_MS ? undefined : tally;
  if (tally.seen >= lastTick) tally.answersTotal = tally.answersBefore + answered - tally.answersFrom;
  if (now - tally.seen >= QUIET_MS) tally.isOpen = false;
  return tally;
}

/**
 * Whether an incident that is open may have begun at a moment before its first failure here. Counts are kept by the second,
 * so a shorter time would add calls from before it.
 */
const mayBegin = ({ isOpen, reopened, since: first }: IncidentTally, since: number) =>
  isOpen && reopened === 0 && since < first - SECOND_MS && since >= first - QUIET_MS;

/** The failures since the beginning of an incident. A request comes before its first call. */
const failuresSince = (pending: Pending, since: number) =>
  pending.flatMap(({ failure, seenAt }) =>
    (failure.effect === 'answer' ? seenAt : failure.at) >= since ? [failure] : [],
  );

const nextSecond = (ms: number) => Math.ceil(ms / SECOND_MS) * SECOND_MS;

/** Those of the last minute, which are the same list if none is older. */
const latestOf = (pending: Pending, now: number): Pending =>
  (pending[0]?.seenAt ?? now) < now - QUIET_MS
    ? pending.filter(({ seenAt }) => seenAt >= now - QUIET_MS)
    : pending;

/** The first failure of a host. */
const firstOf = (host: string, pending: Pending) =>
  pending.find(({ failure }) => failure.host !== undefined && hostOf(failure.host) === host);

/** Finds the incidents of one subject, one after the other. */
export type IncidentRun = ReturnType<typeof createIncidentRun>;

/** Creates the run of a subject of which nothing is known. */
export function createIncidentRun(deps: IncidentRunDeps) {
  const { kind, answered, shareMin } = deps;
  const window = createFailureWindow(
    shareMin,
    kind === 'gateway' ? (since) => answered() - answered(since) : undefined,
  );
  let pending: Pending = [];
  let tally: IncidentTally | undefined;
  let breakerAt: number | undefined;
  /** The hosts that are not asked because they failed, with when that was noticed last. */
  const deadHosts = new Map<string, number>();
  let [lastTick, lastCall] = [0, -Infinity];

  /** Opens an incident with the failures since its beginning. */
  function open(since: number, healthy: number, now: number): void {
    if (tally === undefined) tally = openTally(since, now, answered(since), healthy);
    else reopenTally(tally, now, answered(since), healthy);
    for (const failure of failuresSince(pending, since)) tallyFailure(tally, failure, deps, now);
    pending = [];
  }

  return {
    kind,
    ok(at: number, host?: string): void {
      window.add(at, false);
      if (deadHosts.size > 0 && host !== undefined) deadHosts.delete(hostOf(host));
      if (tally?.isOpen === true) countHealthyCall(tally, host);
    },
    fail(failure: Failure, now: number): void {
      const isEffect = failure.effect === 'answer';
      if (!isEffect) lastCall = now;
      // A failed answer is the effect of calls that are counted; without them it counts itself.
      if (!isEffect || now - lastCall > QUIET_MS) window.add(failure.at, true);
      if (tally?.isOpen === true) {
        tallyFailure(tally, failure, deps, now);
        return;
      }
      pending = [...pending.slice(1 - PENDING_MAX), { failure, seenAt: now }];
      const run = window.incidentAt(now);
      if (run !== undefined) open(run.since, Math.max(0, run.total - run.failed), now);
    },
    /** Another process has seen the incident begin: what this one has counted since then belongs to it, too. */
    begin(since: number): void {
      if (tally === undefined || !mayBegin(tally, since)) return;
      const healthy = window.healthySince(nextSecond(since)) - window.healthySince(tally.since);
      beginTally(tally, since, answered(since), healthy);
    },
    /** A cause that is certain: the incident is open since then. */
    hold(failure: Failure, since: number, now: number): void {
      if (tally?.isOpen !== true) open(since, 0, now);
      if (tally !== undefined) tallyFailure(tally, failure, deps, now);
    },
    /** One of several hosts has failed so often that it is not asked for a while. */
    hostLost(name: string, now: number): void {
      deadHosts.set(name, now);
      const since = firstOf(name, pending)?.failure.at;
      if (tally?.isOpen !== true && since !== undefined) open(since, window.healthySince(since), now);
    },
    breaker: (openedAt: number | undefined): void => void (breakerAt = openedAt),
    /** Ends what is quiet. To be called each second. */
    tick(now: number): void {
      pending = latestOf(pending, now);
      for (const [name, at] of deadHosts) if (now - at > SAME_MS) deadHosts.delete(name);
      if (tally === undefined) return;
      if (deadHosts.size > 0 && tally.isOpen) tally.last = tally.seen = now;
      const wasOpen = tally.isOpen;
      tally = goOn(tally, now, lastTick, answered());
      if (wasOpen && tally?.isOpen === false) window.clear();
      lastTick = now;
    },
    /** The latest incident; `undefined`: there is none, or it ended long ago. */
    get incident(): Incident | undefined {
      return tally && incidentOf(tally, deps, breakerAt);
    },
    /** Whether anything failed within the last minute. */
    get isFailing(): boolean {
      return tally?.isOpen === true || pending.length > 0;
    },
  };
}
