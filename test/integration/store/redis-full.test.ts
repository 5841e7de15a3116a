import { createRedis } from '../../../src/store/redis/redis.ts';
import { PATIENCE_MS, patientTimes } from '../../support/gateway/generous-timeouts.ts';
import { type RedisServer, startRedis } from '../../support/redis/redis-server.ts';
import { eventually } from '../../support/time/eventually.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

let server: RedisServer;
let redis: ReturnType<typeof createRedis>;
let lines: string[];

async function open(...args: readonly string[]): Promise<void> {
  server = endAfterTest(await startRedis(...args));
  lines = [];
  const note = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  redis = endAfterTest(createRedis({ url: server.url, ...patientTimes }, { info: note, warn: note }));
  await redis.untilReady(PATIENCE_MS);
}

const stateIs = (state: string) =>
  eventually(() => redis.health().state === state, { withinMs: PATIENCE_MS });

describe('a Redis that takes no writes', () => {
  it('is seen to be full although nobody writes, and to have room again, in one line of the log each', async () => {
    await open('--maxmemory-policy', 'noeviction');
    expect(redis.health()).toEqual({ state: 'ready' });
    await redis.client.config('SET', 'maxmemory', '800kb');
    await stateIs('full');
    expect(redis.health()).toMatchObject({
      detail: expect.stringMatching(/^\d\.\d MiB of 0\.8 MiB are used.* noeviction; .*raise its maxmemory/),
    });
    expect(redis.isReady()).toBe(true);
    await redis.client.config('SET', 'maxmemory', '0');
    await stateIs('ready');
    expect(lines.map((line) => line.replace(/ \{.*/, ''))).toEqual([
      'Redis is full',
      'Redis takes what is written again',
    ]);
    expect(lines[0]).toContain('"hint":"Redis is full and may evict nothing');
  });

  it('is seen at the first write that it refuses, whatever its policy', async () => {
    await open('--maxmemory', '1', '--maxmemory-policy', 'volatile-lru');
    await expect(redis.client.set('a', '1')).rejects.toThrow('OOM');
    expect(redis.health().state).toBe('full');
  });

  it('is seen where it is a replica, or its user lacks a right', async () => {
    await open();
    await redis.client.acl('SETUSER', 'default', '-set');
    await expect(redis.client.set('a', '1')).rejects.toThrow('NOPERM');
    expect(redis.health()).toMatchObject({
      state: 'refusing',
      detail: expect.stringContaining('has the rights of each role'),
    });
  });

  it('is not taken for one that refuses where its user may not ask for its memory', async () => {
    await open();
    await redis.client.acl('SETUSER', 'default', '-info');
    await expect(redis.client.info()).rejects.toThrow('NOPERM');
    expect(redis.health()).toEqual({ state: 'ready' });
  });
});
