// Finds the incidents of this process. Calls, answers and states are reported to it, and it finds the root cause of each failure.

import type { Clock } from '../../kernel/clock.ts';
import { isForLostKey, type RequestLogFields } from '../requests/recent-requests.ts';
import type { ProcessIncidents } from './fleet-incidents.ts';
import { createAnswerCountHistory } from './answer-count-history.ts';
import { failureWords, issuerFailureText } from './failure-words.ts';
import { createLostFieldAnswers, type FieldReaders } from './lost-field-answers.ts';
import { createIncidentRun, type IncidentRun } from './incident-run.ts';
import { effectOfAnswer } from './incident-tally.ts';
import { type Incident, type IncidentKind, QUIET_MS } from './incident.ts';

/** The state of something that may be wrong, such as a Redis. The tracker looks at it each second. */
export type WatchedState = {
  readonly kind: IncidentKind;
  readonly subject: string;
  /** What is wrong, in words; absent: nothing is wrong. */
  readonly cause: string | undefined;
  /** Since when it is certainly wrong, in ms since the epoch; absent: it must last for some time before it counts. */
  readonly since?: number | undefined;
  readonly isCritical?: boolean;
  /** Of a lost field: which answers lack it; they are counted by caller. */
  readonly readBy?: FieldReaders;
};

/** An answer with a status from 500 on, 401 for a lost key, or a slow one. `source`: the upstream that the error names. */
export type HarmedAnswer = Pick<RequestLogFields, 'status' | 'code' | 'source' | 'caller' | 'operation'>;

/** What is wrong, since when, and when the last failure was seen. */
export type IncidentStart = Pick<Incident, 'kind' | 'subject' | 'since' | 'seen'>;

/** Finds the incidents of a process from events that are also counted in metrics. */
export type IncidentTracker = ReturnType<typeof createIncidentTracker>;

/** The process whose incidents are found, such as `host-1:4711`. */
export type TrackedProcess = {
  readonly clock: Pick<Clock, 'now'>;
  readonly instance?: string | undefined;
  readonly version: string;
};

/** What a tracker asks a process that serves requests. The functions are called each time, because a reload changes results. */
export type TrackedServing = {
  /** How many requests this process has answered so far. */
  readonly answered: () => number;
  /** A call that takes longer is slow, in milliseconds. */
  readonly slowMs: () => number;
  readonly labelOf: (caller: string) => string | undefined;
  /** The names of the sources of an operation. */
  readonly sourcesOf: (operation: string) => readonly string[];
  /** The roles that share the Redis of a role, such as `keys+limits`; `undefined`: the role has no Redis. */
  readonly redisOf: (role: string) => string | undefined;
};

/** For the primary of several workers, which serves no requests itself. */
const NOTHING_SERVED: TrackedServing = {
  ...{ answered: () => 0, slowMs: () => Infinity, labelOf: () => undefined },
  ...{ sourcesOf: () => [], redisOf: () => undefined },
};

const TICK_MS = 1_000;
const SHARE_MIN = 0.02;
const SLOW_SHARE_MIN = 0.1;

/** The kind of an upstream, by its name in the metrics. */
const kindOf = (source: string): IncidentKind => (source.startsWith('passthrough.') ? 'route' : 'source');

/** `run`: failures of an upstream. `slow`: its slow calls, among all calls, so that their share is known. */
type Upstream = { readonly run: IncidentRun; readonly slow: IncidentRun };

