import type { BreakerDeps } from '../../../../src/source/resilience/breaker.ts';
import type { HealthProbeResult } from '../../../../src/source/resilience/health-check.ts';
import { openBreaker } from './open-breaker.ts';

describe('timeouts, which may be the fault of the question', () => {
  const turns = async () => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  /** A health probe whose results the test gives; `asked` counts those that were not current. */
  function answering(isHealthy: boolean) {
    const known = {
      asked: 0,
      isHealthy,
      clock: { monotonic: () => 0 },
      last: undefined as HealthProbeResult | undefined,
    };
    const check: BreakerDeps['checkHealth'] = (isCurrent) => {
      if (known.last === undefined || isCurrent?.(known.last) !== true) {
        known.asked += 1;
        const nowMs = known.clock.monotonic();
        known.last = { isHealthy: known.isHealthy, askedMs: nowMs, endedMs: nowMs };
      }
      return Promise.resolve(known.last);
    };
    return { known, check };
  }
  function open(isHealthy: boolean) {
    const { known, check } = answering(isHealthy);
    const opened = openBreaker({}, check);
    known.clock = opened.clock;
    return { ...opened, known };
  }

  it('are failures where there is no health probe', () => {
    const { breaker, make } = openBreaker();
    make(20, 'timeout');
    expect(breaker.state).toBe('open');
  });

  it('leave it closed where the health probe is answered, and the shape of question is told', async () => {
    const { breaker, make, hanging } = open(true);
    for (let round = 1; round <= 3; round += 1) {
      make(20, 'timeout');
      await turns();
      expect([breaker.state, hanging.times]).toEqual(['closed', round]);
    }
  });

  it('open it where the health probe fails, too, although other questions are answered meanwhile', async () => {
    const { breaker, make } = open(false);
    make(10, 'success', '/other');
    make(19, 'timeout');
    make(1, 'success', '/other');
    await turns();
    expect(breaker.state).toBe('open');
  });

  it('have the health probe sent early, once, so that its failure is there when they are too many', async () => {
    const { breaker, make, known } = open(false);
    make(4, 'timeout');
    expect(known.asked).toBe(0);
    make(4, 'timeout');
    await turns();
    make(11, 'timeout');
    expect([known.asked, breaker.state]).toEqual([1, 'closed']);
    make(1, 'timeout');
    await turns();
    expect([known.asked, breaker.state]).toEqual([1, 'open']);
  });

  it('are not excused by an answer to the health probe from before they were sent', async () => {
    const { breaker, clock, make, known } = open(true);
    make(20, 'timeout');
    await turns();
    known.isHealthy = false;
    clock.advance(1);
    make(20, 'timeout');
    await turns();
    expect(breaker.state).toBe('open');
  });

  it('do not open it by a failed health probe from before another question was answered', async () => {
    const { breaker, clock, make, known } = open(false);
    make(5, 'timeout');
    await turns();
    known.isHealthy = true;
    clock.advance(1);
    make(1, 'success', '/other');
    make(20, 'timeout');
    await turns();
    expect([breaker.state, known.asked]).toEqual(['closed', 2]);
  });

  it('are not needed where refused connections are enough', () => {
    const { breaker, make, known } = open(true);
    make(20, 'failure');
    expect([breaker.state, known.asked]).toEqual(['open', 0]);
  });

  it('close it after a probe that hangs if the health probe is answered anew', async () => {
    const { breaker, clock, make, known } = open(false);
    make(20, 'timeout');
    await turns();
    expect(breaker.state).toBe('open');
    clock.advance(5_000);
    known.isHealthy = true;
    make(1, 'timeout');
    await turns();
    expect(breaker.state).toBe('closed');
  });

  it('have the health probe sent before them if the source is silent, but not all the time', () => {
    const { breaker, clock, known } = open(true);
    breaker.suspect(0);
    clock.advance(4_999);
    breaker.suspect(4_900);
    expect(known.asked).toBe(1);
    clock.advance(1);
    breaker.suspect(4_900);
    expect(known.asked).toBe(2);
  });
});
