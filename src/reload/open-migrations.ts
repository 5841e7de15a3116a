import type { Logger } from 'pino';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { Clock } from '../kernel/clock.ts';
import { createMigrations, type Migrations, type MigrationsDeps } from '../migration/migrations.ts';
import { createLocalStates } from '../migration/state/local-states.ts';
import type { MigrationStates } from '../migration/state/migration-states.ts';
import { createRedisStates } from '../migration/state/redis-states.ts';
import { openStateFile } from '../migration/state/state-file.ts';
import type { RedisKeys } from '../store/redis/redis-keys.ts';
import type { RedisByRole } from '../store/redis/redis-roles.ts';

export type OpenMigrationsDeps = {
  readonly redis: RedisByRole;
  readonly keys: RedisKeys;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** This process among others. */
  readonly instance: string;
  readonly metrics: MigrationsDeps['metrics'];
};

/** Opens the states of migrations: in Redis beside the keys, which no eviction takes away; else in this process. */
function openStates({ state }: GatewayConfig, deps: OpenMigrationsDeps): MigrationStates {
  const { redis, keys, clock, log, instance } = deps;
  const file = openStateFile(state.dir, instance, (problem) =>
    log.warn({ problem }, 'the state of migrations cannot be kept in state.dir; the gateway serves on'),
  );
  const client = (redis.keys ?? redis.cache)?.client;
  if (client === undefined) return createLocalStates({ file, clock });
  return createRedisStates({ file, clock, instance, client, log, keyOf: (part) => keys.migration(part) });
}

/** Opens the migrations of a process, for its life. */
export function openMigrations(config: GatewayConfig, deps: OpenMigrationsDeps): Migrations {
  return createMigrations({ ...deps, states: openStates(config, deps) });
}
