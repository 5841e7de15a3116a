import type { Logger } from 'pino';
import type { Metrics } from '../../admin/metrics/metrics.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { redisRoles } from '../../config/schema/redis.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Cache, createCache } from '../../store/cache/cache.ts';
import { createContentEncodings } from '../../store/cache/encoded-bodies.ts';
import { createDisabledClaims } from '../../store/disabled-claims.ts';
import { createFleetTurns } from '../../store/fleet/fleet-turns.ts';
import { openFleet } from '../../store/fleet/fleet.ts';
import { createLocalPurges, createSharedPurges, type Purges } from '../../store/cache/purges.ts';
import { createRedisKeys } from '../../store/redis/redis-keys.ts';
import { openRedis } from '../../store/redis/redis-roles.ts';
import type { IncidentTracker } from '../../telemetry/incidents/incident-tracker.ts';
import { createCallerCounts } from '../../telemetry/caller-counts.ts';
import { createRecentRequests, type RecentRequestsDeps } from '../../telemetry/requests/recent-requests.ts';
import { createFleetTraceIndex } from '../../store/fleet/fleet-trace-index.ts';
import type { CacheSettings } from './snapshot.ts';

/** Opens the connections to Redis, and all stores in Redis or in this process, once for the life of the process. */
export function openStores(
  { redis: spec, admin: { slowRequests: slowMs } }: GatewayConfig,
  {
    log,
    clock,
    instance = 'gateway',
  }: { readonly log: Logger; readonly clock: Clock; readonly instance?: string | undefined },
  metrics: Pick<
    Metrics,
    'watchRedis' | 'watchRefusedCallers' | 'compressed' | 'cacheEvent' | 'requestTraceWritten'
  >,
  { answerHarmed: onHarmed, sourcesOf }: Partial<Pick<IncidentTracker, 'answerHarmed' | 'sourcesOf'>> = {},
) {
  const redis = openRedis(spec, log);
  for (const role of redisRoles) {
    const connection = redis.of[role];
    if (connection !== undefined) metrics.watchRedis(role, () => connection.health().state);
  }
  const keys = createRedisKeys(spec.prefix);
  const client = redis.of.cache?.client;
  const purges: Purges =
    client === undefined
      ? createLocalPurges()
      : createSharedPurges(client, keys, (notes) => disabledClaims.apply(notes));
  const disabledClaims = createDisabledClaims(purges, clock, (claim) =>
    log.warn({ claim }, 'a note of a claim in Redis has the format of a newer Portico; it is ignored'),
  );
  const fleetTurns = createFleetTurns(client && { client, keys }, clock.now);
  const requestIndex =
    redis.of.cache &&
    createFleetTraceIndex({ redis: redis.of.cache, keys, clock, onTrace: metrics.requestTraceWritten });
  const onKept: RecentRequestsDeps['onKept'] = (kept) => requestIndex?.add(kept);
  const recent = createRecentRequests({ clock, instance, slowMs, sourcesOf, onKept, onHarmed });
  const callers = createCallerCounts(clock);
  metrics.watchRefusedCallers(() => callers.refused());
  const fleet = redis.of.cache && openFleet({ redis: redis.of.cache, keys, clock, fleetTurns, log });

  function cacheOf({ compression, ...local }: CacheSettings): Cache {
    return createCache({
      ...{ ...local, clock, purges },
      redis: client && { client, keyOf: (...parts) => keys.cache(...parts) },
      attachEncodings:
        compression === 'auto'
          ? createContentEncodings(local.localBytes, (made) => metrics.compressed(made))
          : undefined,
      onEvent: metrics.cacheEvent,
    });
  }

  return {
    ...{ redis, keys, purges, disabledClaims, fleetTurns, fleet, recent, callers, requestIndex },
    createCache: cacheOf,
    /** Stops the work in the background; the connections stay open. */
    close() {
      purges.close();
      requestIndex?.close();
    },
  };
}
