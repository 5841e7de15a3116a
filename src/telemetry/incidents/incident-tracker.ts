// Finds the incidents of this process. Calls, answers and states are reported to it.

import type { Clock } from '../../kernel/clock.ts';
import { isForLostKey } from '../requests/recent-requests.ts';
import type { ProcessIncidents } from './fleet-incidents.ts';
import { createCountHistory } from './count-history.ts';
import { failureWords, issuerFailureText } from './failure-words.ts';
import { createLostFieldAnswers, type FieldReaders } from './lost-field-answers.ts';
import { effectOfAnswer } from './incident-tally.ts';
import { type Incident, type IncidentKind, QUIET_MS } from './incident.ts';
import { createStarvation } from './starvation.ts';
import { createRootOf, createRuns, type HarmedAnswer, type TrackedServing } from './subject-runs.ts';

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

/** For the primary of several workers, which serves no requests itself. */
const NOTHING_SERVED: TrackedServing = {
  ...{ answered: () => 0, stalledMs: () => 0, slowMs: () => Infinity, labelOf: () => undefined },
  ...{ sourcesOf: () => [], redisOf: () => undefined },
};

const TICK_MS = 1_000;

/** Creates the functions that other parts of the process call when something happens. */
function createEventCounts(
  runs: ReturnType<typeof createRuns>,
  starvation: ReturnType<typeof createStarvation>,
  serving: TrackedServing,
  { clock, instance = 'gateway' }: TrackedProcess,
) {
  const [machine = instance] = instance.split(':');
  const starved = (since: number) =>
    starvation.explains(since) ? runs.of('gateway', machine, false) : undefined;
  const rootOf = createRootOf(serving, runs, starved);
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
      const isLate = failure === 'timeout' || (failure === undefined && runs.isSlow(seconds * 1_000));
      const own = isLate ? starved(at) : undefined;
      if (failure === undefined && !isAbandoned) upstream.run.ok(at, base);
      if (own !== undefined) own.fail({ at, cause: 'too little CPU, so it answers late' }, now);
      else if (failure === undefined) runs.countSpeed(upstream, at, seconds * 1_000, base, isAbandoned);
      else {
        const effect = failure === 'not_asked' ? 'not_sent' : undefined;
        const cause = failureWords(failure, outcome, seconds, error);
        upstream.run.fail({ at, host: base, effect, cause }, now);
      }
    },
    /** Notes a change of a source's breaker. */
    breaker(source: string, state: string): void {
      runs.upstreamOf(source).run.breaker(state, clock.now());
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
        const hasLeft = status === null;
        const late = starved(at) ?? (hasLeft ? runs.leftOf(operation) : runs.slowOf(operation));
        // A caller leaves before the call that it gives up has ended.
        for (const run of [late].flat())
          if (hasLeft || run.isFailing()) run.fail({ ...harm, effect: hasLeft ? 'late' : 'slow' }, now);
        return;
      }
      const [effect, cause] = [effectOfAnswer(answer), code === 'server_error' ? 'answers 500' : undefined];
      const root = rootOf(answer, at);
      const isLate = root?.kind === 'slow' || root === starved(at);
      root?.fail({ ...harm, effect: isLate ? 'late' : effect, cause }, now);
      // Calls that are slow keep the slots, too.
      if (effect === 'no_slot') runs.known('slow', source)?.fail({ ...harm, effect }, now);
    },
  };
}

/** Creates a tracker without incidents. From `start` on it looks at states, and ends quiet incidents, each second. */
export function createIncidentTracker(about: TrackedProcess, serving = NOTHING_SERVED) {
  const { clock, instance = 'gateway', version } = about;
  const startedAt = clock.now();
  const answered = createCountHistory(serving.answered, clock.now);
  const runs = createRuns(serving, answered.at);
  const starvation = createStarvation(serving, clock.now);
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
    starvation.tick();
    const states = watched.flatMap((statesNow) => statesNow());
    for (const state of states) look(state, now);
    readers.look(
      states.flatMap(({ kind, subject, cause, since = now, readBy }) => {
        const run = cause === undefined ? undefined : runs.known(kind, subject);
        return run === undefined || readBy === undefined ? [] : [{ ...readBy, run, since }];
      }),
    );
    for (const run of runs.all()) run.tick(now);
  }

  return {
    ...createEventCounts(runs, starvation, serving, about),
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
