import { createCallerCounts, mergeCallers, topCallers } from '../../../src/telemetry/caller-counts.ts';

const clock = { now: () => 1_000 };

function counted(ids: readonly string[], callersMax = 500) {
  const counts = createCallerCounts(clock, callersMax);
  for (const principalId of ids) counts.count({ principalId }, 200);
  return counts.snapshot();
}

const times = (count: number, id: string) => Array.from({ length: count }, () => id);

describe('the callers of a process', () => {
  it('are counted by what became of their requests', () => {
    const counts = createCallerCounts(clock);
    const caller = { principalId: 'a', principalLabel: 'billing' };
    for (const status of [200, 304, 400, 429, 429, 499, 500, 503]) counts.count(caller, status);
    counts.count({ principalId: undefined }, 401);
    expect(counts.snapshot().callers).toMatchObject([
      {
        id: 'a',
        label: 'billing',
        requests: 8,
        clientErrors: 4,
        serverErrors: 2,
        limited: 2,
        missedMax: 0,
        lastAt: 1_000,
      },
    ]);
  });

  it('that limits refuse are told since their first refusal, until a minute is well', () => {
    let now = 0;
    const counts = createCallerCounts({ now: () => now });
    const minute = (limited: number) => {
      for (let at = 0; at < 20; at += 1) {
        now += 3_000;
        counts.count({ principalId: 'a' }, at < limited ? 429 : 200);
      }
      return counts.refused().flatMap(({ since, share }) => (share > 0 ? [since] : []));
    };
    expect(minute(0)).toEqual([]);
    expect(minute(10)).toEqual([63_000]);
    expect(minute(10)).toEqual([63_000]);
    expect(minute(1)).toEqual([]);
    expect(minute(10)).toEqual([243_000]);
  });

  it('that limits refuse are told within seconds, with the share of the last minute', () => {
    let now = 0;
    const counts = createCallerCounts({ now: () => now });
    const told = Array.from({ length: 26 }, (_, at) => {
      for (let one = 0; one < 30; one += 1)
        counts.count({ principalId: 'a' }, at === 3 || at > 6 ? 429 : 200);
      now += 5_000;
      return counts.refused().map(({ share }) => Math.round(share * 100));
    });
    expect([told[2], told[3], told[7], told[11], told[15], told[25]]).toEqual([
      [],
      [25],
      [25],
      [50],
      [75],
      [100],
    ]);
  });

  it('that limits refused are kept for eleven minutes after it, with all requests from the first refusal to the last', () => {
    let now = 0;
    const counts = createCallerCounts({ now: () => now });
    const seconds = (count: number, statuses: readonly number[]) => {
      for (let at = 0; at < count; at += 1) {
        for (const status of statuses) counts.count({ principalId: 'a' }, status);
        now += 1_000;
        if (at % 5 === 0) counts.refused();
      }
    };
    seconds(90, [200]);
    seconds(30, [429, 200, 429, 429]);
    seconds(100, [200]);
    expect(counts.refused()).toMatchObject([
      { id: 'a', since: 90_000, last: 119_000, limited: 90, requests: 120, share: 0 },
    ]);
    seconds(550, [200]);
    expect(counts.refused()).toHaveLength(1);
    seconds(20, [200]);
    expect(counts.refused()).toEqual([]);
  });

  it('never take more room than they may, and the busiest stay', () => {
    const others = Array.from({ length: 5_000 }, (_, at) => `other${at}`);
    const busy = others.flatMap((id) => ['busy', id]);
    const { callers, forgottenMax } = counted(busy, 20);
    expect(callers.length).toBeLessThanOrEqual(20);
    expect(callers.find(({ id }) => id === 'busy')).toMatchObject({ requests: 5_000, missedMax: 0 });
    expect(forgottenMax).toBeGreaterThan(0);
  });

  it('that come back are missing no more requests than they say', () => {
    const ids = [...times(3, 'a'), ...times(5, 'b'), ...times(6, 'c'), ...times(7, 'd'), 'e', 'a', 'a'];
    const { callers } = counted(ids, 4);
    const { requests = 0, missedMax = 0 } = callers.find(({ id }) => id === 'a') ?? {};
    expect([requests, requests + missedMax >= 5]).toEqual([2, true]);
  });

  it('are those of all processes where there are several', () => {
    const one = { ...counted([...times(3, 'a'), 'b']), forgottenMax: 2, since: 5 };
    const other = { ...counted([...times(4, 'a'), ...times(2, 'c')]), since: 9 };
    const merged = mergeCallers([one, other]);
    expect(merged).toMatchObject({ since: 5, forgottenMax: 2 });
    expect(topCallers(merged, 2)).toMatchObject([
      { id: 'a', requests: 7, missedMax: 0 },
      { id: 'c', requests: 2, missedMax: 2 },
    ]);
  });

  it('keep what they were last told of their limits, and anonymous ones keep nothing', () => {
    const counts = createCallerCounts(clock);
    const windows = [{ points: 9, seconds: 1, remaining: 3, resetSeconds: 1 }];
    const told = { limitTier: 'standard', limitWindows: windows };
    counts.count({ principalId: 'a', ...told }, 200);
    counts.count({ principalId: 'anonymous', ...told }, 200);
    const [own, anonymous] = counts.snapshot().callers;
    expect(own).toMatchObject({ tier: 'standard', windows });
    expect(anonymous).toMatchObject({ tier: undefined, windows: undefined });
  });
});
