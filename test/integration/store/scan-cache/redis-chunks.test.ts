import fc from 'fast-check';
import { Redis } from 'ioredis';
import { readChunks, writeChunks } from '../../../../src/store/scan-cache/redis-chunks.ts';
import { useRedis } from '../../../support/redis/redis-server.ts';

const shared = useRedis();
let client: Redis;
beforeEach(() => {
  client = new Redis(shared.url);
});
afterEach(async () => {
  await client.quit();
});

const { signal } = new AbortController();
const member = (index: number) => [`prod_${index}`, 'ä'.repeat(index % 7), null];
const write = (key: string, count: number, ms = 30_000) =>
  writeChunks(client, key, { count, textOf: (index) => JSON.stringify(member(index)) }, ms, signal);

describe('a list in Redis', () => {
  it('gives the members at any indexes, in their order, and needs no chunk of others', async () => {
    const key = `${shared.prefix}list`;
    await write(key, 100);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(99), { maxLength: 20 }), async (indexes) => {
        expect(await readChunks(client, key, indexes)).toEqual(indexes.map(member));
      }),
      { numRuns: 50 },
    );
    expect(await readChunks(client, key, [100])).toBeUndefined();
    await client.hdel(key, '1');
    expect(await readChunks(client, key, [0, 50])).toEqual([member(0), member(50)]);
    expect(await readChunks(client, key, [0, 8])).toBeUndefined();
  });

  it('is written in batches, and expires even if it is lost between two of them', async () => {
    const key = `${shared.prefix}long`;
    let lost: Promise<number> | undefined;
    const textOf = (index: number) => {
      if (index === 1_500) lost = client.del(key);
      return JSON.stringify('x'.repeat(1_000));
    };
    await writeChunks(client, key, { count: 2_000, textOf }, 30_000, signal);
    await lost;
    expect(await client.hlen(key)).toBeLessThan(250);
    expect(await readChunks(client, key, [0])).toBeUndefined();
    expect(await client.pttl(key)).toBeGreaterThan(0);
  });

  it('is read as absent if any bit of a chunk is changed, or the chunk is one of another place or list', async () => {
    const [key, other] = [`${shared.prefix}list`, `${shared.prefix}other`];
    await write(key, 16);
    await write(other, 16);
    const whole = (await client.hgetBuffer(key, '0'))!;
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = damaged[at]! ^ (1 << (at & 7));
      await client.hset(key, '0', damaged);
      expect(await readChunks(client, key, [3])).toBeUndefined();
    }
    for (const foreign of [await client.hgetBuffer(key, '1'), await client.hgetBuffer(other, '0')]) {
      await client.hset(key, '0', foreign!);
      expect(await readChunks(client, key, [3])).toBeUndefined();
    }
    await client.hset(key, '0', whole);
    expect(await readChunks(client, key, [3])).toEqual([member(3)]);
  });
});
