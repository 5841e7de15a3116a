import { net as netSchema } from '../../../../src/config/schema/net/connection.ts';
import { fault } from '../../../../src/kernel/errors/fault.ts';
import { createResilience } from '../../../../src/source/resilience/resilience.ts';
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
      question: () => undefined,
      retry: () => void events.push('retry'),
      paused: () => void events.push('paused'),
      host: (_host, event) => void events.push(event),
    },
  });
  const about = { affinity: {}, isSafe: true, question: '/x' };
  function end(priority: 'caller' | 'shadow', error?: unknown, isAbandoned = false) {
    const attempt = resilience.begin({ ...about, priority });
    attempt.start();
    attempt.finish(error, isAbandoned);
    return attempt.retryDelayMs(error);
  }
  const abandon = (priority: 'shadow') => end(priority, new DOMException('late', 'TimeoutError'), true);
  return { clock, events, resilience, end, abandon };
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

  it('are refused while the breaker is open, and then one of them is the probe that closes it', () => {
    const { clock, events, resilience, end } = open();
    for (const error of [failed, failed]) end('caller', error);
    expect(() => end('shadow')).toThrow(expect.objectContaining({ code: 'upstream_unavailable' }));
    clock.advance(1_001);
    expect(end('shadow')).toBeUndefined();
    expect(events).toEqual(['retry', 'open', 'half_open', 'closed']);
    expect(() => resilience.check()).not.toThrow();
  });

  it('leave the breaker open if the probe fails, and let the next call probe if it was only late', () => {
    const { clock, events, resilience, end, abandon } = open();
    for (const error of [failed, failed]) end('caller', error);
    clock.advance(1_001);
    end('shadow', failed);
    expect(() => end('caller')).toThrow(expect.objectContaining({ code: 'upstream_unavailable' }));
    clock.advance(1_001);
    abandon('shadow');
    expect(() => resilience.check()).not.toThrow();
    end('caller');
    expect(events).toEqual(['retry', 'open', 'half_open', 'open', 'half_open', 'closed']);
  });
});
