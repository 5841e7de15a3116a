import { Redis } from 'ioredis';
import { createMigrationCounts } from '../../../src/migration/counts/count-comparisons.ts';
import { createRedisCountsStore } from '../../../src/migration/counts/redis-counts.ts';
import { createRedisJudgeMemory } from '../../../src/migration/judge/judge-memory.ts';
import { comparison, difference, mismatch, transient } from '../../support/migration/comparisons.ts';
import { useFleetEvidence } from '../../support/migration/fleet-counts.ts';
import { failedOf } from '../../support/migration/judged-migration.ts';
import { BEGAN, migrationState } from '../../support/migration/migration-facts.ts';
import { redisUsers } from '../../support/redis/documented-users.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const { open } = useFleetEvidence();

describe('the evidence of a fleet', () => {
  test('is added once where Redis has taken it and the answer was lost', async () => {
    const fleet = await open('redis');
    let isLost = true;
    const callBuffer = async (...args: [string, ...(string | number | Buffer)[]]) => {
      const reply = await fleet.client.callBuffer(...args);
      if (isLost) throw new Error('the answer was lost');
      return reply;
    };
    const losing = { callBuffer } as unknown as Redis;
    const counts = createMigrationCounts({
      store: createRedisCountsStore(losing, (part) => `${fleet.prefix}{migration}:${part}`),
      ...{ states: { current: () => migrationState() }, clock: fleet.clock },
      ...{ secret: 's', critical: () => [] },
    });
    endAfterTest(counts);
    counts.compared(comparison('user_1'));
    await expect(counts.flush()).rejects.toThrow('lost');
    counts.compared(comparison('user_2'));
    isLost = false;
    await counts.flush();
    await counts.flush();
    expect(await fleet.read()).toMatchObject({ keys: 2, match: 2 });
  });

  test('is counted where Redis is full', async () => {
    const fleet = await open('redis');
    await fleet.client.config('SET', 'maxmemory', '1');
    fleet.processes[0].compared(comparison('user_1'));
    await fleet.processes[0].flush().finally(() => fleet.client.config('SET', 'maxmemory', '0'));
    expect(await fleet.read()).toMatchObject({ keys: 1, match: 1 });
  });

  test('holds no question, no id and no value', async () => {
    const fleet = await open('redis');
    const differences = [difference('data.name', 'h:1')];
    fleet.processes[0].compared(comparison('user_4711', { verdict: 'mismatch', differences }));
    await fleet.client.config('SET', 'rdbcompression', 'no');
    await fleet.read();
    const keys = await fleet.client.keys(`${fleet.prefix}*`);
    const dumps = await Promise.all(keys.map((key) => fleet.client.dumpBuffer(key)));
    expect(keys.length).toBeGreaterThan(5);
    expect(dumps.some((dump) => dump.includes('data.name'))).toBe(true);
    expect(dumps.some((dump) => dump.includes('4711')) || keys.join().includes('4711')).toBe(false);
  });

  test('needs no more rights in Redis than config/docs/operate.md gives the user of the keys', async () => {
    const server = await startRedis();
    const admin = new Redis(server.url);
    const { name, rules } = redisUsers.find((user) => user.name === 'portico-keys')!;
    await admin.acl('SETUSER', name, 'on', '>secret', ...rules);
    const client = new Redis(server.url.replace('//', `//${name}:secret@`));
    const counts = createMigrationCounts({
      store: createRedisCountsStore(client, (part) => `portico:{migration}:${part}`),
      ...{ states: { current: () => migrationState() }, clock: createManualClock(BEGAN) },
      ...{ secret: 's', critical: () => ['data.name'] },
    });
    const memory = createRedisJudgeMemory(client, (part) => `portico:{migration}:${part}`);
    endAfterTest(counts);
    const alone = { ...difference('data[].id', 'h:2'), kind: 'missing_id' } as const;
    counts.compared(mismatch('user_1'));
    counts.compared(comparison('user_2', { verdict: 'mismatch', differences: [alone] }));
    counts.compared(transient('user_3'));
    const call = { resource: 'users', operation: 'users.get', ms: 1, isAttributable: true };
    counts.served({ ...call, ...failedOf('key:ana') });
    await counts.flush().catch(() => undefined);
    await Promise.allSettled([counts.read('users'), counts.differences('users')]);
    await memory.acquireLeadership();
    const announced = { position: 'shadow', isReady: false, isHeld: false, rolledBackAt: null };
    await memory.write('users', { step: 's', operations: {}, announced });
    await memory.read('users');
    await memory.releaseLeadership();
    const refused = (await admin.acl('LOG')) as unknown[];
    await Promise.all([client.quit(), admin.quit()]);
    await server.stop();
    expect(refused).toEqual([]);
  });
});
