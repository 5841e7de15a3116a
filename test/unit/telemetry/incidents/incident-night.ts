import {
  createIncidentTracker,
  type WatchedState,
} from '../../../../src/telemetry/incidents/incident-tracker.ts';

const START = Date.UTC(2026, 0, 31, 3, 0, 0);

/** A tracker on a clock of its own, with what may happen in a night. */
export function createNight({ slowMs = 1_000 } = {}) {
  let now = START;
  let [answered, stalledMs] = [0, 0];
  const states = new Map<string, WatchedState>();
  const tracker = createIncidentTracker(
    { clock: { now: () => now }, instance: 'host-1:4711', version: '1.0.0' },
    {
      answered: () => answered,
      stalledMs: () => stalledMs,
      slowMs: () => slowMs,
      sourcesOf: (operation) => [operation.split('.')[0] ?? ''],
      labelOf: () => undefined,
      redisOf: (role) => (role === 'cache' ? 'cache' : 'keys+limits'),
    },
  );
  tracker.watch(() => [...states.values()]);

  /** Moves the clock to the next second; the tracker looks. */
  function second(): void {
    now = Math.floor(now / 1_000) * 1_000 + 1_000;
    tracker.tick();
  }

  return {
    tracker,
    START,
    get now() {
      return now;
    },
    moveTo: (ms: number): void => void (now = ms),
    second,
    /** Lets some seconds pass; `each` happens at the beginning of each. */
    seconds(count: number, each: (at: number) => void = () => undefined): void {
      for (let at = 0; at < count; at += 1) {
        each(at);
        second();
      }
    },
    /** The process stands still, so that all that is under way lasts longer. */
    stall(ms: number): void {
      now += ms;
      stalledMs += ms;
    },
    /** Calls of a source, at this moment. */
    calls(source: string, ok: number, failed = 0, failure = 'error', host?: string): void {
      for (let at = 0; at < ok; at += 1) tracker.call(source, '2xx', undefined, 0.01, host);
      for (let at = 0; at < failed; at += 1) tracker.call(source, 'error', failure, 0.01, host);
    },
    /** Answers, at this moment: those that failed by their callers. */
    answers(
      ok: number,
      failed: readonly string[] = [],
      source: string | undefined = 'crm',
      code = 'upstream_error',
      status = code === 'overloaded' ? 503 : 502,
    ): void {
      answered += ok + failed.length;
      for (const caller of failed)
        tracker.answerHarmed({ status, code, source, caller, operation: 'crm.list' }, now);
    },
    /** A call of the source that takes long, and the answer of it. */
    slowAnswer(caller: string, seconds = 2): void {
      answered += 1;
      tracker.call('crm', '2xx', undefined, seconds);
      tracker.answerHarmed({ status: 200, caller, operation: 'crm.list' }, now - seconds * 1_000);
    },
    state: (one: WatchedState): void => void states.set(`${one.kind} ${one.subject}`, one),
    /** The incidents that are open, or ended a short while ago. */
    incidents: () => tracker.seen().incidents,
    /** The same, as kind, subject and how they stand. */
    short: () =>
      tracker
        .seen()
        .incidents.map(
          ({ kind, subject, isOpen, reopened }) =>
            `${kind} ${subject} ${isOpen ? 'open' : 'ended'} ${reopened}`,
        ),
  };
}

/** The one of a list that has one. */
export function only<T>(all: readonly T[]): T {
  expect(all).toHaveLength(1);
  return all[0] as T;
}
