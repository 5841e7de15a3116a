// Counts what belongs to one incident in this process: failed calls and answers, by cause, host, caller and operation.

import { type ErrorNames, isForLostKey } from '../requests/recent-requests.ts';
import { runsOf } from './past-runs.ts';
import { LISTED_CALLERS_MAX, hasCalls, type Incident, type IncidentKind } from './incident.ts';

/** A failed call, a call that was not sent, or a failed answer that such a call caused. */
export type Failure = {
  /** When the call began, in milliseconds since the epoch. */
  readonly at: number;
  /** Why it failed, in words; absent: the failure shows only that the incident goes on. */
  readonly cause?: string | undefined;
  readonly host?: string | undefined;
  /**
   * `answer`: an answer of the gateway failed; `no_slot`: one failed because no slot was free; `slow`: one was slow; `lacks`: one
   * has no value for a lost field; `refused`: one was 401 for a lost key; `late`: one came too late; `not_sent`: a call was not
   * sent; absent: a call failed. `no_slot`, `slow`, `lacks`, `refused` and `late` open no incident.
   */
  readonly effect?: 'answer' | 'no_slot' | 'slow' | 'lacks' | 'refused' | 'late' | 'not_sent' | undefined;
  readonly caller?: string | undefined;
  readonly operation?: string | undefined;
};

/** What an incident of one process is about. */
export type TallySubject = {
  readonly kind: IncidentKind;
  readonly subject: string;
  /** How many answers this process has given, now or at a moment of the last two minutes. */
  readonly answered: (at?: number) => number;
  /** Finds the label of a caller's key. */
  readonly labelOf: (caller: string) => string | undefined;
  /** True: the incident is critical even without a failed answer. */
  readonly isCritical?: boolean;
};

/** The counts of one incident in this process. */
export type IncidentTally = ReturnType<typeof openTally>;

const CALLERS_KEPT = 500;
const NAMES_MAX = 100;
/** If an incident becomes critical within this time after it opened, it counts as critical from its beginning. */
const GRACE_MS = 10_000;

type Counts = Map<string, number>;

/** Whether an answer did not fail, but was slow or lacks a value. */
const isFlawOnly = ({ effect }: Failure): boolean => effect === 'slow' || effect === 'lacks';

/** Whether an answer tells only whom a fault harms: others must tell that there is one. */
export const isHarmOnly = (failure: Failure): boolean =>
  ['no_slot', 'refused', 'late'].includes(failure.effect ?? '') || isFlawOnly(failure);

/** What an answer that failed says: only `answer` says by itself that there is a fault. */
export function effectOfAnswer(answer: ErrorNames): 'answer' | 'no_slot' | 'refused' {
  if (isForLostKey(answer)) return 'refused';
  return answer.code === 'overloaded' ? 'no_slot' : 'answer';
}

/** Whether it is an answer of the gateway, no call. */
export const isAnswer = (failure: Failure): boolean => failure.effect === 'answer' || isHarmOnly(failure);

/** The host and port of a base URL. */
export const hostOf = (base: string): string => URL.parse(base)?.host || base;

function addTo(counts: Counts, name: string | undefined, max = NAMES_MAX): boolean {
  if (name === undefined) return true;
  const before = counts.get(name);
  if (before === undefined && counts.size >= max) return false;
  counts.set(name, (before ?? 0) + 1);
  return true;
}

/**
 * Opens a tally. `answered`: the number of answers when it began (`since`); `healthy`: calls since then that did not fail. It
 * counts from zero if it opens again, because what failed before may have had another cause; `earlier` is the incident so far.
 * `wellHosts`: the hosts that were well before.
 */
export function openTally(
  since: number,
  now: number,
  answered: number,
  healthy: number,
  earlier: Incident | undefined,
  wellHosts: readonly string[],
) {
  const empty = (): Counts => new Map();
  return {
    ...{ since, last: since, seen: since, seenByFleet: since, openedAt: now, isOpen: true },
    reopened: earlier === undefined ? 0 : earlier.reopened + 1,
    firstAt: earlier?.firstAt ?? earlier?.since,
    earlier: earlier && runsOf(earlier),
    worsenedAt: undefined as number | undefined,
    /** `trailing`: calls since the last failure. */
    ...{ failed: 0, total: 0, trailing: healthy, notSent: 0 },
    /** `answersFrom`: the number of answers when it opened. */
    ...{ answersFailed: 0, answersTotal: 0, answersFrom: answered },
    ...{ causes: empty(), callers: empty(), otherCallers: 0, operations: empty() },
    failedAt: empty(),
    askedAt: new Map(wellHosts.map((host) => [host, 0])),
    /** Of `trailing`, by host. */
    trailingAt: empty(),
  };
}

/** Moves the beginning of a tally to `since`. `answered`: the answers by then; `healthy`: the calls that are added. */
export function beginTally(tally: IncidentTally, since: number, answered: number, healthy: number): void {
  tally.answersTotal += tally.answersFrom - answered;
  tally.answersFrom = answered;
  tally.total += healthy;
  tally.since = since;
}

