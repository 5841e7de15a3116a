import { createFailedCredentials } from '../../../../../src/pipeline/stages/authentication/failed-credentials.ts';
import type { Decision } from '../../../../../src/store/limiter/limiter.ts';
import { createManualClock } from '../../../../support/time/manual-clock.ts';

const [A, B, KEY] = ['address:a', 'address:b', 'abcdefghijkl'];

function decide(remaining: number, by: Decision['by'] = 'redis'): Decision {
  const windows = by === 'unavailable' ? [] : [{ points: 3, seconds: 60, remaining, resetSeconds: 40 }];
  return { allowed: remaining > 0, windows, retryAfterSeconds: remaining > 0 ? 0 : 40, by };
}

/** Three wrong credentials may be tried in a minute; the fleet says what it is told to. */
function setUp(fleet?: (address: string) => Decision) {
  const clock = createManualClock();
  const asked: string[] = [];
  const consume =
    fleet === undefined
      ? undefined
      : (address: string) => {
          asked.push(address);
          return Promise.resolve(fleet(address));
        };
  const failed = createFailedCredentials({ window: { points: 3, seconds: 60 }, consume, clock });
  /** The seconds that a caller is told to wait, or 0. */
  const waitOf = (address: string, keyId?: string) => {
    try {
      failed.refuseSpent(address, keyId);
      return 0;
    } catch (error) {
      const { code, retryAfterSeconds } = error as { code: string; retryAfterSeconds: number };
      return code === 'rate_limit_exceeded' ? retryAfterSeconds : NaN;
    }
  };
  return { clock, asked, failed, waitOf };
}

describe('wrong credentials of an address', () => {
  it('spend the window of all processes, which ends when that starts anew', async () => {
    let left = 2;
    const { clock, failed, waitOf } = setUp(() => decide((left -= 1)));
    await failed.charge(A, undefined);
    expect(waitOf(A)).toBe(0);
    await failed.charge(A, undefined);
    expect(waitOf(A)).toBe(40);
    expect(waitOf(B)).toBe(0);
    clock.advance(39_001);
    expect(waitOf(A)).toBe(1);
    clock.advance(999);
    expect(waitOf(A)).toBe(0);
  });

  it('are counted by this process where nobody else can', async () => {
    const { clock, failed, waitOf } = setUp(() => decide(0, 'unavailable'));
    for (let n = 0; n < 2; n += 1) await failed.charge(A, undefined);
    expect(waitOf(A)).toBe(0);
    await failed.charge(A, undefined);
    expect(waitOf(A)).toBe(60);
    clock.advance(60_000);
    expect(waitOf(A)).toBe(0);
  });

  it('leave it clean, failed or spent, for a window', async () => {
    const { clock, failed } = setUp();
    expect(failed.standing(A)).toBe('clean');
    await failed.charge(A, undefined);
    expect([failed.standing(A), failed.standing(B)]).toEqual(['failed', 'clean']);
    for (let n = 0; n < 2; n += 1) await failed.charge(A, undefined);
    expect(failed.standing(A)).toBe('spent');
    clock.advance(60_000);
    expect(failed.standing(A)).toBe('clean');
  });

  it('of ever new addresses are told to Redis a thousand times at once and 250 times a second, no more', async () => {
    const { clock, asked, failed, waitOf } = setUp(() => decide(2));
    for (let n = 0; n < 5_000; n += 1) await failed.charge(`address:${n}`, undefined);
    expect(asked).toHaveLength(1_000);
    clock.advance(1_000);
    for (let n = 5_000; n < 9_000; n += 1) await failed.charge(`address:${n}`, undefined);
    expect(asked).toHaveLength(1_250);
    // Those that were not are bounded all the same.
    for (let n = 0; n < 3; n += 1) await failed.charge(A, undefined);
    expect(waitOf(A)).toBe(60);
  });
});

describe('wrong secrets of one key', () => {
  it('spend a window of its own, from whatever addresses they come', async () => {
    const { clock, failed, waitOf } = setUp();
    for (let n = 0; n < 3; n += 1) {
      expect(waitOf(B, KEY)).toBe(0);
      await failed.charge(`address:${n}`, KEY);
    }
    expect(waitOf(B, KEY)).toBe(60);
    expect([waitOf(B), waitOf(B, 'zzzzzzzzzzzz')]).toEqual([0, 0]);
    clock.advance(60_000);
    expect(waitOf(B, KEY)).toBe(0);
  });

  it('are counted through a flood of other ids, as long as they go on', async () => {
    const { failed, waitOf } = setUp();
    for (let n = 0; n < 20_000; n += 1) {
      await failed.charge(`address:${n}`, `id${n}`);
      if (n % 9_000 === 0) await failed.charge(A, KEY);
    }
    expect(waitOf(B, KEY)).toBe(60);
  });
});
