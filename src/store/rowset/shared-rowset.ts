import { createSingleFlight } from '../../kernel/single-flight.ts';
import type { RedisRowSets } from './redis-rowsets.ts';
import type { RowSetHead } from './head-codec.ts';
import { orderName, type RowSet } from './local-rowset.ts';

/** The assumed memory of a small object. */
const HANDLE_BYTES = 1_024;

/** The place of a shared row set, and how its rows are read into this process. */
export type SharedRowSetDeps = {
  readonly shared: Pick<RedisRowSets, 'page' | 'load'>;
  readonly scan: string;
  readonly head: RowSetHead;
  /** Reads all rows into this process; `undefined` if they are gone. */
  readonly toLocal: (signal: AbortSignal) => Promise<RowSet | undefined>;
};

/**
 * A row set from another process. If its rows were already sorted in an order, pages in it are read from Redis row by
 * row; any other query reads all rows, once.
 */
export function createSharedRowSet({ shared, scan, head, toLocal }: SharedRowSetDeps): RowSet {
  const flights = createSingleFlight<RowSet | undefined>();
  let local: RowSet | undefined;

  return {
    name: head.name,
    storedAt: head.storedAt,
    bytes: HANDLE_BYTES,
    async select(selection, signal) {
      if (local === undefined && selection.filters.length === 0) {
        const { offset, limit } = selection;
        const records = await shared
          .page(scan, head, orderName(selection.sort), offset, limit)
          .catch(() => undefined);
        if (records !== undefined) return { records, total: head.count };
      }
      local ??= await flights.run(head.name, signal, toLocal);
      return local?.select(selection, signal);
    },
  };
}
