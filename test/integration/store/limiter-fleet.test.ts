import type { Tier } from '../../../src/store/limiter/limiter.ts';
import { divideWindow } from '../../../src/store/limiter/sub-windows.ts';
import { type LimiterLog, runLimiterFleet } from '../../support/redis/limiter-fleet.ts';
import { useRedis } from '../../support/redis/redis-server.ts';

const open = 'open' as const;
const tiers: Readonly<Record<string, Tier>> = {
  tight: { windows: [{ points: 5, seconds: 1 }], onStoreFailure: open },
  two: {
    windows: [
      { points: 20, seconds: 1 },
      { points: 45, seconds: 3 },
    ],
    onStoreFailure: open,
  },
  // Large enough that points are set aside.
  wide: { windows: [{ points: 700, seconds: 2 }], onStoreFailure: open },
};
const MILLISECONDS = 6_000;
const seed = Number(process.env['LIMITER_SEED'] ?? 20_261_121);

/**
 * The first request with which an interval of a window's length begins that has more points than the window. When
 * between its beginning and its end a request was counted is not known, so it must be in the interval as a whole.
 */
function findExcess(
  admitted: readonly LimiterLog[],
  { points, seconds }: { points: number; seconds: number },
) {
  return admitted.find(({ asked: from }) => {
    const to = from + seconds * 1_000;
    return admitted.filter(({ asked, decided }) => asked >= from && decided < to).length > points;
  });
}

/** The refusals for which no window was full, not even with what it holds against the caller one part too long. */
function findEarly(logs: readonly LimiterLog[], { windows }: Tier) {
  const admitted = logs.filter(({ allowed }) => allowed);
  return logs.filter(
    (refused) =>
      !refused.allowed &&
      !windows.map(divideWindow).some(({ points, seconds, partMs }) => {
        const from = refused.asked - seconds * 1_000 - partMs - 2;
        const held = admitted.filter(({ asked, decided }) => decided > from && asked < refused.decided);
        return held.length >= points;
      }),
  );
}

describe(`four processes that share limits (LIMITER_SEED=${String(seed)})`, () => {
  const redis = useRedis();
  let logs: readonly LimiterLog[];

  beforeAll(async () => {
    const task = { url: redis.url, prefix: redis.prefix, tiers, seed, milliseconds: MILLISECONDS };
    logs = await runLimiterFleet(task, 4);
  });
  const of = (name: string) => logs.filter(({ tier }) => tier === name);

  it.each(Object.entries(tiers))(
    'never admit more in any interval than %s has points',
    (name, { windows }) => {
      const admitted = of(name).filter(({ allowed }) => allowed);
      expect(admitted.length).toBeGreaterThan(windows[0]!.points);
      for (const window of windows) expect(findExcess(admitted, window)).toBeUndefined();
    },
  );

  it.each(['tight', 'two'])('refuse no caller of %s more than one sub-window early', (name) => {
    const early = findEarly(of(name), tiers[name]!);
    expect(of(name).some(({ allowed }) => !allowed)).toBe(true);
    expect(early).toEqual([]);
  });

  it('decide together, always', () => {
    expect(new Set(logs.map(({ by }) => by))).toEqual(new Set(['redis']));
  });
});
