import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { type RedisCluster, startRedisCluster } from '../../support/redis/cluster.ts';
import { startWatchedRedis, type WatchedRedis } from '../../support/redis/sentinel.ts';
import type { FaultBench } from '../harness/bench.ts';
import type { FaultGateway } from '../harness/gateway.ts';
import { measureHarm } from '../harness/harm/redis-harm.ts';
import type { BenchRow } from '../harness/row.ts';

const KEYS = 16;

/** A client of one server for the length of a piece of work. */
async function withClient<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  // A server that is killed drops its clients.
  client.on('error', () => undefined);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

async function untilMaster(bench: FaultBench, url: string): Promise<void> {
  await withClient(url, (client) =>
    bench.until(async () => (await client.info('replication')).includes('role:master'), 15_000, 10),
  );
}

/** Waits until a replica is promoted, and until its sentinels name it; how long that took them, milliseconds. */
async function untilNamed(bench: FaultBench, { name, sentinels, replica }: WatchedRedis): Promise<number> {
  await untilMaster(bench, replica.url);
  return withClient(`redis://${sentinels[0]!}`, (sentinel) =>
    bench.until(async () => {
      const named = await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name);
      return String(named).endsWith(`,${replica.port}`);
    }),
  );
}

function startBehindSentinels(
  bench: FaultBench,
  { name, sentinels }: WatchedRedis,
  keys: number,
): Promise<FaultGateway> {
  return bench.gateway({ config: { redis: { sentinel: { name, nodes: sentinels } } }, keys });
}

const failedOver: BenchRow = {
  id: 'R9',
  name: 'a replica takes the place of the master: as planned, with clients on the old one, and because it died – 200, counted alone meanwhile; no wrong answer; the new master is used within 1 s of its sentinels naming it',
  async run(bench) {
    const watched = bench.own(await startWatchedRedis());
    const gateway = await startBehindSentinels(bench, watched, KEYS);
    let namingMs = 0;
    const planned = await measureHarm(bench, gateway, {
      harm: () =>
        withClient(`redis://${watched.sentinels[0]!}`, (sentinel) =>
          sentinel.call('SENTINEL', 'FAILOVER', watched.name),
        ),
      holdMs: 0,
      heal: async () => (namingMs = await untilNamed(bench, watched)),
    });
    const other = bench.own(await startWatchedRedis());
    const second = await startBehindSentinels(bench, other, KEYS);
    const died = await measureHarm(bench, second, {
      harm: () => other.master.kill(),
      holdMs: 0,
      heal: async () => (namingMs = Math.max(namingMs, await untilNamed(bench, other))),
    });
    const most = (name: string) => Math.max(Number(planned[name]), Number(died[name]));
    return {
      'added ms': most('added ms'),
      'recovery ms': most('recovery ms'),
      'sentinels took ms': namingMs,
      planned: planned['answers'] ?? '',
      died: died['answers'] ?? '',
    };
  },
};

const lostWrites: BenchRow = {
  id: 'R10',
  name: 'a master dies before its replica has heard of a revocation – refused within 1 s of the revocation; where the replica never had it, the key lives again until it is revoked anew',
  async run(bench) {
    const watched = bench.own(await startWatchedRedis());
    const gateway = await startBehindSentinels(bench, watched, 2);
    const [key = '', other = ''] = gateway.storedKeys;
    const id = key.split('_')[1]!;
    const ask = async (which: string) =>
      (await gateway.ask('/v1/users/user_3', { key: which, entitled: false })).status;
    const revoke = () =>
      gateway.withStored(({ store }) => store.update(id, (record) => ({ ...record, revokedAt: Date.now() })));
    assert.deepEqual([await ask(key), await ask(other)], [200, 200]);
    await watched.replica.pause();
    // What the master has sent would be read by the replica once it goes on.
    await withClient(watched.master.url, (client) => client.call('CLIENT', 'KILL', 'TYPE', 'replica'));
    await revoke();
    const firstMs = await bench.until(async () => (await ask(key)) === 401);
    await watched.master.kill();
    watched.replica.resume();
    await untilMaster(bench, watched.replica.url);
    await bench.until(() => gateway.isReady());
    assert.equal(await ask(other), 200);
    await bench.sleep(1_000);
    const isAcceptedAgain = (await ask(key)) === 200;
    await revoke();
    const againMs = await bench.until(async () => (await ask(key)) === 401);
    bench.atMost('ms until refused', Math.max(firstMs, againMs), 1_000);
    return {
      'refused ms': firstMs,
      'lived again': isAcceptedAgain ? 'yes' : 'no',
      'refused again ms': againMs,
    };
  },
};

/** Moves slots from the first master to the second, as an operator does. */
async function reshard({ nodes, masters }: RedisCluster, slots: number): Promise<void> {
  const idOf = (url: string) =>
    withClient(url, async (client) => String(await client.call('CLUSTER', 'MYID')));
  const [from, to] = [await idOf(masters[0]!.url), await idOf(masters[1]!.url)];
  const args = ['--cluster', 'reshard', nodes[0]!, '--cluster-from', from, '--cluster-to', to];
  await promisify(execFile)('redis-cli', [...args, '--cluster-slots', String(slots), '--cluster-yes']);
}

const clusterChanges: BenchRow = {
  id: 'R11',
  name: 'slots of a cluster move, and then a master without a replica dies – 200 while slots move; then 200 for keys known here, counted alone, and no wrong answer',
  async run(bench) {
    const cluster = bench.own(await startRedisCluster());
    const gateway = await bench.gateway({ config: { redis: { cluster: cluster.nodes } }, keys: KEYS });
    const slots = 500;
    const moved = await measureHarm(bench, gateway, {
      harm: () => reshard(cluster, slots),
      holdMs: 0,
      heal: () => undefined,
    });
    const lost = await measureHarm(bench, gateway, {
      harm: () => cluster.masters[2]!.kill(),
      holdMs: 2_000,
    });
    assert.equal((await gateway.ask('/v1/users', { key: gateway.configuredKey })).status, 200);
    return {
      'added ms': Math.max(Number(moved['added ms']), Number(lost['added ms'])),
      slots,
      moving: moved['answers'] ?? '',
      lost: lost['answers'] ?? '',
    };
  },
};

/** Another server takes the place of the one that was used. */
export const redisFailoverRows: readonly BenchRow[] = [failedOver, lostWrites, clusterChanges];
