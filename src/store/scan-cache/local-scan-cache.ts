// Answers queries from the rows of one scan: sorts and filters them in this process, and keeps the order of the rows for the
// next page of the same query.

import type { Field } from '../../contract/fields.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { type Filter, type Sort, filtersKey } from '../../contract/query.ts';
import type { SerialQueue } from '../../kernel/semaphore.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';
import { createBoundedMap } from '../memory/bounded-map.ts';
import type { RowTable } from './row-table.ts';
import { createRowIndexBuilder, type RowIndex } from './row-index.ts';

/** A query on a scan cache. */
export type Selection = {
  readonly sort: Sort | null;
  readonly filters: readonly Filter[];
  readonly offset: number;
  readonly limit: number;
};

/** The selected rows, and the number of all rows that match. */
export type Selected = { readonly records: readonly CanonicalRecord[]; readonly total: number };

/** The rows of one scan. They never change. */
export type ScanCache = {
  readonly name: string;
  /** When the scan began, in milliseconds since the epoch. */
  readonly storedAt: number;
  /** The memory that the rows occupy in this process. */
  readonly bytes: number;
  /** The rows of a page of a query; `undefined` if the rows are lost. */
  select(selection: Selection, signal: AbortSignal): Promise<Selected | undefined>;
};

/** What the views of a resource's scan caches need. `serialQueue` makes them one after another. */
export type ViewDeps = {
  readonly fields: readonly Field[];
  readonly serialQueue: SerialQueue;
};

/** Called after a scan cache has sorted all its rows. `order` is the `orderName`. */
export type OnOrder = (order: string, positions: RowIndex) => void;

/** The most positions of rows that all views of a scan cache may hold together. */
const VIEW_REFERENCES_MAX = 2_000_000;
/** The size of an empty view, in positions. It is not 0, because callers can cause any number of empty views. */
const VIEW_OVERHEAD_REFERENCES = 64;
const VIEW_MS = 24 * 3_600_000;

/** The name of an order, with `-` first if it descends; empty for the order of the source. It is safe in a Redis key. */
export function orderName(sort: Sort | null): string {
  return sort === null ? '' : `${sort.descending ? '-' : ''}${sort.field}`;
}

/** Creates a scan cache whose rows are in this process. */
export function createLocalScanCache(
  table: RowTable,
  storedAt: number,
  { fields, serialQueue }: ViewDeps,
  onOrder: OnOrder,
): ScanCache {
  const builder = createRowIndexBuilder(table, fields);
  const views = createBoundedMap<RowIndex>(
    VIEW_REFERENCES_MAX,
    (view) => view.length + VIEW_OVERHEAD_REFERENCES,
  );
  const flights = createSingleFlight<RowIndex>();

  function keep(key: string, view: RowIndex): RowIndex {
    views.set(key, view, VIEW_MS);
    return view;
  }

  async function orderOf(sort: Sort | null, signal: AbortSignal): Promise<RowIndex> {
    const order = orderName(sort);
    const known = views.get(order);
    if (known !== undefined) return known;
    const made = await builder.order(sort, signal);
    onOrder(order, made);
    return keep(order, made);
  }

  function viewOf({ sort, filters }: Selection, signal: AbortSignal): RowIndex | Promise<RowIndex> {
    const key = filters.length === 0 ? orderName(sort) : `${orderName(sort)}/${filtersKey(filters)}`;
    const buildView = (shared: AbortSignal) =>
      serialQueue(async () => {
        const order = await orderOf(sort, shared);
        return filters.length === 0 ? order : keep(key, await builder.select(order, filters, shared));
      });
    return views.get(key) ?? flights.run(key, signal, buildView);
  }

  return {
    name: table.name,
    storedAt,
    bytes: table.bytes,
    async select(selection, signal) {
      const { offset, limit } = selection;
      const view = await viewOf(selection, signal);
      const positions = view.subarray(offset, offset + limit);
      return { records: Array.from(positions, (position) => table.record(position)), total: view.length };
    },
  };
}
