import { Redis } from 'ioredis';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { DeclaredMigration } from '../../../src/migration/state/declared-migration.ts';
import type { MigrationState } from '../../../src/migration/state/migration-state.ts';
import type { MigrationStateStore } from '../../../src/migration/state/state-store.ts';
import { createRedisStates } from '../../../src/migration/state/redis-states.ts';
import { openStateFile } from '../../../src/migration/state/state-file.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { createRedis } from '../../../src/store/redis/redis.ts';
import { startRedis } from '../redis/redis-server.ts';
import { silentLog } from '../redis/connect-redis.ts';
import { endAfterTest, startForAll } from '../jest/lifetime.ts';

/** A migration of users that stays in `legacy` until somebody begins. */
export const users: DeclaredMigration = {
  resource: 'users',
  sources: ['crm', 'people'],
  digests: ['d1', 'd2'],
  position: { stage: 'legacy', percent: 0 },
};

export const atRamp = (state: MigrationState, percent: number): MigrationState => ({
  ...state,
  stage: 'ramp',
  percent,
});

/** Changes the share, from a state with the `rev` that is in force. */
export async function move(states: MigrationStateStore, percent: number): Promise<MigrationState> {
  const state = states.current('users')!;
  const change = await states.change(state, atRamp(state, percent));
  expect(change.kind).toBe('changed');
  return change.state;
}

/** How a process of the fleet is opened. */
type Opened = { readonly declared?: DeclaredMigration; readonly dir?: string; readonly url?: string };

/** The processes of a fleet over a Redis of its own, as far as they share states. Call it at the top of a file of tests. */
export function useStateFleet() {
  const warnings: string[] = [];
  const regressed: string[] = [];
  const onRegressed = (resource: string) => void regressed.push(resource);
  const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
  const server = startForAll(startRedis);
  const admin = startForAll(() => new Redis(server.url).on('error', () => undefined));
  afterEach(async () => {
    warnings.length = 0;
    regressed.length = 0;
    await admin.flushall();
  });
  /** A process of the fleet, which has asked Redis once where Redis is there. */
  async function open(instance: string, { declared = users, dir, url = server.url }: Opened = {}) {
    const redis = createRedis({ url, commandTimeoutMs: 250, connectTimeoutMs: 1_000 }, silentLog);
    await redis.untilReady(1_000);
    const keyOf = (part: string) => createRedisKeys('portico:').migration(part);
    const file = openStateFile(dir, instance, (problem) => warnings.push(problem));
    const deps = { client: redis.client, keyOf, file, clock: systemClock, instance, log, onRegressed };
    const states = createRedisStates(deps);
    states.declare([declared]);
    await states.refresh();
    endAfterTest(redis);
    return endAfterTest(states);
  }

  return {
    warnings,
    /** The resources whose last changes Redis had lost. */
    regressed,
    ...{ server, admin, open },
  };
}
