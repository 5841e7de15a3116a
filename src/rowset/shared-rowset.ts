import { createSingleFlight } from '../kernel/single-flight.ts';
import type { RedisRowSets } from './redis-rowsets.ts';
import type { RowSetHead } from './head-codec.ts';
import { orderName, type RowSet } from './local-rowset.ts';

/** What a small object of this process' memory is counted as. */
const HANDLE_BYTES = 1_024;

/** Where a shared row set stands, and what it becomes once all its rows are here. */
export type SharedRowSetDeps = {
  readonly shared: Pick<RedisRowSets, 'page' | 'load'>;
  readonly scan: string;
  readonly head: RowSetHead;
  /** Reads all rows into this process; `undefined` where they are gone. */
  readonly toLocal: (signal: AbortSignal) => Promise<RowSet | undefined>;
};

/**
 * A row set that another process has made. Pages in an order that somebody has put all rows in are read from Redis
 * row by row; for anything else all rows are read, once.
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
