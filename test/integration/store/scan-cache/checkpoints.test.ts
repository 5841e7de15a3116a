import { Redis } from 'ioredis';
import {
  type Checkpoint,
  createCursorCheckpoints,
} from '../../../../src/store/scan-cache/cursor-checkpoints.ts';
import { createRedisKeys } from '../../../../src/store/redis/redis-keys.ts';
import { useRedis } from '../../../support/redis/redis-server.ts';
import { startForEach } from '../../../support/jest/lifetime.ts';

const shared = useRedis();
const client = startForEach(() => new Redis(shared.url));

const place = (offset: number): Checkpoint => ({
  offset,
  next: `cursor "${offset}"`,
  total: 95,
  storedAt: 1_767_225_600_000,
  firstId: 'prod_1',
  last: [`prod_${offset}`, null, 'ä', '1999e-2', 'Toys'],
});
const member = () =>
  createCursorCheckpoints({ redis: { client, keys: createRedisKeys(shared.prefix), scope: 'test' } });

describe('the checkpoints of a walk', () => {
  it('are shared by every process of a fleet, the farthest first', async () => {
    const first = member();
    for (const offset of [10, 20, 30]) await first.add('walk', place(offset), 30_000);
    expect(await member().farthest('walk', [10, 20])).toEqual(place(20));
    expect(await member().farthest('walk', [40, 30])).toEqual(place(30));
    expect(await member().farthest('walk', [40])).toBeUndefined();
    expect(await member().farthest('another', [10])).toBeUndefined();
  });

  it('are dropped by all processes at a purge, and expire in Redis', async () => {
    const first = member();
    await first.add('walk', place(10), 30_000);
    const [key = ''] = await client.keys(`${shared.prefix}*`);
    expect(await client.pttl(key)).toBeGreaterThan(0);
    await first.drop('walk');
    expect(await first.farthest('walk', [10])).toBeUndefined();
    expect(await member().farthest('walk', [10])).toBeUndefined();
  });

  it('are ignored when any byte of them is damaged', async () => {
    await member().add('walk', place(10), 30_000);
    const [key = ''] = await client.keys(`${shared.prefix}*`);
    const whole = (await client.hgetBuffer(key, '10'))!;
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = damaged[at]! ^ 1;
      await client.hset(key, '10', damaged);
      expect(await member().farthest('walk', [10])).toBeUndefined();
    }
    await client.hset(key, '20', whole);
    expect(await member().farthest('walk', [20])).toBeUndefined();
  });
});