/** Creates the runs of all subjects; each run is created when it is first needed. */
function createRuns(deps: TrackedServing, answered: (at?: number) => number) {
  const runs = new Map<string, IncidentRun>();
  /** The runs of each upstream, by its name alone, so that no key must be made for each call. */
  const upstreams = new Map<string, Upstream>();

  function of(kind: IncidentKind, subject: string, isCritical = kind === 'gateway'): IncidentRun {
    const key = `${kind} ${subject}`;
    const found = runs.get(key);
    if (found !== undefined) return found;
    const shareMin = kind === 'slow' ? SLOW_SHARE_MIN : SHARE_MIN;
    const run = createIncidentRun({ kind, subject, shareMin, isCritical, labelOf: deps.labelOf, answered });
    runs.set(key, run);
    return run;
  }

  function upstreamOf(source: string): Upstream {
    const found = upstreams.get(source);
    if (found !== undefined) return found;
    const upstream: Upstream = { run: of(kindOf(source), source), slow: of('slow', source) };
    upstreams.set(source, upstream);
    return upstream;
  }

  return {
    of,
    upstreamOf,
    known: (kind: IncidentKind, subject: string) => runs.get(`${kind} ${subject}`),
    all: () => runs.values(),
    /** The runs of slow calls of what an operation reads. */
    slowOf: (operation: string): readonly IncidentRun[] =>
      (operation.startsWith('passthrough.') ? [operation] : deps.sourcesOf(operation)).flatMap(
        (name) => runs.get(`slow ${name}`) ?? [],
      ),
    isSlow: (ms: number) => ms > deps.slowMs(),
    /** Counts a call that did not fail as slow or not. */
    countSpeed({ slow }: Upstream, at: number, ms: number, host: string | undefined): void {
      const slowMs = deps.slowMs();
      if (ms <= slowMs) slow.ok(at, host);
      else slow.fail({ at, cause: `calls take longer than ${slowMs / 1_000} s`, host }, at + ms);
    },
  };
}

/** Finds the run of the deepest dependency that made an answer fail; `undefined` if no watched dependency is at fault. */
function createRootOf({ sourcesOf, redisOf }: TrackedServing, runs: ReturnType<typeof createRuns>) {
  const ofRole = (role: string) => runs.of('redis', redisOf(role) ?? role);
  return function rootOf({ code, source, operation }: HarmedAnswer): IncidentRun | undefined {
    if (isForLostKey({ code, source })) return runs.of('keys', 'keys', true);
    if (code === 'limiter_unavailable') return ofRole('limits');
    if (source?.startsWith('redis.') === true) return ofRole(source.slice(6));
    if (source === 'auth.jwt') return runs.of('issuer', source);
    if (code === 'server_error')
      return (
        [...runs.all()].find((run) => run.kind === 'redis' && run.isFailing) ?? runs.of('gateway', 'answers')
      );
    if (code === 'scan_limit_exceeded') return undefined;
    if (source !== undefined) return runs.upstreamOf(source).run;
    if (code === 'overloaded') return undefined;
    // An upstream's answer that is passed on unchanged has no code of Portico.
    if (operation.startsWith('passthrough.')) return runs.upstreamOf(operation).run;
    if (code === undefined) return undefined;
    const all = sourcesOf(operation).map((name) => runs.upstreamOf(name).run);
    return all.find((run) => run.isFailing) ?? all[0];
  };
}