/** Counts a call that did not fail. */
export function countHealthyCall(tally: IncidentTally, host: string | undefined): void {
  tally.trailing += 1;
  addTo(tally.trailingAt, host);
  // A host that was well until the last failure is known, too.
  if (host !== undefined && tally.askedAt.size < NAMES_MAX)
    tally.askedAt.set(host, tally.askedAt.get(host) ?? 0);
}

const isCriticalNow = ({ answersFailed }: IncidentTally, { isCritical = false }: TallySubject) =>
  isCritical || answersFailed > 0;

function tallyAnswer(tally: IncidentTally, failure: Failure, of: TallySubject, now: number): void {
  const { caller, operation } = failure;
  if (!addTo(tally.callers, caller, CALLERS_KEPT)) tally.otherCallers += 1;
  addTo(tally.operations, operation);
  if (isFlawOnly(failure)) return;
  if (!isCriticalNow(tally, of) && now - tally.openedAt > GRACE_MS) tally.worsenedAt ??= now;
  tally.answersFailed += 1;
}

/** Notes that an incident goes on, with the answers until now, so that its counts are of the same time. */
export function goesOn(tally: IncidentTally, at: number, { answered }: TallySubject, now: number): void {
  tally.last = Math.max(tally.last, at);
  tally.seen = now;
  tally.answersTotal = answered() - tally.answersFrom;
}

/** Another process saw the last failure: so all before its second counts. What came within it may be well already. */
export function goesOnElsewhere(
  tally: IncidentTally,
  seen: number,
  { answered }: TallySubject,
  { countsSince }: { readonly countsSince: (ms: number) => { readonly healthy: number } },
): void {
  tally.seenByFleet = seen;
  if (!tally.isOpen || seen <= tally.seen) return;
  tally.answersTotal = Math.max(tally.answersTotal, answered(seen) - tally.answersFrom);
  const until = Math.max(0, tally.trailing - countsSince(seen).healthy);
  tally.total += until;
  tally.trailing -= until;
}

/** Counts a failure for an incident. */
export function tallyFailure(tally: IncidentTally, failure: Failure, of: TallySubject, now: number): void {
  // An answer may be slow for another reason, so it does not say that the fault goes on.
  if (failure.effect !== 'slow') goesOn(tally, failure.at, of, now);
  if (failure.effect !== 'not_sent') addTo(tally.causes, failure.cause);
  if (isAnswer(failure)) tallyAnswer(tally, failure, of, now);
  else if (failure.effect === 'not_sent') tally.notSent += 1;
  else {
    tally.failed += 1;
    tally.total += tally.trailing + 1;
    tally.trailing = 0;
    for (const [host, count] of tally.trailingAt)
      tally.askedAt.set(host, (tally.askedAt.get(host) ?? 0) + count);
    tally.trailingAt.clear();
    addTo(tally.failedAt, failure.host);
    addTo(tally.askedAt, failure.host);
  }
}

const sortedCounts = (counts: Counts) => [...counts].sort((a, b) => b[1] - a[1]);

/** Why most of some failures were, in words; `undefined` if none says it. */
export function mainCause(failures: readonly Failure[]): string | undefined {
  const causes: Counts = new Map();
  for (const { cause } of failures) addTo(causes, cause);
  return sortedCounts(causes)[0]?.[0];
}

/** How the breaker of an upstream stands, and when it last opened. */
export type KnownBreaker = { readonly state: string; readonly openedAt?: number | undefined };

/** The incident of a tally, as JSON. */
export function incidentOf(tally: IncidentTally, of: TallySubject, breaker: KnownBreaker): Incident {
  const { since, last, seen, isOpen, reopened, worsenedAt, notSent, failed, total, answersFailed } = tally;
  const callers = sortedCounts(tally.callers);
  const listed = callers.slice(0, LISTED_CALLERS_MAX);
  const labels = listed.flatMap(([id]) => {
    const label = of.labelOf(id);
    return label === undefined ? [] : [[id, label] as const];
  });
  const hosts = [...tally.askedAt].map(
    ([base, asked]) => [hostOf(base), { failed: tally.failedAt.get(base) ?? 0, total: asked }] as const,
  );
  return {
    ...{ kind: of.kind, subject: of.subject, since, last, seen, isOpen, reopened, worsenedAt },
    ...{ firstAt: tally.firstAt, earlier: tally.earlier, notSent },
    ...{ breakerAt: breaker.openedAt, breakers: { [breaker.state]: 1 } },
    cause: sortedCounts(tally.causes)[0]?.[0] ?? 'fails',
    severity: isCriticalNow(tally, of) ? 'critical' : 'warning',
    calls: hasCalls(of.kind) ? { failed, total } : { failed: 0, total: 0 },
    answers: { failed: answersFailed, total: Math.max(answersFailed, tally.answersTotal) },
    callers: Object.fromEntries(listed),
    labels: Object.fromEntries(labels),
    otherCallers: callers
      .slice(LISTED_CALLERS_MAX)
      .reduce((sum, [, count]) => sum + count, tally.otherCallers),
    operations: Object.fromEntries(tally.operations),
    hosts: Object.fromEntries(hosts),
  };
}
