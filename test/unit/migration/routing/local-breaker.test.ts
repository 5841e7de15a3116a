import { createLocalBreaker } from '../../../../src/migration/routing/local-breaker.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

function open() {
  const clock = createManualClock();
  const changes: boolean[] = [];
  const breaker = createLocalBreaker({
    monotonic: () => clock.monotonic(),
    onChange: (isOpen) => changes.push(isOpen),
  });
  return { clock, changes, breaker, fail: (times: number) => repeat(times, () => breaker.count('failed')) };
}

function repeat(times: number, act: () => void): void {
  for (let i = 0; i < times; i += 1) act();
}

describe('the breaker of one process in front of a new source', () => {
  it('lets calls pass up to four failures of the new source alone', () => {
    const { breaker, fail, changes } = open();
    fail(4);
    expect(breaker.allows()).toBe(true);
    expect(changes).toEqual([]);
  });

  it('opens with five failures that are half of the calls', () => {
    const { breaker, fail, changes } = open();
    repeat(5, () => breaker.count('answered'));
    fail(5);
    expect([breaker.allows(), breaker.isOpen]).toEqual([false, true]);
    expect(changes).toEqual([true]);
  });

  it('stays closed while fewer than half of the calls fail', () => {
    const { breaker, fail } = open();
    repeat(11, () => breaker.count('answered'));
    fail(10);
    expect(breaker.allows()).toBe(true);
  });

  it('forgets failures after ten seconds', () => {
    const { breaker, fail, clock } = open();
    fail(4);
    clock.advance(11_000);
    fail(4);
    expect(breaker.allows()).toBe(true);
  });

  it('lets one call a second try after half a minute, and closes with the first answer', () => {
    const { breaker, fail, clock, changes } = open();
    fail(5);
    clock.advance(29_999);
    expect(breaker.allows()).toBe(false);
    clock.advance(1);
    expect([breaker.allows(), breaker.allows()]).toEqual([true, false]);
    breaker.count('failed');
    clock.advance(1_000);
    expect(breaker.allows()).toBe(true);
    breaker.count('answered');
    expect([breaker.allows(), breaker.allows()]).toEqual([true, true]);
    expect(changes).toEqual([true, false]);
  });

  it('is not closed by a call from before it opened', () => {
    const { breaker, fail } = open();
    fail(5);
    breaker.count('answered');
    expect(breaker.allows()).toBe(false);
  });
});
