import { createFailureWindow } from './failure-window.ts';
import {
  CALLERS_MAX,
  type FailedOf,
  hasCalls,
  type Incident,
  type IncidentKind,
  QUIET_MS,
  SAME_MS,
} from './incident.ts';

/** A failure of something that an incident may be about. */
export type Failure = {
  /** When it began: the call, not its end. */
  readonly at: number;
  /** Why, in words; absent: it says only that the failure goes on. */
  readonly cause?: string | undefined;
  readonly host?: string | undefined;
  /** An answer of the gateway that failed for it, or a call that was not sent; absent: a call. */
  readonly effect?: 'answer' | 'not_sent' | undefined;
  readonly caller?: string | undefined;
  readonly operation?: string | undefined;
};

/** `answered`: the answers of this process so far, and how many there were at a moment of the last two minutes. */
export type IncidentRunDeps = {
  readonly kind: IncidentKind;
  readonly subject: string;
  /** Fewer failures than this part of the calls are no incident. */
  readonly shareMin: number;
  readonly answered: (at?: number) => number;
  /** The label of a caller's key. */
  readonly labelOf: (caller: string) => string | undefined;
  /** Whether it is critical without a failed answer. */
  readonly isCritical?: boolean;
};

/** Failures before an incident opens, whose details are kept. */
const PENDING_MAX = 500;
const CALLERS_KEPT = 500;
const NAMES_MAX = 100;
/** So soon after it opened, an incident that becomes critical was so from its beginning. */
const GRACE_MS = 10_000;

type Counts = Map<string, number>;

/** The host and port of a base URL. */
const hostOf = (base: string) => URL.parse(base)?.host || base;

function addTo(counts: Counts, name: string | undefined, max = NAMES_MAX): boolean {
  if (name === undefined) return true;
  const before = counts.get(name);
  if (before === undefined && counts.size >= max) return false;
  counts.set(name, (before ?? 0) + 1);
  return true;
}

/** What is counted of one incident in this process. */
function createTally({ kind, subject, answered, labelOf, isCritical = false }: IncidentRunDeps, since: number) {
  const causes: Counts = new Map();
  const callers: Counts = new Map();
  const operations: Counts = new Map();
  const failedAt: Counts = new Map();
  const askedAt: Counts = new Map();
  let [openedAt, reopened, otherCallers, notSent] = [since, 0, 0, 0];
  let [failed, total, trailing, answersFailed] = [0, 0, 0, 0];
  let answers = { before: 0, from: answered(since), total: 0 };
  let last = since;
  let seen = since;
  let isOpen = true;
  let worsenedAt: number | undefined;
  const severity = () => (isCritical || answersFailed > 0 ? 'critical' : 'warning');

  function countAnswer({ caller, operation }: Failure, now: number): void {
    if (severity() === 'warning' && now - openedAt > GRACE_MS) worsenedAt ??= now;
    answersFailed += 1;
    if (!addTo(callers, caller, CALLERS_KEPT)) otherCallers += 1;
    addTo(operations, operation);
  }

  function countCall(host: string | undefined): void {
    failed += 1;
    total += trailing + 1;
    trailing = 0;
    addTo(failedAt, host);
    addTo(askedAt, host);
  }

  return {
    get isOpen() {
      return isOpen;
    },
    get seen() {
      return seen;
    },
    open(now: number): void {
      openedAt = now;
    },
    reopen(from: number, now: number): void {
      isOpen = true;
      reopened += 1;
      openedAt = now;
      answers = { before: answers.total, from: answered(from), total: answers.total };
    },
    close(): void {
      isOpen = false;
      trailing = 0;
    },
    /** It lasts, though nothing fails at this moment. */
    goOn: (now: number): void => void (last = seen = now),
    /** Calls of the run that did not fail, from before it was an incident. */
    addHealthy: (count: number): void => void (trailing += count),
    ok(host: string | undefined): void {
      trailing += 1;
      addTo(askedAt, host);
    },
    fail(failure: Failure, now: number): void {
      last = Math.max(last, failure.at);
      seen = now;
      if (failure.effect === 'answer') countAnswer(failure, now);
      else if (failure.effect === 'not_sent') notSent += 1;
      else countCall(failure.host);
      if (failure.effect !== 'not_sent') addTo(causes, failure.cause);
    },
    /** Takes over how many answers there were until the last failure. */
    countAnswers: (): void => void (answers.total = answers.before + answered() - answers.from),
    view(breakerAt: number | undefined): Incident {
      const listed = [...callers].sort((a, b) => b[1] - a[1]);
      const sum = (some: readonly (readonly [string, number])[]) =>
        some.reduce((all, [, one]) => all + one, 0);
      const hosts = [...askedAt].map(([host, asked]): [string, FailedOf] => [
        hostOf(host),
        { failed: failedAt.get(host) ?? 0, total: asked },
      ]);
      return {
        ...{ kind, subject, since, last, seen, isOpen, reopened, worsenedAt, notSent, breakerAt },
        cause: [...causes].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 'fails',
        severity: severity(),
        calls: hasCalls(kind) ? { failed, total } : { failed: 0, total: 0 },
        answers: { failed: answersFailed, total: Math.max(answersFailed, answers.total) },
        callers: Object.fromEntries(listed.slice(0, CALLERS_MAX)),
        labels: Object.fromEntries(
          listed.slice(0, CALLERS_MAX).flatMap(([id]) => {
            const label = labelOf(id);
            return label === undefined ? [] : [[id, label]];
          }),
        ),
        otherCallers: otherCallers + sum(listed.slice(CALLERS_MAX)),
        operations: Object.fromEntries(operations),
        hosts: Object.fromEntries(hosts),
      };
    },
  };
}

