import { createFailedCredentials } from '../../../src/policy/failed-credentials.ts';
import type { Decision } from '../../../src/store/limiter.ts';
import { createManualClock } from '../../support/manual-clock.ts';

function setUp() {
  const clock = createManualClock();
  let left = 2;
  const consume = (): Promise<Decision> => {
    const allowed = left > 0;
    left = Math.max(0, left - 1);
    const windows = [{ points: 2, seconds: 60, remaining: left, resetSeconds: 40 }];
    return Promise.resolve({ allowed, windows, retryAfterSeconds: allowed ? 0 : 40, by: 'redis' });
  };
  return { clock, failed: createFailedCredentials({ consume, clock }) };
}

describe('wrong credentials of an address', () => {
  it('spend its window, which ends when the window starts anew', async () => {
    const { clock, failed } = setUp();
    await failed.charge('address:a');
    expect(failed.spentForSeconds('address:a')).toBeUndefined();
    await failed.charge('address:a');
    expect(failed.spentForSeconds('address:a')).toBe(40);
    expect(failed.spentForSeconds('address:b')).toBeUndefined();
    clock.advance(39_001);
    expect(failed.spentForSeconds('address:a')).toBe(1);
    clock.advance(999);
    expect(failed.spentForSeconds('address:a')).toBeUndefined();
  });

  it('that cannot be counted do not count', async () => {
    const nobody: Decision = { allowed: false, windows: [], retryAfterSeconds: 1, by: 'unavailable' };
    const failed = createFailedCredentials({
      consume: () => Promise.resolve(nobody),
      clock: createManualClock(),
    });
    await failed.charge('address:a');
    expect(failed.spentForSeconds('address:a')).toBeUndefined();
  });
});
