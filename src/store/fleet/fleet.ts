import { randomUUID } from 'node:crypto';
import type { TableRange } from '../../telemetry/history/series-ring.ts';
import { createFleetFigures, type FleetFiguresDeps } from './fleet-figures.ts';
import { createFleetIncidents, type FleetIncidentsDeps } from './fleet-incidents.ts';
import { createFleetStates } from './fleet-states.ts';

/**
 * What a gateway says to the others on its Redis, and reads of them. All that is given and returned is JSON, because the
 * primary of several workers has no Redis and lets one of them do it. Each call rejects if Redis fails.
 */
export type Fleet = ReturnType<typeof openFleet>;

/** The names of what can be done with a fleet. */
export const fleetCalls = [
  ...(['writeFigures', 'readFigures', 'writeState', 'readStates'] as const),
  ...(['writeIncidents', 'seenIncidents', 'takeIncidents', 'knownIncidents', 'keepIncidents'] as const),
] satisfies readonly (keyof Fleet)[];

const READ_MS = 10_000;

/** Opens the fleet of a Redis for a process. */
export function openFleet(deps: Omit<FleetFiguresDeps & FleetIncidentsDeps, 'client' | 'gateway'>) {
  const { redis, keys, clock } = deps;
  const { client } = redis;
  const gateway = randomUUID();
  const figures = createFleetFigures({ client, keys, gateway });
  const states = createFleetStates(client, (minute) => keys.gatewayStates(minute), {
    gateway,
    now: clock.now,
  });
  return {
    /** Adds the counts of a minute of this gateway. */
    writeFigures: (atMs: number, counts: readonly (readonly [string, number])[]) =>
      figures.write(atMs, new Map(counts)),
    /** Sums the counts of all gateways whose names begin with one of `prefixes`. */
    readFigures: async (range: TableRange, prefixes: readonly string[]) => {
      const table = await figures.read(range, prefixes, AbortSignal.timeout(READ_MS));
      return { ...table, columns: [...table.columns] };
    },
    /** Says what this gateway is like, and reads what all of them said within two minutes. */
    writeState: states.write,
    readStates: states.read,
    ...createFleetIncidents({ ...deps, gateway }),
  };
}
