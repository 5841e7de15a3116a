import { fault } from '../../../../src/kernel/errors/fault.ts';
import { createUncompared } from '../../../../src/migration/shadow/uncompared.ts';
import { openShadow } from '../../../support/migration/open-shadow.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

function open() {
  const clock = createManualClock();
  const reasons: (string | undefined)[] = [];
  const uncompared = createUncompared(clock.monotonic, (reason) => void reasons.push(reason));
  return { clock, reasons, uncompared };
}

describe('why nothing is compared', () => {
  it('is known once no comparison had an answer for five seconds, and is reported once', () => {
    const { clock, reasons, uncompared } = open();
    uncompared.count('error');
    expect(uncompared.reason).toBeUndefined();
    clock.advance(5_000);
    for (let call = 0; call < 3; call += 1) uncompared.count('dropped_source', 'the breaker is open');
    expect(uncompared.reason).toBe('the last 4 answers were not compared: the breaker is open');
    expect(reasons).toEqual(['the last 2 answers were not compared: the breaker is open']);
  });

  it('ends with the first comparison that has an answer, and that is reported once', () => {
    const { clock, reasons, uncompared } = open();
    uncompared.count('timeout');
    clock.advance(5_000);
    uncompared.count('timeout');
    for (let call = 0; call < 3; call += 1) uncompared.count('ok');
    expect(uncompared.reason).toBeUndefined();
    expect(reasons).toEqual([expect.stringContaining('shadow.timeout'), undefined]);
  });

  it('is nothing while some answers are compared, however many are left out', () => {
    const { clock, reasons, uncompared } = open();
    for (let second = 0; second < 60; second += 1) {
      for (let call = 0; call < 9; call += 1) uncompared.count('dropped_rate');
      uncompared.count('ok');
      clock.advance(1_000);
    }
    expect([uncompared.reason, reasons]).toEqual([undefined, []]);
  });

  it('is forgotten a minute after the last question, because nobody asks any more', () => {
    const { clock, uncompared } = open();
    uncompared.count('error');
    clock.advance(5_000);
    uncompared.count('error');
    clock.advance(60_001);
    expect(uncompared.reason).toBeUndefined();
  });

  it('is what the protection of the source says, by the source that was not asked', async () => {
    const refuse = fault('upstream_unavailable', { detail: 'the breaker of the source is open' });
    const { shadow, offer, outcomes, clock, until } = openShadow({
      next: (call) => {
        call.usage.upstreamCalls = 0;
        return Promise.reject(refuse);
      },
    });
    for (const count of [1, 2]) {
      offer();
      await until(() => outcomes.length === count);
      clock.advance(5_000);
    }
    expect(shadow.uncompared('new')).toContain('the breaker of the source is open');
    expect(shadow.uncompared('legacy')).toBeUndefined();
  });
});
