import type { Clock } from '../../kernel/clock.ts';
import { tryParseJson } from '../../kernel/json/try-parse-json.ts';
import {
  type FleetIncident,
  KEPT_MS,
  type ProcessIncidents,
  readKnown,
  readWritten,
} from '../../telemetry/incidents/fleet-incidents.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import type { RedisConnection } from '../redis/redis.ts';
import { createFleetStates, latestStates, noneIfOther } from './fleet-states.ts';

/** The incidents of all gateways on one Redis. They may be lost: nothing but a view and a message rests on them. */
export type FleetIncidentStore = ReturnType<typeof createFleetIncidentStore>;

/** Nothing waits for a Redis that is not ready: each function rejects at once. */
export type FleetIncidentStoreDeps = {
  readonly redis: Pick<RedisConnection, 'client' | 'isReady'>;
  readonly keys: Pick<RedisKeys, 'incidents'>;
  readonly clock: Pick<Clock, 'now'>;
  /** This process; unique among all that ever were. */
  readonly gateway: string;
};

/** What a process has not written again within this time is not seen any more: it has ended. */
const SEEN_MS = 15_000;

/** Creates the store. Each process writes what it sees, and one of them what the fleet knows. */
export function createFleetIncidentStore({ redis, keys, clock, gateway }: FleetIncidentStoreDeps) {
  const { client } = redis;
  const states = createFleetStates(client, { gatewayStates: keys.incidents }, { gateway, now: clock.now });

  /** Does something if Redis is ready. */
  async function ifReady<T>(act: () => Promise<T>): Promise<T> {
    if (!redis.isReady()) throw new Error('Redis is not ready');
    return act();
  }

  return {
    /** Says what this process sees. */
    write: (seen: ProcessIncidents) =>
      ifReady(() => states.write(JSON.stringify({ ...seen, gateway, at: clock.now() }))),
    /** What the processes that run see. */
    async seen(): Promise<readonly ProcessIncidents[]> {
      const texts = await ifReady(() => states.read());
      return latestStates(texts, readWritten, (written) => written.gateway, clock.now() - SEEN_MS);
    },
    /** What the fleet knows; nothing if that cannot be read. */
    async known(): Promise<readonly FleetIncident[]> {
      const text = await ifReady(() => client.get(keys.incidents('known')).catch(noneIfOther));
      return typeof text === 'string' ? readKnown(tryParseJson(text)) : [];
    },
    /** Keeps what the fleet knows. */
    keep: (known: readonly FleetIncident[]) =>
      ifReady(() => client.set(keys.incidents('known'), JSON.stringify(known), 'PX', KEPT_MS)),
  };
}
