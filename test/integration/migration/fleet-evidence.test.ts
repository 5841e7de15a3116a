import { Redis } from 'ioredis';
import { createEvidenceCollector } from '../../../src/migration/evidence/evidence-collector.ts';
import { createRedisEvidenceStore } from '../../../src/migration/evidence/redis-evidence.ts';
import { createRedisJudgeMemory } from '../../../src/migration/judge/judge-memory.ts';
import { comparison, difference, mismatch, transient } from '../../support/migration/comparisons.ts';
import { useFleetEvidence } from '../../support/migration/fleet-evidence.ts';
import { failedOf } from '../../support/migration/judged-migration.ts';
import { BEGAN, migrationState } from '../../support/migration/migration-facts.ts';
import { redisUsers } from '../../support/redis/documented-users.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';

const { open, closing } = useFleetEvidence();

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
    const evidence = createEvidenceCollector({
      store: createRedisEvidenceStore(losing, (part) => `${fleet.prefix}{migration}:${part}`),
      ...{ states: { current: () => migrationState() }, clock: fleet.clock },
      ...{ secret: 's', critical: () => [] },
    });
    closing.push(() => evidence.close());
    evidence.compared(comparison('user_1'));
    await expect(evidence.flush()).rejects.toThrow('lost');
    evidence.compared(comparison('user_2'));
    isLost = false;
    await evidence.flush();
    await evidence.flush();
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
    const evidence = createEvidenceCollector({
      store: createRedisEvidenceStore(client, (part) => `portico:{migration}:${part}`),
      ...{ states: { current: () => migrationState() }, clock: createManualClock(BEGAN) },
      ...{ secret: 's', critical: () => ['data.name'] },
    });
    const memory = createRedisJudgeMemory(client, (part) => `portico:{migration}:${part}`);
    closing.push(() => evidence.close());
    const alone = { ...difference('data[].id', 'h:2'), kind: 'missing_id' } as const;
    evidence.compared(mismatch('user_1'));
    evidence.compared(comparison('user_2', { verdict: 'mismatch', differences: [alone] }));
    evidence.compared(transient('user_3'));
    const call = { resource: 'users', operation: 'users.get', ms: 1, isAttributable: true };
    evidence.served({ ...call, ...failedOf('key:ana') });
    await evidence.flush().catch(() => undefined);
    await Promise.allSettled([evidence.read('users'), evidence.differences('users')]);
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
