import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createRedisEntries } from '../../../src/store/cache/redis-entries.ts';
import { startStack } from '../../support/gateway/stack.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { eventually } from '../../support/time/eventually.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { crmList } from '../../support/upstream/scripts.ts';
import { connectRedis } from '../../support/redis/connect-redis.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';

// Others forget the scripts of the one that files share.
const PREFIX = 'round-trips:';

const redis = startForAll(startRedis);

/**
 * What a miss asks Redis for, by a part of the key. All else is asked in the background (PING, purges, figures), and for
 * the limit once in a while: tokens are taken in advance, and what is left of them is returned.
 */
const KINDS = ['cache', 'api-key'] as const;

/** The kinds of the commands in some bytes that a client has written, in order. */
function kindsOf(bytes: Buffer): readonly string[] {
  const commands = bytes.toString('latin1').split(/\*\d+\r\n(?=\$)/);
  return commands.flatMap((command) => KINDS.filter((kind) => command.includes(`:${kind}:`)));
}

/** A way to the Redis of this file that tells `onWrite` what arrives in one piece. */
async function startWatchedWay(onWrite: (kinds: readonly string[]) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(Number(new URL(redis.url).port), '127.0.0.1');
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.setNoDelay().on('error', () => socket.destroy());
    }
    client.on('data', (bytes) => {
      const kinds = kindsOf(bytes);
      if (kinds.length > 0) onWrite(kinds);
      target.write(bytes);
    });
    target.pipe(client);
    client.on('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('Redis on a miss', () => {
  it('is asked in one round trip before the call and one after it', async () => {
    const events: string[] = [];
    const way = endAfterTest(await startWatchedWay((kinds) => events.push(kinds.join('+'))));
    const upstream = endAfterTest(
      await startUpstream(
        serving((request) => {
          events.push('call');
          return crmList(request, 'Ada');
        }),
      ),
    );
    const shared = { url: way.url, prefix: PREFIX };
    const stack = endAfterTest(await startStack({ redis: shared, upstream: upstream.origin }));
    const miss = async (limit: number) => {
      events.length = 0;
      expect((await stack.get(`/v1/users?limit=${limit}`)).status).toBe(200);
      return eventually(() => events.at(-1) !== 'call' && events.includes('call') && [...events]);
    };
    // The first one teaches Redis the scripts: its last command may come only while the second one is asked for.
    await miss(4);
    await miss(5);
    for (let limit = 6; limit < 12; limit += 1) {
      const found = await miss(limit);
      expect(found).toEqual(['cache', 'call', 'cache']);
    }
  });

  it('is asked in one write for all that is missed in one turn of the event loop, and told so, too', async () => {
    const writes: string[] = [];
    const way = endAfterTest(await startWatchedWay((kinds) => writes.push(kinds.join('+'))));
    const connection = endAfterTest(await connectRedis(way.url));
    const keyOf = (answer: string, part: string) => `${PREFIX}cache:{${answer}}:${part}`;
    const entries = createRedisEntries({ client: connection.client, keyOf });
    await entries.getOrLock('taught', 'look');
    const keys = Array.from({ length: 10 }, (_, index) => `answer ${index}`);
    writes.length = 0;
    const found = await Promise.all(keys.map((key) => entries.getOrLock(key, 'look')));
    expect(writes).toEqual([keys.map(() => 'cache').join('+')]);
    const locks = found.flatMap(({ lock }) => lock ?? []);
    expect(locks).toHaveLength(keys.length);
    await Promise.all(locks.map((lock) => lock.release()));
  });
});
