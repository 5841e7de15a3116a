import { net as netSchema } from '../../../../src/config/schema/net/connection.ts';
import { fault, GatewayError } from '../../../../src/kernel/errors/fault.ts';
import type { Priority } from '../../../../src/kernel/upstream-call.ts';
import { createResilience } from '../../../../src/source/resilience/resilience.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

const refused = fault('upstream_unavailable', { sourceHealth: { isRetryable: true } });
const late = fault('upstream_timeout');
const failed = fault('upstream_error');

const theCall = (isSafe: boolean, priority: Priority = 'caller') => ({
  ...{ affinity: {}, isSafe, question: '/x', priority },
});

/** The resilience of a source with these settings, on a clock of the test's own. */
function open(net: object = {}, deadlineMs = 10_000, patienceMs = deadlineMs) {
  const clock = createManualClock();
  const events: string[] = [];
  const resilience = createResilience(netSchema.parse({ baseUrl: 'http://h1', ...net }), {
    monotonic: () => clock.monotonic(),
    random: () => 0.5,
    deadlineMs,
    patienceMs,
    on: {
      breaker: (state) => void events.push(state),
      question: (shape, state) => void events.push(`${shape} ${state}`),
      retry: (result) => void events.push(result),
      paused: (seconds) => void events.push(`paused ${seconds}`),
      host: ({ name }, event) => void events.push(`${name} ${event}`),
    },
  });
  /** One question whose exchanges all end like this; how often it was asked, or why not. */
  function ask(error?: unknown, isGone = false): number | GatewayError {
    const trial = resilience.begin(theCall(true));
    for (let asked = 1; ; asked += 1) {
      try {
        trial.start();
      } catch (refusal) {
        return refusal as GatewayError;
      }
      trial.finish(error, isGone);
      if (error === undefined || trial.retryDelayMs(error) === undefined) return asked;
    }
  }
  const state = () => {
    try {
      resilience.check();
      return 'asked';
    } catch (error) {
      return `refused for ${String((error as GatewayError).retryAfterSeconds)}`;
    }
  };
  return { clock, events, resilience, ask, state };
}

describe('a failed request', () => {
  it.each<[string, GatewayError, number]>([
    ['a connection that was not had', refused, 2],
    ['a failure of the source itself', failed, 1],
    ['a reply that cannot be used', fault('upstream_invalid_response'), 1],
    [
      'a limit of the source',
      fault('upstream_unavailable', { sourceHealth: { isHealthy: true, pauseSeconds: 1 } }),
      1,
    ],
    ['a queue of our own that is full', fault('overloaded'), 1],
  ])('by %s is asked as often as is safe', (_why, error, times) => {
    expect(open().ask(error)).toBe(times);
  });

  it('is retried as often as its file says, after a random part of a growing delay', () => {
    const { resilience, ask } = open({ retries: { max: 3, budget: 100 } });
    for (let call = 0; call < 10; call += 1) ask();
    expect(ask(refused)).toBe(4);
    const trial = resilience.begin(theCall(true));
    expect([1, 2, 3, 4].map(() => trial.retryDelayMs(refused))).toEqual([12.5, 25, 50, undefined]);
  });

  it('is not retried if it may have changed something', () => {
    const { resilience } = open();
    expect(resilience.begin(theCall(false)).retryDelayMs(refused)).toBeUndefined();
  });

  it('is retried after a timeout only if its caller waits for another exchange of that length', () => {
    const { resilience, clock } = open({ timeout: '4s' });
    const [early, slow] = [resilience.begin(theCall(true)), resilience.begin(theCall(true))];
    clock.advance(5_000);
    expect(early.retryDelayMs(late)).toBe(12.5);
    clock.advance(1_000);
    expect(slow.retryDelayMs(late)).toBeUndefined();
  });

  it('is not retried beyond the retry budget', () => {
    const { ask, events } = open({ breaker: { calls: 1_000 } });
    const asked = Array.from({ length: 100 }, () => Number(ask(refused)));
    expect(asked.reduce((sum, one) => sum + one, 0)).toBe(100 + 11);
    expect(events.filter((one) => one === 'over_budget')).toHaveLength(100 - 11);
  });
});

describe('a source that fails', () => {
  const breaker = { calls: 4 };

  it.each<[string, GatewayError | undefined]>([
    ['connections', fault('upstream_unavailable')],
    ['time', late],
    ['its own word', failed],
  ])('by %s is not asked any more', (_why, error) => {
    const { ask, state, events } = open({ breaker });
    for (let call = 0; call < 4; call += 1) ask(error);
    expect([state(), events.at(-1)]).toEqual(['refused for 5', 'open']);
  });

  it.each<[string, Error, boolean]>([
    ['cannot be used', fault('upstream_invalid_response'), false],
    ['refuses our request', fault('upstream_error', { sourceHealth: { isHealthy: true } }), false],
    ['is awaited by nobody', failed, true],
    ['is a contradiction', new Error('of our own'), false],
  ])('is asked on where what it says %s', (_why, error, isGone) => {
    const { ask, state } = open({ breaker });
    for (let call = 0; call < 40; call += 1) ask(error, isGone);
    expect(state()).toBe('asked');
  });

  it('gets one probe after the open time, which is not retried', () => {
    const { ask, clock, events } = open({ breaker });
    for (let call = 0; call < 4; call += 1) ask(failed);
    expect(ask(refused)).toBeInstanceOf(GatewayError);
    clock.advance(5_000);
    expect([ask(refused), events]).toEqual([1, ['open', 'half_open', 'open']]);
  });
});

