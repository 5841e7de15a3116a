import { createEvidenceCollector } from '../../../src/migration/evidence/evidence-collector.ts';
import { createRedisEvidenceStore } from '../../../src/migration/evidence/redis-evidence.ts';
import { comparison, difference } from '../../support/migration/comparisons.ts';
import { useFleetEvidence } from '../../support/migration/fleet-evidence.ts';
import { migrationState } from '../../support/migration/migration-facts.ts';

const { open, closing } = useFleetEvidence();

describe('the evidence of a fleet', () => {
  test('is added once where Redis has taken it and the answer was lost', async () => {
    const fleet = await open('redis');
    const store = createRedisEvidenceStore(fleet.client, (part) => `${fleet.prefix}{migration}:${part}`);
    let isLost = true;
    const losing: typeof store = {
      ...store,
      async add(...args) {
        await store.add(...args);
        if (isLost) throw new Error('the answer was lost');
      },
    };
    const evidence = createEvidenceCollector({
      ...{ store: losing, states: { current: () => migrationState() }, clock: fleet.clock },
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
});
