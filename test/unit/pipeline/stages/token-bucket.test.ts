import { createTokenBucket } from '../../../../src/pipeline/stages/token-bucket.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

describe('a token bucket', () => {
  it('lets so much happen at once, and so much a second from then on', () => {
    const clock = createManualClock();
    const bucket = createTokenBucket(10, 2, clock);
    const takeAll = () => {
      let taken = 0;
      for (; bucket.waitSeconds() === 0; taken += 1) bucket.spend();
      return taken;
    };
    expect(takeAll()).toBe(10);
    clock.advance(499);
    expect(takeAll()).toBe(0);
    clock.advance(1);
    expect(takeAll()).toBe(1);
    clock.advance(3_600_000);
    expect(takeAll()).toBe(10);
  });

  it('has what was under way when it ended worked off before there is any again', () => {
    const clock = createManualClock();
    const bucket = createTokenBucket(10, 2, clock);
    for (let n = 0; n < 30; n += 1) bucket.spend();
    expect(bucket.waitSeconds()).toBe(11);
    clock.advance(10_499);
    expect(bucket.waitSeconds()).toBe(1);
    clock.advance(1);
    expect(bucket.waitSeconds()).toBe(0);
  });
});
