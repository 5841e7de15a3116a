import { randomUUID } from 'node:crypto';
import type { TableRange } from '../../telemetry/history/series-ring.ts';
import { createFleetFigures, type FleetFiguresDeps } from './fleet-figures.ts';
import { createFleetIncidents, type FleetIncidentsDeps } from './fleet-incidents.ts';
import { createFleetStates } from './fleet-states.ts';

/**
 * What the gateways on one Redis write for each other: figures, states and incidents. All arguments and results are JSON,
 * because the primary of several workers has no Redis and lets a worker make the calls. Each call rejects if Redis fails.
 */
export type Fleet = ReturnType<typeof openFleet>;

/** The names of all functions of a `Fleet`. */
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
    ...{ gateway, now: clock.now, log: deps.log },
  });
  return {
    /** Writes the counts of a minute of this gateway. */
    writeFigures: (atMs: number, counts: readonly (readonly [string, number])[]) =>
      figures.write(atMs, new Map(counts)),
    /** Sums the counts of all gateways whose names begin with one of `prefixes`. */
    readFigures: async (range: TableRange, prefixes: readonly string[]) => {
      const table = await figures.read(range, prefixes, AbortSignal.timeout(READ_MS));
      return { ...table, columns: [...table.columns] };
    },
    // The state of this gateway, and the states of all gateways from the last two minutes.
    writeState: (text: string) => states.write([text]),
    readStates: () => states.read(),
    ...createFleetIncidents({ ...deps, gateway }),
  };
}