/** Finds the incidents of one subject, one after the other. */
export type IncidentRun = ReturnType<typeof createIncidentRun>;

/** Creates the run of a subject of which nothing is known. */
export function createIncidentRun(deps: IncidentRunDeps) {
  const { kind, answered, shareMin } = deps;
  const window = createFailureWindow(
    shareMin,
    kind === 'gateway' ? (since) => answered() - answered(since) : undefined,
  );
  /** The failures of the last minute, with when each was seen. */
  let pending: { readonly failure: Failure; readonly seenAt: number }[] = [];
  let tally: ReturnType<typeof createTally> | undefined;
  let breakerAt: number | undefined;
  /** The hosts that are not asked because they failed, with when that was noticed last. */
  const deadHosts = new Map<string, number>();
  let [lastTick, lastCall] = [0, -Infinity];

  /** Opens an incident with the failures since its beginning. */
  function open(since: number, healthy: number, now: number): void {
    const opened = tally ?? createTally(deps, since);
    if (tally === undefined) opened.open(now);
    else opened.reopen(since, now);
    tally = opened;
    opened.addHealthy(healthy);
    // A request comes before its first call.
    for (const { failure, seenAt } of pending)
      if ((failure.effect === 'answer' ? seenAt : failure.at) >= since) opened.fail(failure, now);
    pending = [];
  }

  return {
    kind,
    get isOpen() {
      return tally?.isOpen === true;
    },
    ok(at: number, host?: string): void {
      window.add(at, false);
      if (deadHosts.size > 0 && host !== undefined) deadHosts.delete(hostOf(host));
      if (tally?.isOpen === true) tally.ok(host);
    },
    fail(failure: Failure, now: number): void {
      const isEffect = failure.effect === 'answer';
      if (!isEffect) lastCall = now;
      // A failed answer is the effect of calls that are counted; without them it counts itself.
      if (!isEffect || now - lastCall > QUIET_MS) window.add(failure.at, true);
      if (tally?.isOpen === true) {
        tally.fail(failure, now);
        return;
      }
      if (pending.length >= PENDING_MAX) pending.shift();
      pending.push({ failure, seenAt: now });
      const run = window.incidentAt(now);
      if (run !== undefined) open(run.since, Math.max(0, run.total - run.failed), now);
    },
    /** A cause that is certain: the incident is open since then. */
    hold(failure: Failure, since: number, now: number): void {
      if (tally?.isOpen !== true) open(since, 0, now);
      tally?.fail(failure, now);
    },
    /** One of several hosts has failed so often that it is not asked for a while. */
    hostLost(name: string, now: number): void {
      deadHosts.set(name, now);
      const first = pending.find(({ failure }) => failure.host !== undefined && hostOf(failure.host) === name);
      if (tally?.isOpen === true || first === undefined) return;
      const since = first.failure.at;
      open(since, window.healthySince(since), now);
    },
    breaker: (openedAt: number | undefined): void => void (breakerAt = openedAt),
    /** Ends what is quiet. To be called each second. */
    tick(now: number): void {
      if ((pending[0]?.seenAt ?? now) < now - QUIET_MS)
        pending = pending.filter(({ seenAt }) => seenAt >= now - QUIET_MS);
      if (tally === undefined) return;
      for (const [name, at] of deadHosts) if (now - at > SAME_MS) deadHosts.delete(name);
      if (deadHosts.size > 0 && tally.isOpen) tally.goOn(now);
      if (tally.isOpen && tally.seen >= lastTick) tally.countAnswers();
      lastTick = now;
      if (tally.isOpen && now - tally.seen >= QUIET_MS) {
        tally.close();
        window.clear();
      } else if (!tally.isOpen && now - tally.seen >= QUIET_MS + SAME_MS) tally = undefined;
    },
    /** The latest incident; `undefined`: there is none, or it ended long ago. */
    get incident(): Incident | undefined {
      return tally?.view(breakerAt);
    },
    /** Whether anything failed within the last minute. */
    get isFailing(): boolean {
      return tally?.isOpen === true || pending.length > 0;
    },
  };
}
