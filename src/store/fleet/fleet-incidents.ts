// Keeps in Redis what the gateways know of incidents, so that any of them can show those of the whole fleet.

import type { Clock } from '../../kernel/clock.ts';
import { tryParseJson } from '../../kernel/json/try-parse-json.ts';
import {
  ENDED_KEPT_MS,
  type FleetIncident,
  type GatewayIncidents,
  readGatewayIncidents,
  readKnownIncidents,
} from '../../telemetry/incidents/fleet-incidents.ts';
import { shorterIncidents } from '../../telemetry/incidents/shorter-incidents.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import type { RedisConnection } from '../redis/redis.ts';
import { createFleetStates, type FleetStatesDeps, latestStates, noneIfOther } from './fleet-states.ts';
import type { FleetTurns } from './fleet-turns.ts';

/** What the record of incidents needs. If Redis is not ready, each of its functions rejects at once. */
export type FleetIncidentsDeps = {
  readonly redis: Pick<RedisConnection, 'client' | 'isReady'>;
  readonly keys: Pick<RedisKeys, 'incidents' | 'gatewayStates'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly fleetTurns: Pick<FleetTurns, 'take'>;
  /** The random name of this process. */
  readonly gateway: string;
  readonly log: FleetStatesDeps['log'];
};

/** A gateway that has not written within this time counts as ended, and its incidents are no longer read. */
const SEEN_MS = 15_000;

/**
 * Creates the record in Redis of incidents. Each gateway writes the incidents that it sees, and one of them writes the
 * merged incidents of the fleet. If the record is lost, only views and messages suffer.
 */
export function createFleetIncidents({ redis, keys, clock, gateway, fleetTurns, log }: FleetIncidentsDeps) {
  const { client } = redis;
  const states = createFleetStates(client, (minute) => keys.incidents(minute), {
    gateway,
    now: clock.now,
    log,
  });

  /** Calls `act` if Redis is ready, else rejects. */
  async function ifReady<T>(act: () => Promise<T>): Promise<T> {
    if (!redis.isReady()) throw new Error('Redis is not ready');
    return act();
  }

  return {
    /** Writes the incidents that this gateway sees, as much of them as there is room for. */
    writeIncidents: (seen: GatewayIncidents) =>
      ifReady(() => states.write(shorterIncidents(seen).map((one) => JSON.stringify(one)))),
    /** Reads the incidents that each running gateway sees. */
    async seenIncidents(): Promise<readonly GatewayIncidents[]> {
      const texts = await ifReady(() => states.read());
      return latestStates(texts, readGatewayIncidents, (seen) => seen.gateway, clock.now() - SEEN_MS);
    },
    /** Whether it is this gateway's turn to merge the incidents of the fleet; there is one turn within `everyMs`. */
    takeIncidents: (everyMs: number) => ifReady(() => fleetTurns.take('incidents', everyMs)),
    /** Reads the merged incidents of the fleet; those that cannot be parsed are left out. */
    async knownIncidents(): Promise<readonly FleetIncident[]> {
      const text = await ifReady(() => client.get(keys.incidents('known')).catch(noneIfOther));
      return typeof text === 'string' ? readKnownIncidents(tryParseJson(text)) : [];
    },
    /** Writes the merged incidents of the fleet. */
    async keepIncidents(known: readonly FleetIncident[]): Promise<void> {
      await ifReady(() => client.set(keys.incidents('known'), JSON.stringify(known), 'PX', ENDED_KEPT_MS));
    },
  };
}
