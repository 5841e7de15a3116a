import type { Clock } from '../../kernel/clock.ts';
import { tryParseJson } from '../../kernel/json/try-parse-json.ts';
import {
  ENDED_KEPT_MS,
  type FleetIncident,
  type GatewayIncidents,
  readGatewayIncidents,
  readKnownIncidents,
} from '../../telemetry/incidents/fleet-incidents.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import type { RedisConnection } from '../redis/redis.ts';
import { createFleetStates, latestStates, noneIfOther } from './fleet-states.ts';
import type { LookTurns } from './look-turns.ts';

/** Nothing waits for a Redis that is not ready: each function rejects at once. */
export type FleetIncidentsDeps = {
  readonly redis: Pick<RedisConnection, 'client' | 'isReady'>;
  readonly keys: Pick<RedisKeys, 'incidents' | 'gatewayStates'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly lookTurns: Pick<LookTurns, 'take'>;
  /** This process; unique among all that ever were. */
  readonly gateway: string;
};

/** What a gateway has not written again within this time is not seen any more: it has ended. */
const SEEN_MS = 15_000;

/**
 * Creates what the gateways on one Redis know of incidents. Each writes what it sees, and one of them what the fleet knows.
 * It may be lost: nothing but a view and a message rests on it.
 */
export function createFleetIncidents({ redis, keys, clock, gateway, lookTurns }: FleetIncidentsDeps) {
  const { client } = redis;
  const states = createFleetStates(client, (minute) => keys.incidents(minute), { gateway, now: clock.now });

  /** Does something if Redis is ready. */
  async function ifReady<T>(act: () => Promise<T>): Promise<T> {
    if (!redis.isReady()) throw new Error('Redis is not ready');
    return act();
  }

  return {
    /** Says what this gateway sees. */
    writeIncidents: (seen: GatewayIncidents) => ifReady(() => states.write(JSON.stringify(seen))),
    /** What the gateways that run see. */
    async seenIncidents(): Promise<readonly GatewayIncidents[]> {
      const texts = await ifReady(() => states.read());
      return latestStates(texts, readGatewayIncidents, (seen) => seen.gateway, clock.now() - SEEN_MS);
    },
    /** Whether it is the turn of this gateway to keep what the fleet knows. */
    takeIncidents: (everyMs: number) => ifReady(() => lookTurns.take('incidents', everyMs)),
    /** What the fleet knows, as far as it can be read. */
    async knownIncidents(): Promise<readonly FleetIncident[]> {
      const text = await ifReady(() => client.get(keys.incidents('known')).catch(noneIfOther));
      return typeof text === 'string' ? readKnownIncidents(tryParseJson(text)) : [];
    },
    /** Keeps what the fleet knows. */
    async keepIncidents(known: readonly FleetIncident[]): Promise<void> {
      await ifReady(() => client.set(keys.incidents('known'), JSON.stringify(known), 'PX', ENDED_KEPT_MS));
    },
  };
}
