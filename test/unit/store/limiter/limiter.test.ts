import { createLimiter, type Tier } from '../../../../src/store/limiter/limiter.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

const keyOf = (tier: string, _windows: Tier['windows'], subject: string) => `${tier}:${subject}`;

function setUp(windows: Tier['windows'], localSubjectsMax = 1_000) {
  const clock = createManualClock();
  const limiter = createLimiter({
    tiers: { t: { windows, onStoreFailure: 'open' } },
    keyOf,
    clock,
    localSubjectsMax,
  });
  const consume = async (subject = 'a') => limiter.consume('t', subject);
  return { clock, limiter, consume };
}

describe('a limit without Redis', () => {
  it('admits as many as its window has points, and says what remains', async () => {
    const { consume } = setUp([{ points: 3, seconds: 60 }]);
    const decisions = [];
    for (let round = 0; round < 5; round += 1) decisions.push(await consume());
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false]);
    expect(decisions.map(({ windows }) => windows[0]?.remaining)).toEqual([2, 1, 0, 0, 0]);
    expect(decisions[4]).toMatchObject({ by: 'local' });
  });

  it('tells a caller to retry exactly when there is a point again', async () => {
    const { clock, consume } = setUp([{ points: 1, seconds: 60 }]);
    await consume();
    const { retryAfterSeconds } = await consume();
    clock.advance(retryAfterSeconds * 1_000 - 1_000);
    expect((await consume()).allowed).toBe(false);
    clock.advance(1_000);
    expect((await consume()).allowed).toBe(true);
  });

  it('charges a refused request to none of its windows', async () => {
    const { consume } = setUp([
      { points: 2, seconds: 60 },
      { points: 100, seconds: 600 },
    ]);
    for (let round = 0; round < 20; round += 1) await consume();
    const { allowed, windows } = await consume();
    expect(allowed).toBe(false);
    expect(windows.map(({ remaining }) => remaining)).toEqual([0, 98]);
  });

  it('tells a caller to wait for the slowest refusing window', async () => {
    const { consume } = setUp([
      { points: 1, seconds: 60 },
      { points: 1, seconds: 600 },
    ]);
    await consume();
    const { retryAfterSeconds } = await consume();
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(600);
    expect(retryAfterSeconds).toBeLessThanOrEqual(620);
  });

  it('still limits over a window longer than any timer', async () => {
    const { clock, consume } = setUp([{ points: 1, seconds: 365 * 86_400 }]);
    await consume();
    clock.advance(300 * 86_400_000);
    expect((await consume()).allowed).toBe(false);
    clock.advance(80 * 86_400_000);
    expect((await consume()).allowed).toBe(true);
  });

  it('remembers a bounded number of callers: the ones unseen for longest start anew', async () => {
    const { consume } = setUp([{ points: 1, seconds: 60 }], 100);
    await consume('first');
    for (let caller = 0; caller < 99; caller += 1) await consume(`caller-${caller}`);
    expect((await consume('first')).allowed).toBe(false);
    for (let caller = 0; caller < 100; caller += 1) await consume(`other-${caller}`);
    expect((await consume('first')).allowed).toBe(true);
  });

  it('throws for a tier that does not exist', () => {
    const { limiter } = setUp([{ points: 1, seconds: 1 }]);
    expect(() => limiter.consume('gone', 'a')).toThrow('no tier');
  });
});
