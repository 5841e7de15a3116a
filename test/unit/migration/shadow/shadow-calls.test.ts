import { net as netSchema } from '../../../../src/config/schema/net/connection.ts';
import { fault } from '../../../../src/errors/fault.ts';
import { createResilience } from '../../../../src/upstream/resilience/resilience.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

/** A source with a breaker that opens after two failures, and what happens to it. */
function open() {
  const clock = createManualClock();
  const events: string[] = [];
  const breaker = { calls: 2, failures: 50, window: '10s', open: '1s' };
  const net = netSchema.parse({ baseUrl: 'http://h1', breaker, outliers: { failures: 1 } });
  const resilience = createResilience(net, {
    monotonic: () => clock.monotonic(),
    ...{ random: () => 0.5, deadlineMs: 10_000, patienceMs: 10_000 },
    on: {
      breaker: (state) => void events.push(state),
      retry: () => void events.push('retry'),
      paused: () => void events.push('paused'),
      host: (_host, event) => void events.push(event),
    },
  });
  const about = { affinity: {}, isSafe: true, question: '/x' };
  function end(priority: 'caller' | 'shadow', error?: unknown) {
    const attempt = resilience.begin({ ...about, priority });
    attempt.start();
    attempt.finish(error, false);
    return attempt.retryDelayMs(error);
  }
  return { clock, events, resilience, end };
}

const failed = fault('upstream_timeout');
const pauses = fault('upstream_unavailable', { sourceHealth: { isRetryable: true, pauseSeconds: 5 } });

describe('the shadows of a source', () => {
  it('open no breaker, eject no host, make no pause and are not retried, however they fail', () => {
    const { events, resilience, end } = open();
    for (const error of [failed, failed, failed, pauses]) expect(end('shadow', error)).toBeUndefined();
    expect(events).toEqual([]);
    expect(resilience.hosts.all.map(({ active }) => active)).toEqual([0]);
    expect(() => resilience.check()).not.toThrow();
  });

  it('are no probe of a breaker that opens: a caller is', () => {
    const { clock, resilience, end } = open();
    for (const error of [failed, failed]) end('caller', error);
    clock.advance(1_001);
    expect(() => end('shadow')).toThrow(expect.objectContaining({ code: 'upstream_unavailable' }));
    end('caller');
    expect(end('shadow')).toBeUndefined();
    expect(() => resilience.check()).not.toThrow();
  });
});
