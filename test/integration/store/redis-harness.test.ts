import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis, useRedis } from '../../support/redis/redis-server.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

function connect(url: string): Redis {
  const client = new Redis(url, { retryStrategy: null, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  return client;
}

describe('the test harness for Redis', () => {
  const shared = useRedis();
  const prefixes = new Set<string>();

  it.each([1, 2])('gives test %i a prefix of its own on a Redis that answers', async () => {
    const client = endAfterTest(connect(shared.url));
    expect(await client.set(`${shared.prefix}a`, '1')).toBe('OK');
    expect(prefixes).not.toContain(shared.prefix);
    prefixes.add(shared.prefix);
  });

  it('hangs while paused and goes on when resumed', async () => {
    const server = endAfterTest(await startRedis());
    const client = endAfterTest(connect(server.url));
    await client.set('a', '1');
    await server.pause();
    let isAnswered = false;
    const asked = client.get('a').finally(() => (isAnswered = true));
    // Waiting is the proof: nothing tells when an answer does not come.
    await sleep(200);
    expect(isAnswered).toBe(false);
    server.resume();
    expect(await asked).toBe('1');
  });

  it('refuses connections when killed, and is empty on the same port when started again', async () => {
    const server = endAfterTest(await startRedis());
    const before = connect(server.url);
    await before.set('a', '1');
    await server.kill();
    await expect(connect(server.url).ping()).rejects.toThrow();
    await server.restart();
    const after = connect(server.url);
    expect(await after.get('a')).toBeNull();
    after.disconnect();
    // ioredis holds the process for two seconds when it is told to disconnect from what is gone already.
    expect(before.status).toBe('end');
  });
});
