import { createLastSuccesses } from '../../../../src/source/resilience/breaker.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

describe('the questions that were answered', () => {
  it('tell when one other than a given one was answered last', () => {
    const clock = createManualClock();
    const start = clock.monotonic();
    const answered = createLastSuccesses(() => clock.monotonic() - start);
    expect(answered.lastOtherThan('a')).toBe(-Infinity);
    for (const question of ['a', 'b', 'a', 'a']) {
      clock.advance(1);
      answered.add(question);
    }
    expect(['a', 'b', 'c'].map((question) => answered.lastOtherThan(question))).toEqual([2, 4, 4]);
  });
});
