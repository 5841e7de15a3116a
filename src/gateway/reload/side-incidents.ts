import { randomUUID } from 'node:crypto';
import type { Act } from '../../admin/actions/act.ts';
import type { Metrics } from '../../admin/metrics/metrics.ts';
import { servedSources } from '../../admin/views/served-source.ts';
import { type RedisRole, redisRoles } from '../../config/schema/redis.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { CallFailure } from '../../kernel/errors/call-failure.ts';
import { isFieldAlarm } from '../../source/adapter/spec/capability.ts';
import type { BreakerState } from '../../source/resilience/breaker.ts';
import type { DisabledClaim } from '../../store/disabled-claims.ts';
import { createFleetIncidentStore } from '../../store/fleet/fleet-incident-store.ts';
import type { RedisByRole } from '../../store/redis/redis-roles.ts';
import { lostFieldSubject } from '../../telemetry/incidents/causes.ts';
import {
  createIncidentTracker,
  type IncidentTracker,
  type WatchedState,
} from '../../telemetry/incidents/incident-tracker.ts';
import type { RequestLogFields } from '../../telemetry/requests/recent-requests.ts';
import type { WebhookEvent } from '../../telemetry/webhooks/webhook-message.ts';
import { createIncidentLedger, type IncidentLedger } from './incident-ledger.ts';
import { createIncidentNotice, openIncidentDescriber, startIncidents } from './open-incidents.ts';
import type { openStores } from './open-stores.ts';
import type { ServedConfig, Snapshot } from './snapshot.ts';

type Stores = ReturnType<typeof openStores>;

/** The snapshot in force, which is asked for each time. */
type Current = () => Pick<Snapshot, 'config' | 'compiled' | 'disabled'>;

/** The roles that share the Redis of a role, in words. */
function rolesBeside(redis: RedisByRole, role: RedisRole): string | undefined {
  const own = redis[role];
  return own && redisRoles.filter((other) => redis[other] === own).join('+');
}

/** Opens the tracker of a process, to be handed to those who count. */
export function openTracker(deps: {
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'answered'>;
  readonly current: Current;
  readonly stores: () => Pick<Stores, 'redis' | 'callers'>;
}): IncidentTracker {
  const { clock, metrics, current, stores } = deps;
  return createIncidentTracker({
    ...{ clock, answered: metrics.answered },
    labelOf: (caller) => stores().callers.labelOf(caller),
    slowMs: () => current().config.admin.slowRequests,
    sourcesOf(operation) {
      const { config, compiled } = current();
      return servedSources(config, compiled).flatMap(({ name, operations }) =>
        operations.includes(operation) ? [name] : [],
      );
    },
    redisOf: (role) => rolesBeside(stores().redis.of, role as RedisRole),
  });
}

/** The metrics, with a tracker that learns what is counted of calls and breakers. */
export function withTracker(metrics: Metrics, tracker: IncidentTracker) {
  return {
    ...metrics,
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
    breakerState(source: string, state: BreakerState): void {
      metrics.breakerState(source, state);
      tracker.breaker(source, state);
    },
  };
}

/** Tells a tracker of a request whose answer failed. */
export const failedAnswerOf = (tracker: IncidentTracker) => (line: RequestLogFields, at: number) => {
  const { code, source, caller, operation } = line;
  tracker.answerFailed({ at, code, source, caller, operation });
};

const REDIS_CAUSES = {
  lost: 'out of reach',
  full: 'is full and takes nothing new',
  refusing: 'takes no writes',
};

/** How each Redis serves. */
function redisStates(redis: RedisByRole): readonly WatchedState[] {
  const connections = new Set(redisRoles.flatMap((role) => redis[role] ?? []));
  return [...connections].map((connection) => {
    const roles = redisRoles.filter((role) => redis[role] === connection);
    const { state } = connection.health();
    return {
      ...{ kind: 'redis', subject: roles.join('+'), isCritical: roles.includes('keys') },
      cause: state === 'ready' ? undefined : REDIS_CAUSES[state],
    };
  });
}

const claimName = ({ source, resource, claim }: Pick<DisabledClaim, 'source' | 'resource' | 'claim'>) =>
  `${source} ${resource} ${claim}`;

/** The fields that records suddenly lack. */
function fieldStates(claims: readonly DisabledClaim[]): readonly WatchedState[] {
  return claims.flatMap(({ source, resource, claim, at }) => {
    if (!isFieldAlarm(claim)) return [];
    const [, field = '', kind] = claim.split('.');
    const cause = `many records ${kind === 'gone' ? 'lack it' : 'have an unreadable one'}, so callers get null`;
    const subject = lostFieldSubject(source, resource, field);
    return [{ kind: 'field', subject, cause, since: Date.parse(at), isCritical: true }];
  });
}

/** The incidents of a process that serves, and of its fleet. */
export type SideIncidents = Pick<IncidentLedger, 'latest' | 'read'> & {
  /** What this process sees. */
  readonly own: Parameters<typeof createIncidentLedger>[0]['own'];
  /** Looks at further states each second. */
  readonly watch: IncidentTracker['watch'];
  start(): void;
  close(): void;
};

/** What a process has. */
type SideParts = {
  readonly current: Current;
  readonly stores: Stores;
  readonly act: Act;
  readonly tell: (event: WebhookEvent) => void;
};

/**
 * Opens the incidents of a process; nothing is looked at before `start`. One of several workers without Redis tells nobody:
 * its primary does.
 */
export function openSideIncidents(
  tracker: IncidentTracker,
  { current, stores, act, tell }: SideParts,
  services: {
    readonly clock: Clock;
    readonly instance?: string | undefined;
    readonly version: string;
    readonly quotaOf?: unknown;
  },
): SideIncidents {
  const { clock, instance = 'gateway', version, quotaOf } = services;
  const { redis, keys, lookTurns, disabledClaims } = stores;
  const startedAt = clock.now();
  const served = (): ServedConfig => ({ gateway: current().config, compiled: current().compiled });
  const own = () => ({ process: instance, version, startedAt, incidents: tracker.incidents() });
  const shared = redis.of.cache;
  const store = shared && createFleetIncidentStore({ redis: shared, keys, clock, gateway: randomUUID() });
  const isTelling = store !== undefined || quotaOf === undefined;
  const ledger = createIncidentLedger({
    ...{ clock, own, store },
    take: (everyMs) => lookTurns.take('incidents', everyMs),
    tell: isTelling ? createIncidentNotice(openIncidentDescriber({ clock, act, served }), tell) : undefined,
  });
  tracker.watch(() => redisStates(redis.of));
  tracker.watch(() => {
    const inForce = new Set(current().disabled().map(claimName));
    return fieldStates(disabledClaims.list().filter((one) => inForce.has(claimName(one))));
  });
  let stop: () => void = () => undefined;
  return {
    ...{ own, watch: tracker.watch, latest: ledger.latest, read: ledger.read },
    start: () => void (stop = startIncidents(tracker.tick, ledger.turn)),
    close: () => stop(),
  };
}
