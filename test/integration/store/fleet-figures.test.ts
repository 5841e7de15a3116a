import { createFleetFigures } from '../../../src/store/fleet/fleet-figures.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { connectRedis } from '../../support/redis/connect-redis.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const MINUTE_MS = 60_000;
const NOW = 1_700_000_040_000;
const keys = createRedisKeys('portico:');

const server = startForAll(startRedis);
const redis = startForAll(() => connectRedis(server.url));
beforeEach(() => redis.client.flushall());

const open = (gateway: string) => createFleetFigures({ client: redis.client, keys, gateway });
const read = (fromMs: number, stepMs: number, prefixes: readonly string[] = ['calls|']) =>
  open('reader').read({ fromMs, toMs: NOW, stepMs }, prefixes, AbortSignal.timeout(10_000));

describe('the figures of a fleet', () => {
  it('are the sums of what all gateways wrote, by minute and by step', async () => {
    const [one, other] = [open('one'), open('other')];
    await one.write(NOW - 2 * MINUTE_MS, new Map([['calls|crm|2xx', 5]]));
    await other.write(NOW - 2 * MINUTE_MS, new Map([['calls|crm|2xx', 7]]));
    await one.write(NOW, new Map([['calls|crm|5xx', 1]]));
    await one.write(NOW - MINUTE_MS, new Map());
    const minutes = await read(NOW - 3 * MINUTE_MS, MINUTE_MS);
    expect(minutes.isCounted).toEqual([false, true, true, true]);
    expect(Object.fromEntries(minutes.columns)).toEqual({
      'calls|crm|2xx': [0, 12, 0, 0],
      'calls|crm|5xx': [0, 0, 0, 1],
    });
    const [first, second] =
      (await read(NOW - 3 * MINUTE_MS, 2 * MINUTE_MS)).columns.get('calls|crm|2xx') ?? [];
    expect((first ?? 0) + (second ?? 0)).toBe(12);
  });

  it('hold only what is asked for', async () => {
    await open('one').write(
      NOW,
      new Map([
        ['calls|crm|2xx', 5],
        ['fields|crm|users.email|missing', 2],
      ]),
    );
    expect([...(await read(NOW, MINUTE_MS, ['fields|'])).columns.keys()]).toEqual([
      'fields|crm|users.email|missing',
    ]);
  });

  it('take one key for each minute, which Redis forgets after 48 hours', async () => {
    await Promise.all(
      [1, 2, 3].map((at) => open(`gateway-${at}`).write(NOW, new Map([['calls|crm|2xx', at]]))),
    );
    expect(await redis.client.keys('*')).toEqual([keys.figures(NOW / MINUTE_MS)]);
    const leftMs = await redis.client.pttl(keys.figures(NOW / MINUTE_MS));
    expect(leftMs).toBeGreaterThan(47 * 3_600_000);
    expect(leftMs).toBeLessThanOrEqual(48 * 3_600_000);
  });

  it('stay bounded, however many gateways start again and again', async () => {
    const key = keys.figures(NOW / MINUTE_MS);
    for (let at = 0; at < 505; at += 1) await open(`gateway-${at}`).write(NOW, new Map());
    expect(await redis.client.hlen(key)).toBe(500);
  });

  it('leave out what nobody packed, and take the place of a key of another type', async () => {
    const key = keys.figures(NOW / MINUTE_MS);
    await redis.client.hset(key, 'attacker', 'calls|crm|2xx 99');
    await open('one').write(NOW, new Map([['calls|crm|2xx', 5]]));
    expect((await read(NOW, MINUTE_MS)).columns.get('calls|crm|2xx')).toEqual([5]);
    await redis.client.set(key, 'a text');
    await open('one').write(NOW, new Map([['calls|crm|2xx', 6]]));
    expect((await read(NOW, MINUTE_MS)).columns.get('calls|crm|2xx')).toEqual([6]);
  });

  it('of 48 hours are read in chunks, and the reading ends with its signal', async () => {
    const table = await read(NOW - 48 * 3_600_000 + MINUTE_MS, MINUTE_MS);
    expect([table.at.length, table.isCounted.includes(true)]).toEqual([2_880, false]);
    await open('one').write(NOW, new Map([['calls|crm|2xx', 5]]));
    const aborted = AbortSignal.abort(new Error('too late'));
    const range = { fromMs: NOW, toMs: NOW, stepMs: MINUTE_MS };
    await expect(open('one').read(range, ['calls|'], aborted)).rejects.toThrow('too late');
  });

  it('are not written again and again by a gateway that has no right to', async () => {
    await redis.client.acl('SETUSER', 'default', '-hset');
    const one = open('one');
    await expect(one.write(NOW, new Map())).rejects.toThrow(/NOPERM|can't run|ACL/);
    await one.write(NOW, new Map());
    await redis.client.acl('SETUSER', 'default', '+hset');
  });
});
