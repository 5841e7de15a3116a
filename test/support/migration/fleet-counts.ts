import { Redis } from 'ioredis';
import {
  createMigrationCounts,
  type MigrationCounts,
  type MigrationCountsDeps,
} from '../../../src/migration/counts/count-comparisons.ts';
import { createLocalCountsStore } from '../../../src/migration/counts/local-counts.ts';
import { createRedisCountsStore } from '../../../src/migration/counts/redis-counts.ts';
import type { MigrationState } from '../../../src/migration/state/migration-state.ts';
import { useRedis } from '../redis/redis-server.ts';
import { createManualClock } from '../time/manual-clock.ts';
import { BEGAN, migrationState } from './migration-facts.ts';
import { endAfterTest } from '../jest/lifetime.ts';

/** Opens the evidence of a fleet in the tests of a file; what it opens is closed after each of them. */
export function useFleetEvidence() {
  const redis = useRedis();
  let round = 0;

  /** Two processes of a fleet, or one process twice, which gather evidence of one state. */
  async function open(kind: 'redis' | 'local') {
    let state = migrationState();
    const clock = createManualClock(BEGAN);
    const deps: Omit<MigrationCountsDeps, 'store'> = {
      states: { current: () => state },
      ...{ clock, secret: 'of the test', critical: () => ['data.email'] },
    };
    round += 1;
    const prefix = `${redis.prefix}${round}:`;
    const client = endAfterTest(new Redis(redis.url));
    await client.ping();
    const local = createLocalCountsStore();
    const storeOf = () =>
      kind === 'local' ? local : createRedisCountsStore(client, (part) => `${prefix}{migration}:${part}`);
    const evidenceOf = (): MigrationCounts =>
      endAfterTest(createMigrationCounts({ ...deps, store: storeOf() }));
    return {
      ...{ clock, client, prefix },
      processes: [evidenceOf(), evidenceOf()] as const,
      change: (next: Partial<MigrationState>) => (state = { ...state, ...next }),
      async read() {
        await Promise.all(this.processes.map((one) => one.flush()));
        return (await this.processes[0].read('users'))['users.get'];
      },
    };
  }

  return { open };
}
