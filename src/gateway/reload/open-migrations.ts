// Wires everything that migrations need, once for the life of a process; each reload then passes its configuration.

import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import type { AuditChange } from '../../store/audit/audit-entry.ts';
import type { AuditLog } from '../../store/audit/audit-log.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Comparison } from '../../migration/compare/comparison.ts';
import { createMigrationCounts, type MigrationCounts } from '../../migration/counts/count-comparisons.ts';
import { createLocalCountsStore } from '../../migration/counts/local-counts.ts';
import { createLegacyLatencyReader } from '../../migration/counts/legacy-latency.ts';
import { createRedisCountsStore } from '../../migration/counts/redis-counts.ts';
import {
  createLocalJudgeMemory,
  createRedisJudgeMemory,
  type JudgeMemory,
} from '../../migration/judge/judge-memory.ts';
import { createJudge, type JudgeMetrics } from '../../migration/judge/judge.ts';
import { createFailureDrill } from '../../migration/judge/run-failure-drill.ts';
import type { SourceComparisonsDeps } from '../../migration/source-comparisons.ts';
import { checkSourcesAgree, legacyProblem } from '../../migration/operate/check-sources-agree.ts';
import type { Run } from '../../migration/tasks/task-results.ts';
import type { SourcePair } from '../../migration/operate/compare-kinds.ts';
import { createTasks } from '../../migration/operate/tasks.ts';
import { createReport } from '../../migration/report/create-report.ts';
import type { OperatedMigrations } from '../../admin/actions/migration/find-migration.ts';
import {
  createMigrations,
  type Migrations,
  type MigrationsDeps,
  type ServedMigration,
} from '../../migration/migrations.ts';
import { createFleetCallers } from '../../migration/routing/fleet-callers.ts';
import { createLocalCallers } from '../../migration/routing/recent-callers.ts';
import { type MigrationState, positionOf } from '../../migration/state/migration-state.ts';
import { createLocalStates } from '../../migration/state/state-replica.ts';
import type { MigrationStateStore } from '../../migration/state/state-store.ts';
import { createRedisStates } from '../../migration/state/redis-states.ts';
import { openStateFile } from '../../migration/state/state-file.ts';
import { openComparisons, type OpenedComparisons } from './open-comparisons.ts';
import type { RedisKeys } from '../../store/redis/redis-keys.ts';
import type { RedisByRole } from '../../store/redis/redis-roles.ts';
import type { Webhooks } from '../../telemetry/webhooks/webhooks.ts';

/**
 * What migrations need. States and comparison counts are in the Redis of the keys, or else in the Redis of the cache. Without
 * both, the counts end with the process, and the states outlive it only in `state.dir`.
 */
export type OpenMigrationsDeps = {
  readonly redis: RedisByRole;
  readonly keys: RedisKeys;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** The name of this process in the fleet, such as `host-1:4711`. */
  readonly instance: string;
  readonly webhooks: Pick<Webhooks, 'tell'>;
  readonly metrics: MigrationsDeps['metrics'] &
    JudgeMetrics & {
      migrationCompared(comparison: Comparison): void;
      revRegressed(resource: string): void;
      watchHolds(holds: () => readonly Hold[]): void;
    } & SourceComparisonsDeps['metrics'];
};

/** The migrations of a process, with their comparisons, counts and judge. */
export type OpenedMigrations = ReturnType<typeof openMigrations>;

/** The parts that operators and the judge share. */
type OperatedParts = Pick<Migrations, 'states' | 'preview' | 'openBreakers'> & {
  readonly counts: MigrationCounts;
  readonly served: () => readonly ServedMigration[];
  readonly memory: JudgeMemory;
  readonly comparisons: OpenedComparisons;
};

type Hold = { readonly resource: string; readonly by: 'judge' | 'operator' };

function holdsOf(served: readonly ServedMigration[], states: MigrationStateStore): readonly Hold[] {
  return served.flatMap(({ declared: { resource } }) => {
    const hold = states.current(resource)?.hold;
    return hold === undefined ? [] : [{ resource, by: hold.by === 'judge' ? 'judge' : 'operator' }];
  });
}

/** The resources in `shadow`, `ramp` or `live`, whose new source serves callers or may serve them next. */
function comparedNow(served: readonly ServedMigration[], states: MigrationStateStore): readonly string[] {
  return served.flatMap(({ declared: { resource }, operations }) => {
    const state = states.current(resource);
    const stages = operations.map((operation) => state && positionOf(state, operation).stage);
    return stages.some((stage) => stage && !['legacy', 'complete'].includes(stage)) ? [resource] : [];
  });
}

/** The Redis that a fleet shares for migrations: the Redis of the API keys, because that evicts nothing; else of the cache. */
function openFleet({ redis, keys }: OpenMigrationsDeps) {
  const client = (redis.keys ?? redis.cache)?.client;
  return client && { client, keyOf: (part: string) => keys.migration(part) };
}

type Fleet = ReturnType<typeof openFleet>;

function openStates({ state }: GatewayConfig, fleet: Fleet, deps: OpenMigrationsDeps): MigrationStateStore {
  const { clock, log, instance, metrics } = deps;
  const file = openStateFile(state.dir, instance, (problem) =>
    log.warn({ problem }, 'the state of migrations cannot be kept in state.dir; the gateway serves on'),
  );
  const onRegressed = (resource: string) => metrics.revRegressed(resource);
  return fleet === undefined
    ? createLocalStates({ file, clock })
    : createRedisStates({ file, clock, instance, log, onRegressed, ...fleet });
}

/**
 * The key of the hashes that replace questions and values. It is the same in every process of a fleet, and never written to
 * Redis. A gateway without API keys has no secret that all its processes share. Then a person who can read Redis and guesses an
 * id could check whether the gateway was asked for it.
 */