describe('a source that outlasts the patience of its callers', () => {
  const breaker = { calls: 4 };
  const timeIsOver = AbortSignal.abort(new DOMException('its time is over', 'TimeoutError')).reason as Error;
  const gone = new Error('the client has gone');

  /** So many calls, one after the other, each ended by its caller after so many ms. */
  function abandon({ resilience, clock }: ReturnType<typeof open>, reason: unknown, ms: number, count = 4) {
    for (let call = 0; call < count; call += 1) {
      const trial = resilience.begin(theCall(true));
      trial.start();
      clock.advance(ms);
      trial.finish(reason, true);
    }
  }

  it.each<[string, unknown, number, string]>([
    ['their time is over, most of which it had', late, 1_000, 'refused for 5'],
    ['their time behind the callers is over', timeIsOver, 1_000, 'refused for 5'],
    ['their time is over, of which it had little', late, 999, 'asked'],
    ['they have gone, early or late', gone, 5_000, 'asked'],
    ['another part of their request failed', failed, 5_000, 'asked'],
  ])('fails where %s', (_why, reason, ms, events) => {
    const opened = open({ breaker: { ...breaker, window: '1m' }, timeout: '4s' }, 10_000, 2_000);
    for (let call = 0; call < 2; call += 1) {
      opened.ask();
      abandon(opened, reason, ms, 1);
    }
    expect(opened.state()).toBe(events);
  });

  it('opens the breaker also by calls that queued, if it answers no call at all', () => {
    const { resilience, clock, state, events } = open({ breaker }, 2_000);
    const begin = () => {
      const trial = resilience.begin(theCall(true));
      trial.start();
      return trial;
    };
    let before = begin();
    clock.advance(2_000);
    before.finish(late, true);
    for (let call = 1; call < 4; call += 1) {
      // Its place is free once the one before it has ended, and then hardly any time is left.
      before = begin();
      clock.advance(10);
      before.finish(late, true);
    }
    expect([state(), events]).toEqual(['refused for 5', ['open']]);
  });

  it('does not open the breaker by calls that queued while it answers others', () => {
    const { resilience, clock, state } = open({ breaker }, 2_000);
    const [answered, ...cut] = Array.from({ length: 9 }, () => resilience.begin(theCall(true)));
    answered!.start();
    clock.advance(1_500);
    for (const trial of cut) trial.start();
    answered!.finish(undefined, false);
    clock.advance(500);
    for (const trial of cut) trial.finish(late, true);
    expect(state()).toBe('asked');
  });

  it('opens the breaker again if the probe is abandoned after most of its time', () => {
    const opened = open({ breaker }, 2_000);
    abandon(opened, late, 2_000);
    opened.clock.advance(5_000);
    abandon(opened, late, 2_000, 1);
    expect(opened.events).toEqual(['open', 'half_open', 'open']);
  });
});

describe('a source that asks for a pause', () => {
  const pauses = (seconds: number) =>
    fault('upstream_unavailable', { sourceHealth: { isHealthy: true, pauseSeconds: seconds } });

  it('is not called by anybody until the pause ends', () => {
    const { ask, clock, state, events } = open();
    ask(pauses(7));
    expect([state(), ask()]).toEqual(['refused for 7', expect.any(GatewayError)]);
    clock.advance(6_999);
    expect(state()).toBe('refused for 1');
    clock.advance(1);
    expect([ask(), events]).toEqual([1, ['paused 7']]);
  });

  it('is not paused for longer than its file allows', () => {
    const { ask, state } = open();
    ask(pauses(1_000_000_000));
    expect(state()).toBe('refused for 60');
  });

  it('is paused for the longest requested time', () => {
    const { resilience, state } = open();
    const trials = [9, 3].map((seconds) => ({ trial: resilience.begin(theCall(true)), seconds }));
    for (const { trial } of trials) trial.start();
    for (const { trial, seconds } of trials) trial.finish(pauses(seconds), false);
    expect(state()).toBe('refused for 9');
  });
});

describe('a source of two hosts', () => {
  it('gets retries at the other host, and counts failures per host', () => {
    const { resilience, events } = open({ otherUrls: ['http://h2'], outliers: { failures: 1 } });
    const trial = resilience.begin(theCall(true));
    const first = trial.start();
    trial.finish(refused, false);
    expect(trial.start()).not.toBe(first);
    trial.finish(undefined, false);
    expect(events).toEqual([`${new URL(first).host} ejected`]);
    expect(resilience.hosts.all.map(({ active }) => active)).toEqual([0, 0]);
  });
});

describe('the silence of a source', () => {
  it('is that of a source which answered no call for as long as one may take', () => {
    const { resilience, clock } = open({ timeout: '2s' });
    const attempts = [1, 2].map(() => resilience.begin(theCall(true)));
    for (const attempt of attempts) attempt.start();
    clock.advance(1_999);
    expect(resilience.isSilent()).toBe(false);
    clock.advance(1);
    expect(resilience.isSilent()).toBe(true);
    attempts[0]!.finish(late, false);
    expect(resilience.isSilent()).toBe(true);
    attempts[1]!.finish(undefined, false);
    expect(resilience.isSilent()).toBe(false);
  });
});
