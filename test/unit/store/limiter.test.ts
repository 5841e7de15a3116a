import { createLocalWindow } from '../../../src/store/limiter-windows.ts';
import { createLimiter, type Tier } from '../../../src/store/limiter.ts';

const keyOf = (tier: string, { points, seconds }: { points: number; seconds: number }, subject: string) =>
  `${tier}:${points}per${seconds}:${subject}`;

function limiterOf(...windows: Tier['windows']) {
  return createLimiter({ tiers: { t: { windows, onStoreFailure: 'open' } }, keyOf });
}

describe('a limit without Redis', () => {
  it('admits as many as its window has points, and says what remains', async () => {
    const limiter = limiterOf({ points: 3, seconds: 60 });
    const decisions = [];
    for (let round = 0; round < 5; round += 1) decisions.push(await limiter.consume('t', 'a'));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false]);
    expect(decisions.map(({ windows }) => windows[0]?.remaining)).toEqual([2, 1, 0, 0, 0]);
    expect(decisions[4]).toMatchObject({ retryAfterSeconds: 60, by: 'local' });
  });

  it('holds under simultaneous requests', async () => {
    const limiter = limiterOf({ points: 10, seconds: 60 }, { points: 7, seconds: 600 });
    const decisions = await Promise.all(Array.from({ length: 50 }, () => limiter.consume('t', 'a')));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(7);
  });

  it('charges a refused request to none of its windows', async () => {
    const limiter = limiterOf({ points: 2, seconds: 60 }, { points: 100, seconds: 600 });
    for (let round = 0; round < 20; round += 1) await limiter.consume('t', 'a');
    const { allowed, windows, retryAfterSeconds } = await limiter.consume('t', 'a');
    expect(allowed).toBe(false);
    expect(windows.map(({ remaining }) => remaining)).toEqual([0, 98]);
    expect(retryAfterSeconds).toBe(60);
  });

  it('tells to wait for the slowest of the windows that refuse', async () => {
    const limiter = limiterOf({ points: 1, seconds: 60 }, { points: 1, seconds: 600 });
    await limiter.consume('t', 'a');
    expect((await limiter.consume('t', 'a')).retryAfterSeconds).toBe(600);
  });

  it('still limits over a window longer than any timer', async () => {
    const limiter = limiterOf({ points: 100, seconds: 365 * 86_400 });
    const admitted = async () => (await limiter.consume('t', 'a')).allowed;
    for (let point = 0; point < 6; point += 1) expect(await admitted()).toBe(true);
    // An overflowed timer is one of 1 ms, and would fire before this one, which was set after it.
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await admitted()).toBe(false);
  });

  it('remembers a bounded number of callers: the ones unseen for longest start anew', async () => {
    const window = createLocalWindow({ points: 1, seconds: 60 }, 100);
    await window.take('first');
    for (let caller = 0; caller < 99; caller += 1) await window.take(`caller-${caller}`);
    expect((await window.take('first')).admitted).toBe(false);
    for (let caller = 0; caller < 100; caller += 1) await window.take(`other-${caller}`);
    expect((await window.take('first')).admitted).toBe(true);
  });

  it('throws for a tier that does not exist', async () => {
    await expect(limiterOf({ points: 1, seconds: 1 }).consume('gone', 'a')).rejects.toThrow('no tier');
  });
});