/** Creates the functions that other parts of the process call when something happens. */
function createEventCounts(
  runs: ReturnType<typeof createRuns>,
  rootOf: ReturnType<typeof createRootOf>,
  clock: TrackedProcess['clock'],
) {
  return {
    /**
     * Counts a call to a source that has ended, or was not sent. `failure`: why it brought no usable answer; `base`: the URL
     * to which it was sent.
     */
    call(
      source: string,
      outcome: string,
      failure: string | undefined,
      seconds = 0,
      base?: string,
      error?: unknown,
    ): void {
      const isAbandoned = failure === undefined && outcome === 'cancelled';
      // A call that found no concurrency slot says nothing about the source, nor one whose caller left before it was slow.
      if (failure === undefined && outcome === 'overloaded') return;
      if (isAbandoned && !runs.isSlow(seconds * 1_000)) return;
      const now = clock.now();
      // Counts reach back only a minute.
      const at = now - Math.min(seconds * 1_000, QUIET_MS);
      const upstream = runs.upstreamOf(source);
      if (failure === undefined) {
        if (!isAbandoned) upstream.run.ok(at, base);
        runs.countSpeed(upstream, at, seconds * 1_000, base);
        return;
      }
      const effect = failure === 'not_asked' ? 'not_sent' : undefined;
      const cause = failureWords(failure, outcome, seconds, error);
      upstream.run.fail({ at, host: base, effect, cause }, now);
    },
    /** Notes a change of a source's breaker. */
    breaker(source: string, state: string): void {
      const { run } = runs.upstreamOf(source);
      if (state !== 'half_open') run.breaker(state === 'open' ? clock.now() : undefined);
    },
    /** Notes that a host of a source was ejected, or found unhealthy or healthy. */
    host(source: string, name: string, event: string): void {
      if (event !== 'healthy') runs.upstreamOf(source).run.hostLost(name, clock.now());
    },
    /** Counts a fetch of the token issuer's key set; `problem`: why it failed. */
    issuer(problem: string | undefined): void {
      const now = clock.now();
      if (problem !== undefined)
        runs.of('issuer', 'auth.jwt').fail({ at: now, cause: issuerFailureText(problem) }, now);
      else runs.known('issuer', 'auth.jwt')?.ok(now);
    },
    /** Attributes an answer that failed to its root cause, and a slow one to the sources that are slow. */
    answerHarmed: (answer: HarmedAnswer, at: number): void => {
      const { caller, operation, code, source = '', status } = answer;
      const [harm, now] = [{ at, caller, operation }, clock.now()];
      if ((status ?? 0) < 500 && !isForLostKey(answer)) {
        for (const run of runs.slowOf(operation))
          if (run.isFailing) run.fail({ ...harm, effect: 'slow' }, now);
        return;
      }
      const [effect, cause] = [effectOfAnswer(answer), code === 'server_error' ? 'answers 500' : undefined];
      rootOf(answer)?.fail({ ...harm, effect, cause }, now);
      // Calls that are slow keep the slots, too.
      if (effect === 'no_slot') runs.known('slow', source)?.fail({ ...harm, effect }, now);
    },
  };
}

/** Creates a tracker without incidents. From `start` on it looks at states, and ends quiet incidents, each second. */
export function createIncidentTracker(about: TrackedProcess, serving = NOTHING_SERVED) {
  const { clock, instance = 'gateway', version } = about;
  const startedAt = clock.now();
  const answered = createAnswerCountHistory(serving.answered, clock.now);
  const runs = createRuns(serving, answered.at);
  const readers = createLostFieldAnswers(clock.now);
  const watched: (() => readonly WatchedState[])[] = [];
  let timer: NodeJS.Timeout | undefined;

  function look({ kind, subject, cause, since, isCritical }: WatchedState, now: number): void {
    if (cause === undefined) {
      runs.known(kind, subject)?.ok(now);
      return;
    }
    const run = runs.of(kind, subject, isCritical);
    if (since === undefined) run.fail({ at: now, cause }, now);
    else run.hold({ at: now, cause }, since, now);
  }

  function tick(): void {
    const now = clock.now();
    answered.tick();
    const states = watched.flatMap((statesNow) => statesNow());
    for (const state of states) look(state, now);
    readers.look(
      states.flatMap(({ kind, subject, cause, readBy }) => {
        const run = cause === undefined ? undefined : runs.known(kind, subject);
        return run === undefined || readBy === undefined ? [] : [{ ...readBy, run }];
      }),
    );
    for (const run of runs.all()) run.tick(now);
  }

  return {
    ...createEventCounts(runs, createRootOf(serving, runs), clock),
    /** Counts a successful answer, for the incidents of lost fields. */
    answered: readers.answered,
    /** Adds states to look at each second. */
    watch: (states: () => readonly WatchedState[]): void => void watched.push(states),
    ...{ tick, sourcesOf: serving.sourcesOf },
    start: (): void => void (timer ??= setInterval(tick, TICK_MS).unref()),
    close: (): void => clearInterval(timer),
    /**
     * The incidents of this process that are open, or ended in the last minutes. `known`: the incidents of the fleet; here
     * they begin at the same time as in the process that saw them first.
     */
    seen(known: readonly IncidentStart[] = []): ProcessIncidents {
      for (const one of known) runs.known(one.kind, one.subject)?.begin(one, clock.now());
      const incidents = [...runs.all()].flatMap(({ incident }) => incident ?? []);
      return { process: instance, version, startedAt, incidents };
    },
  };
}
