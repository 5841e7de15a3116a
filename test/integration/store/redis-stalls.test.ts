import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createRedis, type RedisConnection } from '../../../src/store/redis/redis.ts';
import type { RedisProfile } from '../../../src/store/redis/redis-profile.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { startRedisCluster } from '../../support/redis/cluster.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';

const COMMAND_MS = 100;
const lines: string[] = [];
const note = (_fields: object, message: string) => void lines.push(message);
const log = { info: note, warn: note };
const times = { commandTimeoutMs: COMMAND_MS, connectTimeoutMs: 5_000 };

const server = startForAll(startRedis);
afterEach(() => {
  lines.splice(0);
});

async function open(place: RedisProfile = { url: server.url, ...times }): Promise<RedisConnection> {
  const redis = endAfterTest(createRedis(place, log));
  expect(await redis.untilReady(30_000)).toBe(true);
  return redis;
}

/** Stops this process in the middle of whatever it does: nothing is written or read meanwhile. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
const turn = () => new Promise<void>((done) => setImmediate(done));

/** When this process comes to a halt: the turns of the event loop since the commands were given. */
const moments: readonly [string, number][] = [
  ['before they have left', 0],
  ['once they have left', 1],
  ['while they are answered', 2],
];
// Longer than commands may take; and than a connection may be silent before it is dropped.
const halts = moments.flatMap(([when, turns]) =>
  [2 * COMMAND_MS, 1_500].map((ms) => [when, turns, ms] as const),
);

describe('a halt of this process is not taken for one of Redis', () => {
  it.each(halts)('%s (%i turns), of %i ms', async (_when, turns, ms) => {
    const redis = await open();
    const asked = ['a', 'b', 'c'].map((name) => redis.client.get(name));
    for (let at = 0; at < turns; at += 1) await turn();
    stall(ms);
    expect(await Promise.all(asked)).toEqual([null, null, null]);
    expect([redis.isReady(), lines]).toEqual([true, []]);
  });

  it('however often it comes', async () => {
    const redis = await open();
    const asked: Promise<unknown>[] = [];
    for (let at = 0; at < 20; at += 1) {
      asked.push(redis.client.incr('n'));
      stall(2 * COMMAND_MS);
      await turn();
    }
    expect(await Promise.all(asked)).toEqual(asked.map((_, at) => at + 1));
    expect([redis.isReady(), lines]).toEqual([true, []]);
  });

  it('in a cluster', async () => {
    const cluster = endAfterTest(await startRedisCluster());
    const nodes = cluster.nodes.map((node) => {
      const at = node.lastIndexOf(':');
      return { host: node.slice(0, at), port: Number(node.slice(at + 1)) };
    });
    const redis = await open({ cluster: nodes, access: {}, ...times });
    const asked = Array.from({ length: 12 }, (_, at) => redis.client.get(`key ${at}`));
    stall(1_500);
    expect(await Promise.all(asked)).toEqual(asked.map(() => null));
    expect(lines.filter((line) => line.includes('out of reach'))).toEqual([]);
  });
});

describe('a command that Redis answers too slowly', () => {
  it('fails alone, and the connection is kept', async () => {
    let tooSlow = false;
    const sockets = new Set<Socket>();
    const slow = endAfterTest(
      createServer((near) => {
        const far = connect(server.port, '127.0.0.1');
        for (const socket of [near, far]) sockets.add(socket.on('error', () => near.destroy()));
        near.pipe(far);
        far.on('data', (answered: Buffer) => near.write(tooSlow ? 'x' : answered));
      }).listen(0, '127.0.0.1'),
    );
    await once(slow, 'listening');
    const redis = await open({ ...times, url: `redis://127.0.0.1:${(slow.address() as AddressInfo).port}` });
    // Behind whatever is asked of a new connection.
    await redis.client.ping();
    await turn();
    tooSlow = true;
    const [first] = sockets;
    first?.write('$1000\r\n');
    const trickle = setInterval(() => first?.write('x'), COMMAND_MS / 10);
    await expect(redis.client.get('a')).rejects.toThrow('Redis has not answered in time');
    expect([redis.isReady(), lines]).toEqual([true, []]);
    clearInterval(trickle);
    for (const socket of sockets) socket.destroy();
  });
});