function hashSecret({ auth }: GatewayConfig): string {
  const secret = auth.apiKeys?.pepper.reveal() ?? JSON.stringify(auth.jwt ?? '');
  return createHmac('sha256', secret).update('portico: migrations').digest('base64url');
}

function openCounts(
  config: GatewayConfig,
  fleet: Fleet,
  states: MigrationStateStore,
  served: () => readonly ServedMigration[],
  { clock, metrics }: OpenMigrationsDeps,
): MigrationCounts {
  const store =
    fleet === undefined ? createLocalCountsStore() : createRedisCountsStore(fleet.client, fleet.keyOf);
  return createMigrationCounts({
    ...{ store, states, clock, secret: hashSecret(config) },
    onCompared: (comparison) => metrics.migrationCompared(comparison),
    critical: (resource) =>
      served().find(({ declared }) => declared.resource === resource)?.config.compare.critical ?? [],
  });
}

/** Assembles what the actions of operators need, and starts the judge. */
function openOperated(
  { states, counts, served, memory, comparisons, ...migrations }: OperatedParts,
  audit: AuditLog,
  deps: OpenMigrationsDeps,
) {
  const { clock } = deps;
  const declared = () => served().map(({ declared: { resource }, ...rest }) => ({ ...rest, resource }));
  const { preview } = migrations;
  const common = { ...deps, states, counts, audit, declared, preview };
  const { askOwnQuestions } = comparisons;
  const judge = createJudge({ ...common, memory, askOwnQuestions });
  const tasks = createTasks(clock);
  judge.start();
  function pairOf(name: string): SourcePair {
    const migrating = served().find(({ declared: { resource } }) => resource === name);
    if (migrating === undefined) throw new Error(`${name} does not move any more`);
    const { resource, sources } = migrating;
    const { legacy, new: newSource } = sources;
    return { resource, names: migrating.declared.sources, legacy, new: newSource };
  }
  const operatorTasks = {
    ...comparisons.operatorTasks,
    check: async (name: string, run: Run) => checkSourcesAgree(pairOf(name), run),
    legacyProblem: async (name: string, signal: AbortSignal) => legacyProblem(pairOf(name), signal),
    ...{ preview, gate: judge.gate },
    rehearse: createFailureDrill(common),
    ...createReport({ ...common, gates: judge }),
  };
  const { openBreakers } = migrations;
  const operated: Omit<OperatedMigrations, 'labels'> = {
    ...{ migrating: served, states, counts, operatorTasks, tasks, openBreakers, clock },
    uncompared: (resource) => comparisons.uncompared(resource),
  };
  async function close(): Promise<void> {
    await tasks.close();
    await judge.close();
  }
  return { operated, close };
}

/** The audit entry for a source file or a contract that has changed during a migration. */
function sourceChange(before: MigrationState, after: MigrationState): AuditChange {
  const view = ({ rev, evidence, digests: [legacy, next] }: MigrationState) => ({
    ...{ rev, evidence, legacy, new: next },
  });
  return {
    ...{ actor: 'reload', action: 'migrations.source', target: before.resource, outcome: 'done' },
    before: view(before),
    after: view(after),
    reason:
      'the file of a source or the contract has changed: the stage stays, and the comparison counts begin anew',
  };
}

/** Opens the migrations of a process. The caller closes them. */
export function openMigrations(config: GatewayConfig, deps: OpenMigrationsDeps) {
  const fleet = openFleet(deps);
  const states = openStates(config, fleet, deps);
  let served: readonly ServedMigration[] = [];
  let audit: AuditLog | undefined;
  const counts = openCounts(config, fleet, states, () => served, deps);
  const comparisons = openComparisons({ ...deps, states, counts, secret: hashSecret(config) });
  const now = () => deps.clock.now();
  const callersDeps = fleet && { ...fleet, now, secret: hashSecret(config) };
  const latency = createLegacyLatencyReader({ counts, compared: () => comparedNow(served, states) });
  // Read at once, so that a process that has just started, or learnt of a step, knows the time limit.
  const endLatency = states.onChange(() => void latency.refresh());
  const migrations = createMigrations({
    ...deps,
    states,
    openCallers: (name) =>
      callersDeps ? createFleetCallers(name, callersDeps) : createLocalCallers(deps.clock.monotonic),
    legacyP99Ms: (operation) => latency.p99Ms(operation),
    onServed: (call) => counts.served(call),
    offerAnswer(read) {
      deps.metrics.migrationAnswered(read.query.resource, read.origin, false, read.ms);
      comparisons.offer(read);
    },
    onCountsReset: (...states) => void audit?.record(sourceChange(...states)),
  });
  const memory = fleet ? createRedisJudgeMemory(fleet.client, fleet.keyOf) : createLocalJudgeMemory();
  const closing: (() => Promise<void>)[] = [];
  deps.metrics.watchHolds(() => holdsOf(served, states));
  return {
    ...migrations,
    serveBy(next: readonly ServedMigration[]): void {
      served = next;
      migrations.serveBy(next);
      comparisons.serveBy(next);
    },
    /** Starts the judge, which writes its changes to `audit`, and returns what the actions of operators need. */
    operate(auditLog: AuditLog) {
      audit = auditLog;
      const parts = { ...migrations, counts, served: () => served, memory, comparisons };
      const { operated, close } = openOperated(parts, auditLog, deps);
      closing.push(close);
      return operated;
    },
    async close() {
      await Promise.all(closing.map((close) => close()));
      await comparisons.close();
      endLatency();
      latency.close();
      counts.close();
      migrations.close();
    },
  };
}
