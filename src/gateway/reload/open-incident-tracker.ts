// Opens the incident tracker of a process that serves: which states it watches, and which events it is told.

import type { Metrics } from '../../admin/metrics/metrics.ts';
import { servedSources } from '../../admin/views/served-source.ts';
import { type RedisRole, redisRoles } from '../../config/schema/redis.ts';
import type { Origin } from '../../kernel/migration-origin.ts';
import type { CallFailure } from '../../kernel/errors/call-failure.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { KeyLoss } from '../../pipeline/stages/authentication/lost-keys.ts';
import { operationsWithField } from '../../source/adapter/map/row-fields.ts';
import { isFieldAlarm, readFieldAlarm } from '../../source/adapter/spec/capability.ts';
import { withTargets } from '../../source/compile-sources.ts';
import type { BreakerState } from '../../source/resilience/breaker.ts';
import type { DisabledClaim } from '../../store/disabled-claims.ts';
import type { RedisByRole } from '../../store/redis/redis-roles.ts';
import { lostFieldSubject } from '../../telemetry/incidents/causes.ts';
import { createStalledTime } from '../../telemetry/incidents/stalled-time.ts';
import {
  createIncidentTracker,
  type IncidentTracker,
  type TrackedProcess,
  type WatchedState,
} from '../../telemetry/incidents/incident-tracker.ts';
import type { openStores } from './open-stores.ts';
import type { Snapshot } from './snapshot.ts';

type Stores = ReturnType<typeof openStores>;

/** The roles of one Redis. */
const rolesOf = (redis: RedisByRole, connection: RedisByRole[RedisRole]) =>
  redisRoles.filter((role) => redis[role] === connection);

/** The roles that share the Redis of a role, such as `keys+limits`; `undefined` if the role has no Redis. */
function rolesBeside(redis: RedisByRole, role: RedisRole): string | undefined {
  const own = redis[role];
  return own && rolesOf(redis, own).join('+');
}

const REDIS_CAUSES = {
  lost: 'out of reach',
  full: 'is full and takes nothing new',
  refusing: 'takes no writes',
};

/** The state of each Redis, as the tracker watches it. */
function redisStates(redis: RedisByRole): readonly WatchedState[] {
  const connections = new Set(redisRoles.flatMap((role) => redis[role] ?? []));
  return [...connections].map((connection) => {
    const roles = rolesOf(redis, connection);
    const { state } = connection.health();
    return {
      ...{ kind: 'redis', subject: roles.join('+'), isCritical: roles.includes('keys') },
      cause: state === 'ready' ? undefined : REDIS_CAUSES[state],
    };
  });
}

const KEYS_LOST = 'has lost its data, so keys that this gateway knew are refused as unknown';

/** The state of the keys in Redis. */
const keysState = (loss: KeyLoss | undefined): WatchedState => ({
  ...{ kind: 'keys', subject: 'keys', isCritical: true },
  ...{ cause: loss && KEYS_LOST, since: loss?.since },
});

const claimName = ({ source, resource, claim }: Pick<DisabledClaim, 'source' | 'resource' | 'claim'>) =>
  `${source} ${resource} ${claim}`;

/** The states of the fields that many records suddenly lack. */
function fieldStates(
  claims: readonly DisabledClaim[],
  { compiled }: Pick<Snapshot, 'compiled'>,
): readonly WatchedState[] {
  return claims.flatMap(({ source, resource, claim, at }) => {
    if (!isFieldAlarm(claim)) return [];
    const { field, kind } = readFieldAlarm(claim);
    const cause = `many records ${kind === 'gone' ? 'lack it' : 'have an unreadable one'}, so callers get null`;
    const subject = lostFieldSubject(source, resource, field);
    const served = withTargets(compiled).find(
      (one) => one.resource.name === resource && one.source.spec.name === source,
    );
    const operations = operationsWithField(served, field);
    const origin: Origin = compiled.some((one) => one.migration?.to === served) ? 'new' : 'legacy';
    // Fields of other groups with the same last name are very few, and rarely null.
    const readBy = { operations, origin, lack: `${JSON.stringify(field.split('.').at(-1))}:null` };
    return [{ kind: 'field', subject, cause, since: Date.parse(at), isCritical: true, readBy }];
  });
}

/** Opens the tracker of a process that serves. */
export function openTracker(
  services: TrackedProcess & { readonly clock: Clock },
  {
    metrics,
    bounds,
    current,
    stores,
  }: {
    readonly metrics: Pick<Metrics, 'answered'>;
    /** From how many milliseconds on a call is slow; a reload may change it. */
    readonly bounds: { readonly slowMs: number };
    /** Returns the snapshot in force; called each time, because a reload changes it. */
    readonly current: () => Pick<Snapshot, 'config' | 'compiled' | 'disabled'>;
    readonly stores: () => Pick<Stores, 'redis' | 'callers' | 'disabledClaims'>;
  },
): IncidentTracker {
  const stalled = createStalledTime(services.clock);
  const tracker = createIncidentTracker(services, {
    answered: metrics.answered,
    stalledMs: stalled.stalledMs,
    labelOf: (caller) => stores().callers.labelOf(caller),
    slowMs: () => bounds.slowMs,
    sourcesOf(operation) {
      const { config, compiled } = current();
      return servedSources(config, compiled).flatMap(({ name, operations }) =>
        operations.includes(operation) ? [name] : [],
      );
    },
    redisOf: (role) => rolesBeside(stores().redis.of, role as RedisRole),
  });
  tracker.watch(() => redisStates(stores().redis.of));
  tracker.watch(() => {
    const inForce = new Set(current().disabled().map(claimName));
    return fieldStates(
      stores()
        .disabledClaims.list()
        .filter((one) => inForce.has(claimName(one))),
      current(),
    );
  });
  return {
    ...tracker,
    start(): void {
      stalled.start();
      tracker.start();
    },
    close(): void {
      stalled.close();
      tracker.close();
    },
  };
}

/** Wraps the metrics: each call, host, breaker state, lost key and state of the token issuer is also reported to the tracker. */
export function withTracker(metrics: Metrics, tracker: IncidentTracker) {
  let lossOf: () => KeyLoss | undefined = () => undefined;
  tracker.watch(() => [keysState(lossOf())]);
  return {
    ...metrics,
    watchLostKeys(loss: typeof lossOf): void {
      metrics.watchLostKeys(loss);
      lossOf = loss;
    },
    upstreamCall(
      source: string,
      outcome: string,
      failure?: CallFailure,
      seconds?: number,
      base?: string,
      error?: unknown,
    ): void {
      metrics.upstreamCall(source, outcome, failure, seconds);
      tracker.call(source, outcome, failure, seconds, base, error);
    },
    issuerLost(isLost: boolean, problem?: string): void {
      metrics.issuerLost(isLost);
      tracker.issuer(isLost ? (problem ?? 'cannot be read') : undefined);
    },
    hostEvent(source: string, host = '', event = ''): void {
      metrics.hostEvent(source, host, event);
      tracker.host(source, host, event);
    },
    breakerState(source: string, state: BreakerState | undefined, breaker: object): boolean {
      const isNewest = metrics.breakerState(source, state, breaker);
      if (isNewest && state !== undefined) tracker.breaker(source, state);
      return isNewest;
    },
  };
}
