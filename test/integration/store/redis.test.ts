import { eventually } from '../../support/time/eventually.ts';
import { startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { inspect } from 'node:util';
import { createRedis, plainRedisError, type RedisConnection } from '../../../src/store/redis/redis.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { PATIENCE_MS, patientTimes } from '../../support/gateway/generous-timeouts.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

/** Where Redis does not answer; the times are long where it does, so that a busy machine is not taken for that. */
const hasty = { commandTimeoutMs: 200, connectTimeoutMs: 500 };

function open(url: string, times: typeof hasty = patientTimes) {
  const lines: string[] = [];
  const note = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const redis = endAfterTest(createRedis({ url, ...times }, { info: note, warn: note }));
  return { redis, lines };
}

/** Resolves when the connection is lost; ioredis tells of an error before that. */
function closed({ client }: RedisConnection): Promise<void> {
  return new Promise((resolve) => client.once('close', resolve));
}

/** A server that is no Redis: it answers whatever it receives with `bytes`. */
const startFakeServer = (bytes: string) => startUpstream((socket) => socket.write(bytes));

describe('the connection to Redis', () => {
  it('fails a command at once while there is no Redis', async () => {
    const server = await startRedis();
    await server.stop();
    const { redis } = open(server.url);
    // At once: it is not sent, and so does not wait for its timeout.
    await expect(redis.client.get('a')).rejects.toThrow("Stream isn't writeable");
    expect(redis.isReady()).toBe(false);
  });

  it('fails the command under way when Redis is killed, and never sends it again', async () => {
    const server = endAfterTest(await startRedis());
    const { redis } = open(server.url);
    await redis.untilReady(PATIENCE_MS);
    const waiting = redis.client.blpop('nothing', 30);
    await server.kill();
    await expect(waiting).rejects.toThrow();
    await server.restart();
    expect(await redis.untilReady(PATIENCE_MS)).toBe(true);
    expect(await redis.client.get('a')).toBeNull();
  });

  it('fails a command within the command timeout while Redis hangs, and every other one with it and at once', async () => {
    const server = endAfterTest(await startRedis());
    const { redis, lines } = open(server.url, hasty);
    await redis.untilReady(PATIENCE_MS);
    await server.pause();
    const together = [redis.client.get('a'), redis.client.incr('b')];
    void Promise.allSettled(together);
    // On a busy machine the timeout of a single command may be noticed first.
    for (const command of together)
      await expect(command).rejects.toThrow(/Redis does not answer|Command timed out/);
    await eventually(() => !redis.isReady());
    // At once: it is not sent, be it that the connection is dropped by now.
    await expect(redis.client.get('a')).rejects.toThrow(/Redis does not answer|Stream isn't writeable/);
    server.resume();
    expect(await redis.untilReady(PATIENCE_MS)).toBe(true);
    expect(lines[0]).toContain('Redis is out of reach');
    expect(lines.at(-1)).toContain('Redis is back');
  });

  it('drops a connection after a second of silence, and opens another', async () => {
    const server = endAfterTest(await startRedis());
    const { redis } = open(server.url, hasty);
    await redis.untilReady(PATIENCE_MS);
    await server.pause();
    await closed(redis);
    await expect(redis.client.get('a')).rejects.toThrow("Stream isn't writeable");
    server.resume();
    expect(await redis.untilReady(PATIENCE_MS)).toBe(true);
  });

  it('notices without traffic that Redis hangs, and that it answers again', async () => {
    const server = endAfterTest(await startRedis());
    const { redis } = open(server.url, hasty);
    await redis.untilReady(PATIENCE_MS);
    await server.pause();
    await eventually(() => !redis.isReady());
    server.resume();
    expect(await redis.untilReady(PATIENCE_MS)).toBe(true);
  });

  it('is not ready while Redis refuses to serve, and says so once', async () => {
    const server = endAfterTest(await startRedis('--replica-serve-stale-data', 'no'));
    const { redis, lines } = open(server.url);
    await redis.untilReady(PATIENCE_MS);
    await redis.client.replicaof('127.0.0.1', 1);
    await eventually(() => !redis.isReady());
    await redis.client.replicaof('NO', 'ONE').catch(() => undefined);
    const other = endAfterTest(open(server.url).redis);
    await other.untilReady(PATIENCE_MS);
    await other.client.replicaof('NO', 'ONE');
    expect(await redis.untilReady(PATIENCE_MS)).toBe(true);
    expect(lines.filter((line) => line.includes('out of reach')).length).toBeLessThanOrEqual(2);
  });

  it('connects anew when the server has become a replica: a failover has happened', async () => {
    const server = endAfterTest(await startRedis());
    const { redis, lines } = open(server.url);
    await redis.untilReady(PATIENCE_MS);
    await redis.client.replicaof('127.0.0.1', 1);
    const lost = closed(redis);
    await expect(redis.client.set('a', '1')).rejects.toThrow('READONLY');
    await lost;
    expect(await redis.untilReady(PATIENCE_MS)).toBe(true);
    expect(lines.filter((line) => line.includes('out of reach'))).toHaveLength(1);
  });

  it('does not connect anew for every command while the server stays a replica', async () => {
    const server = endAfterTest(await startRedis());
    const { redis, lines } = open(server.url);
    await redis.untilReady(PATIENCE_MS);
    await redis.client.replicaof('127.0.0.1', 1);
    const lost = closed(redis);
    await expect(redis.client.set('a', '1')).rejects.toThrow('READONLY');
    await lost;
    expect(await redis.untilReady(PATIENCE_MS)).toBe(true);
    for (let round = 0; round < 20; round += 1) {
      await expect(redis.client.set('a', '1')).rejects.toThrow('READONLY');
      expect(redis.isReady()).toBe(true);
    }
    expect(lines.filter((line) => line.includes('out of reach'))).toHaveLength(1);
  });

  it.each([
    ['an HTTP server', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['noise', '\0\x01\x02garbage\r\n'],
    ['a server that is loading', '-LOADING Redis is loading the dataset in memory\r\n'],
    ['a cut-off answer', '$1000\r\nabc'],
    ['deep nesting', '*1\r\n'.repeat(20_000)],
  ])('is never ready with %s, and warns once', async (_, bytes) => {
    const fakeServer = await startFakeServer(bytes);
    const { redis, lines } = open(`redis://127.0.0.1:${fakeServer.port}`, hasty);
    await eventually(() => lines.length > 0);
    expect(await redis.untilReady(200)).toBe(false);
    await expect(redis.client.get('a')).rejects.toThrow();
    await redis.close();
    await fakeServer.close();
    expect(lines).toHaveLength(1);
  });

  it.each([
    ['allkeys-lru', '64mb', 1],
    ['volatile-lru', '64mb', 0],
    ['noeviction', '64mb', 0],
    ['allkeys-lfu', '0', 0],
  ])('warns where Redis may evict API keys: %s within %s', async (policy, bound, warnings) => {
    const server = endAfterTest(await startRedis('--maxmemory-policy', policy, '--maxmemory', bound));
    const { redis, lines } = open(server.url);
    await redis.untilReady(PATIENCE_MS);
    // Answered behind what was asked as soon as the connection stood.
    await redis.client.ping();
    await new Promise(setImmediate);
    expect(lines.filter((line) => line.includes(`maxmemory-policy is ${policy}`))).toHaveLength(warnings);
  });

  it('is silent about an end that was asked for, and may be closed twice', async () => {
    const server = endAfterTest(await startRedis());
    const { redis, lines } = open(server.url);
    await redis.untilReady(PATIENCE_MS);
    await redis.close();
    await redis.close();
    expect(lines).toEqual([]);
  });

  it('hands out errors without the arguments of the command', async () => {
    const server = endAfterTest(await startRedis());
    const { redis } = open(server.url);
    await redis.untilReady(PATIENCE_MS);
    const error: unknown = await redis.client
      .call('set', 'a', '1', 'canary')
      .catch((thrown: unknown) => thrown);
    expect(inspect(error)).toContain('canary');
    expect(inspect(plainRedisError(error), { showHidden: true })).not.toContain('canary');
    expect(plainRedisError(error).message).toMatch(/^ERR/);
  });
});
