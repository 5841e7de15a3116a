import type { OpenFiguresDeps } from '../reload/open-figures.ts';
import type { FleetFigures } from '../../store/fleet/fleet-figures.ts';
import type { SeriesTable } from '../../telemetry/history/series-ring.ts';
import type { WorkerQuery } from './messages.ts';
import type { WorkerLink } from './worker-link.ts';

/** A table as a message between processes carries it. */
type SentTable = Omit<SeriesTable, 'columns'> & {
  readonly columns: readonly (readonly [string, readonly number[]])[];
};

const WRITE_MS = 5_000;
const READ_MS = 10_000;

/** Answers a primary, which has no Redis, with the figures of the fleet. @throws Error if Redis fails */
export async function answerFigures(
  { fleetFigures }: { readonly fleetFigures: FleetFigures | undefined },
  { range, prefixes }: Extract<WorkerQuery, { about: 'fleet-figures' }>,
): Promise<SentTable> {
  if (fleetFigures === undefined) throw new Error('there is no Redis for the cache');
  const table = await fleetFigures.read(range, prefixes, AbortSignal.timeout(READ_MS));
  return { ...table, columns: [...table.columns] };
}

/** The figures of the fleet for a primary: one of its workers reads and writes them. */
export function createForwardedFigures(
  serving: () => readonly Pick<WorkerLink, 'ask'>[],
): NonNullable<OpenFiguresDeps['fleet']> {
  return {
    states: {
      async write(text) {
        await serving()[0]?.ask({ about: 'keep-state', text }, WRITE_MS);
      },
      async read() {
        return ((await serving()[0]?.ask({ about: 'fleet-states' }, WRITE_MS)) ?? []) as readonly string[];
      },
    },
    async read(range, prefixes) {
      const [link] = serving();
      if (link === undefined) throw new Error('no worker serves');
      const sent = (await link.ask({ about: 'fleet-figures', range, prefixes }, READ_MS)) as SentTable;
      return { ...sent, columns: new Map(sent.columns) };
    },
    // Not asked of a second worker: the first may have written it, and would have been counted twice.
    async write(atMs, figures) {
      const [link] = serving();
      await link
        ?.ask({ about: 'keep-figures', atMs, figures: [...figures] }, WRITE_MS)
        .catch(() => undefined);
    },
  };
}
