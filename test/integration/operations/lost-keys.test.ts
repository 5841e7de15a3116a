import { setTimeout as sleep } from 'node:timers/promises';
import type { Overview } from '../../../src/admin/api/metric-specs.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { mintKey, revokeKey } from '../../../src/pipeline/stages/authentication/key-changes.ts';
import { createKeyStore } from '../../../src/store/key-store.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { openIncidents, readOperator, USERS_PATH as PATH } from '../../support/gateway/read-incidents.ts';
import { PEPPER, startStack } from '../../support/gateway/stack.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';
import { connectRedis } from '../../support/redis/connect-redis.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { eventually } from '../../support/time/eventually.ts';

const LABELS = ['Web', 'Batch', 'Partner'];
/** In so many steps of two seconds on the clock it is looked for an incident that must not come: all need less to open. */
const STEPS = 4;

/** A gateway that has accepted three keys of a Redis of its own, on a clock that can be set. `points`: of wrong credentials. */
async function startKnown(points = 1_000_000) {
  const redis = endAfterTest(await startRedis());
  const { client } = endAfterTest(await connectRedis(redis.url));
  const store = createKeyStore(client, createRedisKeys('lost:'));
  const minted = LABELS.map((label) =>
    mintKey(new Secret(PEPPER), Date.now(), { label, permissions: ['users:read'], tier: 'roomy' }),
  );
  for (const { record } of minted) await store.create(record);
  let aheadMs = 0;
  const clock = { now: () => Date.now() + aheadMs, monotonic: () => performance.now() + aheadMs };
  const stack = endAfterTest(
    await startStack({
      redis: { url: redis.url, prefix: 'lost:' },
      clock,
      configure: ({ limits }) => void (limits.failedCredentials = { points, seconds: 3_600 }),
    }),
  );
  const ask = async () => {
    const statuses: number[] = [];
    for (const { key } of minted)
      statuses.push((await stack.get(PATH, { headers: { 'x-api-key': key } })).status);
    return statuses;
  };
  const codes = async () =>
    (await readOperator<Overview>(stack, 'overview')).attention.map(({ code }) => code);
  await eventually(async () => (await ask()).every((status) => status === 200));
  return { stack, client, store, minted, ask, codes, passTime: (ms: number) => void (aheadMs += ms) };
}

type Known = Awaited<ReturnType<typeof startKnown>>;

/** Asks again and again until the statuses are these, and a while longer: no incident comes of it. */
async function expectNone(
  { stack, ask, codes, passTime }: Known,
  statuses: readonly number[],
): Promise<void> {
  await eventually(async () => (await ask()).join() === statuses.join());
  for (let step = 0; step < STEPS; step += 1) {
    expect(await ask()).toEqual(statuses);
    passTime(2_000);
    await sleep(1_100);
  }
  expect(await openIncidents(stack)).toEqual([]);
  expect(await codes()).toEqual([]);
}

describe('a Redis of keys that loses its data', () => {
  it('is an incident that names its keys, ends once they are back, and takes no owner for a guesser', async () => {
    // A few wrong credentials would block the address of all of them.
    const { stack, client, store, minted, ask, codes, passTime } = await startKnown(5);
    const flushed = Date.now();
    await client.flushall();
    await eventually(async () => (await ask()).every((status) => status === 401));
    for (let count = 0; count < 10; count += 1) expect(await ask()).toEqual([401, 401, 401]);
    const incident = await eventually(async () =>
      (await openIncidents(stack)).find(({ kind }) => kind === 'keys'),
    );
    expect(incident).toMatchObject({ severity: 'critical', fault: 'redis', reopened: 0 });
    expect(incident.text).toContain('so keys that this gateway knew are refused as unknown (3 keys) since');
    expect(Math.abs(Date.parse(incident.since) - flushed)).toBeLessThan(3_000);
    expect(incident.callers.map(({ id, label }) => [id, label]).sort()).toEqual(
      minted.map(({ record: { id, label } }) => [id, label]).sort(),
    );
    expect(Math.min(...incident.callers.map(({ failed }) => failed))).toBeGreaterThanOrEqual(10);
    expect(incident.todo).toMatchObject({ entry: 'PorticoKeysLost', command: 'portico keys list' });
    expect(await codes()).toEqual(['incident']);

    for (const { record } of minted) await store.create(record);
    await eventually(async () => (await ask()).every((status) => status === 200), { withinMs: 3_000 });
    passTime(61_000);
    await eventually(async () => (await openIncidents(stack)).length === 0);
    expect(await codes()).toEqual([]);
  });

  it('ends once its callers have other keys', async () => {
    const { stack, client, ask, passTime } = await startKnown();
    await client.flushall();
    await eventually(async () => (await ask()).every((status) => status === 401));
    await eventually(async () => (await openIncidents(stack)).length === 1);
    passTime(61_000);
    await eventually(async () => (await openIncidents(stack)).length === 0);
  });

  it('is not one key that is revoked', async () => {
    const known = await startKnown();
    await revokeKey(known.store, known.minted[0]!.record.id, Date.now());
    await expectNone(known, [401, 200, 200]);
  });

  it('is not one record that somebody removes from Redis', async () => {
    const known = await startKnown();
    await known.client.del(createRedisKeys('lost:').apiKey(known.minted[0]!.record.id));
    await expectNone(known, [401, 200, 200]);
  });

  it('is not keys that are revoked and deleted before the gateway has looked', async () => {
    const known = await startKnown();
    for (const { record } of known.minted.slice(0, 2)) {
      await revokeKey(known.store, record.id, Date.now());
      await known.store.delete(record.id);
    }
    await expectNone(known, [401, 401, 200]);
  });
});
