import { Redis } from 'ioredis';
import { createFleetTurns, type FleetTurns } from '../../../src/store/fleet/fleet-turns.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { eventually } from '../../support/time/eventually.ts';
import { useRedis } from '../../support/redis/redis-server.ts';

const redis = useRedis();
const clients: Redis[] = [];

/** The turns of one more process. */
function open(url = redis.url): FleetTurns {
  const client = new Redis(url, { maxRetriesPerRequest: 0, enableOfflineQueue: false, lazyConnect: true });
  client.on('error', () => undefined);
  clients.push(client);
  return createFleetTurns({ client, keys: createRedisKeys(redis.prefix) });
}

afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});

describe('turns to look at a source', () => {
  it('go to one of ten processes, and to nobody else until the time is over', async () => {
    const processes = Array.from({ length: 10 }, () => open());
    await Promise.all(clients.map((client) => client.connect()));
    const take = async () => {
      const taken = await Promise.all(processes.map((one) => one.take('users', 300)));
      return taken.filter(Boolean).length || undefined;
    };
    expect(await take()).toBe(1);
    expect(await take()).toBeUndefined();
    expect(await eventually(take)).toBe(1);
  });

  it('are taken for each name apart', async () => {
    const turns = open();
    await clients[0]?.connect();
    expect([await turns.take('users', 5_000), await turns.take('products', 5_000)]).toEqual([true, true]);
  });

  it('are taken by each process for itself where Redis does not answer', async () => {
    const [one, other] = [open('redis://127.0.0.1:1'), open('redis://127.0.0.1:1')];
    expect([await one.take('users', 5_000), await one.take('users', 5_000)]).toEqual([true, false]);
    expect(await other.take('users', 5_000)).toBe(true);
  });
});
