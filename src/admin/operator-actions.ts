// Puts all actions of a gateway together, with the audit of what they change, from the parts that the gateway hands in.

import { type AuditLog, createAuditLog } from '../store/audit/audit-log.ts';
import { createLocalAuditStore, createRedisAuditStore } from '../store/audit/audit-store.ts';
import type { Logger } from 'pino';
import type { Clock } from '../kernel/clock.ts';
import type { ResourceQuality } from '../pipeline/quality.ts';
import type { DisabledClaims } from '../store/disabled-claims.ts';
import { createKeyStore, foundRecords } from '../store/key-store.ts';
import { createKeyLastUsed } from '../store/key-last-used.ts';
import type { CallerCounts } from '../telemetry/caller-counts.ts';
import type { HeldCount, Purges } from '../store/cache/purges.ts';
import { awaitReplica } from '../store/redis/await-replica.ts';
import type { RedisKeys } from '../store/redis/redis-keys.ts';
import type { RedisConnection } from '../store/redis/redis.ts';
import { type ActionHandlers, createAct } from './actions/act.ts';
import { createAuditActions } from './actions/audit-actions.ts';
import { createCacheActions } from './actions/cache-actions.ts';
import { createClaimActions } from './actions/disabled-claim-actions.ts';
import { createKeyActions } from './actions/keys/key-actions.ts';
import type { OperatedMigrations } from './actions/migration/find-migration.ts';
import { createMigrationActions } from './actions/migration/migration-actions.ts';
import type { KeysConfig } from './actions/keys/key-terms.ts';
import { createRequestActions, type RequestActionsDeps } from './actions/requests/request-actions.ts';
import { createRunbookActions } from './actions/requests/runbook-actions.ts';
import type { KeysStores } from './actions/keys/with-key-stores.ts';

/** What the actions of a gateway need. All of it lives as long as the process; what a reload may change is a function. */
export type OperatorActionsDeps = RequestActionsDeps & {
  readonly quality: () => readonly ResourceQuality[];
  /** The counts of the callers of this process. */
  readonly callers: Pick<CallerCounts, 'snapshot'>;
  /** How many answers and scan caches with a tag are in the memory of this process. */
  readonly countHeld: (tag: string) => HeldCount;
  readonly purges: Pick<Purges, 'purge'>;
  readonly disabledClaims: Pick<DisabledClaims, 'list' | 'reset'>;
  /** The Redis of the keys, which also has the audit; absent in the embedded mode. */
  readonly redis: RedisConnection | undefined;
  readonly keys: RedisKeys;
  /** The configuration at this moment. */
  readonly config: () => KeysConfig;
  /** Makes the migrations; `audit` records what is done to them. */
  readonly migrations: (audit: AuditLog) => Omit<OperatedMigrations, 'labels'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** The name of this process in the audit. */
  readonly instance: string;
  /** The runbook, a Markdown text; empty if the file is missing. */
  readonly runbook: string;
  /** Actions of layers above this one. */
  readonly others: ActionHandlers;
  readonly onAuditLine: (outcome: 'kept' | 'waiting' | 'lost') => void;
};

/** The actions of a gateway, and their audit. */
export type OperatorActions = ReturnType<typeof createOperatorActions>;

/** Opens the stores of keys in a Redis. */
export function openKeys({ client }: Pick<RedisConnection, 'client'>, keys: RedisKeys): KeysStores {
  return {
    store: createKeyStore(client, keys),
    uses: createKeyLastUsed(client, keys.apiKeyUses),
    confirm: () => awaitReplica(client),
  };
}

/** The labels of all API keys, by id. Rejects if Redis fails. */
async function keyLabels({ auth }: KeysConfig, stores: KeysStores | undefined) {
  const listed = stores === undefined ? [] : foundRecords(await stores.store.list());
  return new Map([...listed, ...(auth.apiKeys?.keys ?? [])].map(({ id, label }) => [id, label]));
}

/** Creates all actions of a gateway except those of its primary. */
export function createOperatorActions(deps: OperatorActionsDeps) {
  const { redis, keys, clock, log } = deps;
  const audit = createAuditLog({
    store: redis === undefined ? createLocalAuditStore() : createRedisAuditStore(redis.client, keys.audit),
    log,
    clock,
    gateway: deps.instance,
    onWrite: deps.onAuditLine,
  });
  const stores = redis && openKeys(redis, keys);
  const labels = () => keyLabels(deps.config(), stores);
  const handlers = {
    quality: () => ({ sources: deps.quality() }),
    ...createCacheActions({ ...deps, contract: () => deps.config().contract }),
    ...createClaimActions(deps.disabledClaims),
    ...createAuditActions(audit, clock),
    ...createKeyActions({ stores, config: deps.config, clock }),
    ...createMigrationActions({ ...deps.migrations(audit), labels }, audit),
    ...createRequestActions(deps),
    ...createRunbookActions(deps.runbook),
    ...deps.others,
  };
  return { act: createAct(handlers, { audit }), audit };
}
