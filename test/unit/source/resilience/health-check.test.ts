import { createHealthCheck } from '../../../../src/source/resilience/health-check.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

describe('the health probe', () => {
  it('is asked of a host once in the time that its verdict holds, also by calls at once', async () => {
    const clock = createManualClock();
    const asked: string[] = [];
    const check = createHealthCheck(
      (base) => Promise.resolve(asked.push(base) > 0),
      5_000,
      () => clock.monotonic(),
    );
    await Promise.all([check('a'), check('a'), check('b')]);
    clock.advance(4_999);
    expect(await check('a')).toMatchObject({ isHealthy: true });
    expect(asked).toEqual(['a', 'b']);
    clock.advance(1);
    await check('a');
    expect(asked).toEqual(['a', 'b', 'a']);
  });

  it('is asked again at once where it could not be asked', async () => {
    let asked = 0;
    const ask = () => Promise.resolve((asked += 1) === 1 ? undefined : false);
    const check = createHealthCheck(ask, 5_000, () => 0);
    expect(await check('a')).toBeUndefined();
    expect(await check('a')).toEqual({ isHealthy: false, askedMs: 0, endedMs: 0 });
  });

  it('is asked of a host one at a time, however long it takes', async () => {
    const clock = createManualClock();
    let asked = 0;
    let answer: (isHealthy: boolean) => void = () => undefined;
    const ask = () => new Promise<boolean>((resolve) => ((asked += 1), (answer = resolve)));
    const check = createHealthCheck(ask, 5_000, () => clock.monotonic());
    const first = check('a');
    clock.advance(60_000);
    const second = check('a', () => false);
    answer(true);
    const result = { isHealthy: true, askedMs: expect.any(Number), endedMs: clock.monotonic() };
    expect([await first, await second, asked]).toEqual([result, result, 1]);
  });
});
