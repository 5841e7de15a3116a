import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import { newApiKey, newKeyId } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { createKeyStore } from '../../../src/store/key-store.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { redisProfile } from '../../../src/store/redis/redis-profile.ts';
import { createRedis } from '../../../src/store/redis/redis.ts';
import { hostAndPort } from '../../../src/config/schema/elements/scalars.ts';
import { describeOnRequest } from '../../support/jest/describe-on-request.ts';
import { startRedisCluster } from '../../support/redis/cluster.ts';
import { underLoad } from '../../support/client/load-during.ts';
import { startWatchedRedis } from '../../support/redis/sentinel.ts';
import { eventually } from '../../support/time/eventually.ts';
import { startStack, storedHash } from '../../support/gateway/stack.ts';
import { PATIENCE_MS, patientTimes } from '../../support/gateway/generous-timeouts.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

/** A key that only Redis knows cannot be judged without it; that is never taken for a wrong key. */
const ALLOWED = ['200', '503'];

/** Keeps a new key in Redis, and on its replica. */
async function storeKey(config: GatewayConfig['redis']): Promise<string> {
  const quiet = { info: () => undefined, warn: () => undefined };
  const redis = createRedis({ ...redisProfile(config, 'keys')!, ...patientTimes }, quiet);
  expect(await redis.untilReady(PATIENCE_MS)).toBe(true);
  const id = newKeyId();
  const key = newApiKey(id);
  const terms = { label: 'x', permissions: ['users:read'], tier: 'roomy', createdAt: Date.now() };
  const store = createKeyStore(redis.client, createRedisKeys(config.prefix));
  await store.create({ id, ...terms, hashes: [{ hash: storedHash(key) }] });
  await redis.close();
  return key;
}

/** A gateway on some Redis, and what came of it while a master was killed. */
async function failOver(redis: Partial<GatewayConfig['redis']>, kill: () => Promise<void>) {
  let settings: GatewayConfig['redis'] | undefined;
  const stack = await startStack({
    configure(config) {
      settings = Object.assign(config.redis, { commandTimeout: 1_000, connectTimeout: 1_000 }, redis);
      config.resources.users!.cache.fresh = 1;
    },
  });
  try {
    await eventually(() => stack.isReady(), { withinMs: 60_000 });
    const key = await storeKey(settings!);
    return await underLoad(stack, key, 4, async () => {
      await kill();
      await eventually(() => stack.log.some((line) => line.includes('Redis is out of reach')), {
        withinMs: 60_000,
      });
      await eventually(() => stack.isReady(), { withinMs: 60_000 });
    });
  } finally {
    await stack.close();
  }
}

describeOnRequest('FLEETS', 'while a replica takes the place of a master', () => {
  it('watched by sentinels: no valid key is refused, and the new master is used', async () => {
    const watched = endAfterTest(await startWatchedRedis());
    const nodes = watched.sentinels.map((node) => hostAndPort.parse(node));
    const sentinel = { name: watched.name, nodes };
    const { statuses } = await failOver({ sentinel }, () => watched.master.kill());
    expect(statuses[200]).toBeGreaterThan(0);
    expect(Object.keys(statuses).filter((status) => !ALLOWED.includes(status))).toEqual([]);
  });

  it('of a cluster: no valid key is refused, and the new master is used', async () => {
    const cluster = endAfterTest(await startRedisCluster({ replica: true }));
    const nodes = cluster.nodes.map((node) => hostAndPort.parse(node));
    const { statuses } = await failOver({ cluster: nodes }, () => cluster.masters[0]!.kill());
    expect(statuses[200]).toBeGreaterThan(0);
    expect(Object.keys(statuses).filter((status) => !ALLOWED.includes(status))).toEqual([]);
  });
});
