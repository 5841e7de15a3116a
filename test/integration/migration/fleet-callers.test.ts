import { Redis } from 'ioredis';
import { createBuckets, NO_BUCKET } from '../../../src/migration/routing/bucket.ts';
import { createFleetCallers } from '../../../src/migration/routing/fleet-callers.ts';
import { previewShare } from '../../../src/migration/routing/ramp-preview.ts';
import type { RecentCallers } from '../../../src/migration/routing/recent-callers.ts';
import { callerOf } from '../../support/migration/origin-stage.ts';
import { createCall } from '../../support/pipeline/call.ts';
import { useRedis } from '../../support/redis/redis-server.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const redis = useRedis();
const bucketOf = createBuckets({ salt: 'u-7f3a', resource: 'users' });
const NOBODY = { allow: [], deny: [] };
const HOUR_MS = 3_600_000;
let round = 0;

/** The callers as so many processes of a fleet count them. */
async function open(processes: number) {
  const client = endAfterTest(new Redis(redis.url));
  await client.ping();
  round += 1;
  const prefix = `${redis.prefix}${round}:`;
  const clock = createManualClock();
  const keyOf = (part: string) => `${prefix}{migration}:${part}`;
  let lost = 0;
  const callBuffer = async (...args: [string, ...(string | number | Buffer)[]]) => {
    const reply = await client.callBuffer(...args);
    if (lost-- > 0) throw new Error('no answer came');
    return reply;
  };
  const scripted = { callBuffer, hgetall: client.hgetall.bind(client) } as unknown as Redis;
  const all = Array.from({ length: processes }, () => {
    const deps = { client: scripted, keyOf, now: () => clock.now(), secret: 'of the test' };
    return endAfterTest(createFleetCallers('users:crm:people', deps));
  });
  return {
    ...{ client, prefix, clock, all },
    loseAnswers: (count: number) => void (lost = count),
    /** Writes what each process has counted, as each does every two seconds. */
    flush: () => Promise.all(all.map((callers) => callers.list([]))),
  };
}

function count(callers: RecentCallers, id: string, calls = 1): void {
  for (let call = 0; call < calls; call += 1)
    callers.count(bucketOf(`key:${id}`), createCall({ principal: callerOf(id) }));
}

describe('the callers of a fleet', () => {
  test('are told over all processes, so that a preview states the share of all calls', async () => {
    const fleet = await open(4);
    const ids = Array.from({ length: 50 }, (_, i) => `caller${i}`);
    // Each process has other callers: none of the four knows the traffic.
    for (const [i, id] of ids.entries()) count(fleet.all[i % 4]!, id, Math.round(1_000 / (i + 1)));
    await fleet.flush();
    const total = ids.reduce((sum, _, i) => sum + Math.round(1_000 / (i + 1)), 0);
    for (const percent of [5, 10, 25, 50]) {
      const isIn = (id: string) => bucketOf(`key:${id}`) < (percent / 100) * 2 ** 32;
      const reached = ids.reduce((sum, id, i) => sum + (isIn(id) ? Math.round(1_000 / (i + 1)) : 0), 0);
      for (const callers of fleet.all) {
        const preview = previewShare(await callers.list([]), percent, NOBODY);
        expect(preview.callers).toBe(50);
        expect(Math.abs(preview.callsPercent - (100 * reached) / total)).toBeLessThan(0.01);
      }
    }
  });

  test('are no names in Redis: a process tells its own callers and those of the lists by name', async () => {
    const fleet = await open(2);
    const [one, other] = [fleet.all[0]!, fleet.all[1]!];
    count(one, 'bigbank01', 3);
    count(other, 'ana');
    await fleet.flush();
    const texts = await Promise.all(
      (await fleet.client.keys(`${fleet.prefix}*`)).map(async (key) =>
        (await fleet.client.type(key)) === 'hash' ? JSON.stringify(await fleet.client.hgetall(key)) : key,
      ),
    );
    expect(texts.join()).not.toMatch(/bigbank|ana/);
    const names = async (named: readonly string[]) => (await other.list(named)).map(({ id }) => id).sort();
    expect(await names([])).toEqual(['ana', expect.stringMatching(/^h:.{6}$/)]);
    expect(await names(['bigbank01'])).toEqual(['ana', 'bigbank01']);
  });

  test('count once where a write is sent again because no answer came, and not after an hour', async () => {
    const fleet = await open(1);
    const [callers] = fleet.all;
    count(callers!, 'ana', 2);
    fleet.loseAnswers(1);
    await expect(callers!.list([])).rejects.toThrow('no answer came');
    count(callers!, 'ana');
    await callers!.list([]);
    expect(await callers!.list([])).toEqual([expect.objectContaining({ id: 'ana', calls: 3 })]);
    fleet.clock.advance(HOUR_MS);
    expect(await callers!.list([])).toEqual([]);
  });

  test('are bounded: beyond 10,000 callers their shares alone are told apart, and no call is lost', async () => {
    const fleet = await open(2);
    for (let id = 0; id < 24_000; id += 1) count(fleet.all[id % 2]!, `caller${id}`);
    fleet.all[0]!.count(NO_BUCKET, createCall());
    await fleet.flush();
    const listed = await fleet.all[0]!.list([]);
    expect(listed.reduce((sum, { calls }) => sum + calls, 0)).toBe(24_001);
    expect(listed.filter(({ id }) => id !== undefined).length).toBeLessThanOrEqual(10_000);
    for (const percent of [0.01, 5, 50, 100]) {
      const reached = Array.from({ length: 24_000 }, (_, id) => bucketOf(`key:caller${id}`)).filter(
        (bucket) => bucket < (percent / 100) * 2 ** 32,
      );
      const told = previewShare(listed, percent, NOBODY).callsPercent;
      expect(Math.abs(told - (100 * reached.length) / 24_001)).toBeLessThan(0.01);
    }
  });

  test('are put together in turns, so that requests are served meanwhile', async () => {
    const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`${i}:${i}digest`, '3']));
    const client = { callBuffer: () => Promise.resolve(null), hgetall: () => Promise.resolve(fields) };
    const deps = { client: client as unknown as Redis, keyOf: String, now: Date.now, secret: 'of the test' };
    const callers = endAfterTest(createFleetCallers('users:crm:people', deps));
    let isListed = false;
    let turns = 0;
    const countTurns = (): void => {
      turns += 1;
      if (!isListed) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    expect(await callers.list([])).toHaveLength(10_000);
    isListed = true;
    // Twelve slices of five minutes, each with so many callers.
    expect(turns).toBeGreaterThanOrEqual(12);
  });
});
