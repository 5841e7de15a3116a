import type { FieldKind } from '../contract/fields.ts';
import type { CanonicalRecord } from '../contract/response-body.ts';
import type { Filter, Sort } from '../contract/query.ts';
import { filtersKey } from '../contract/query-key.ts';
import type { SerialQueue } from '../kernel/serial-queue.ts';
import { createSingleFlight } from '../kernel/single-flight.ts';
import { createBoundedMap } from '../store/bounded-map.ts';
import type { RowTable } from './row-table.ts';
import { createRowIndexBuilder, type RowIndex } from './row-index.ts';

/** What is asked of a row set. */
export type Selection = {
  readonly sort: Sort | null;
  readonly filters: readonly Filter[];
  readonly offset: number;
  readonly limit: number;
};

/** Some rows of a row set, and the number of all that match. */
export type Selected = { readonly records: readonly CanonicalRecord[]; readonly total: number };

/** The rows of one scan. They never change. */
export type RowSet = {
  readonly name: string;
  /** When the scan began, milliseconds since the epoch. */
  readonly storedAt: number;
  /** What it takes of this process' memory. */
  readonly bytes: number;
  /** `undefined` where its rows are lost. */
  select(selection: Selection, signal: AbortSignal): Promise<Selected | undefined>;
};

/** What makes the views of a resource's row sets. */
export type ViewDeps = {
  readonly kinds: ReadonlyMap<string, FieldKind>;
  readonly serialQueue: SerialQueue;
};

/** Told when a row set has put all its rows in order. */
export type OnOrder = (order: string, positions: RowIndex) => void;

/** References that a row set's views may hold, over all of them. */
const VIEW_REFERENCES_MAX = 2_000_000;
/** What a view takes beside that, in as many: one of no record too, and there are as many of those as callers can think of. */
const VIEW_OVERHEAD_REFERENCES = 64;
const VIEW_MS = 24 * 3_600_000;

/** The name of an order; safe in a key. */
export function orderName(sort: Sort | null): string {
  return sort === null ? '' : `${sort.descending ? '-' : ''}${sort.field}`;
}

/** A row set whose rows are in this process. */
export function createLocalRowSet(
  table: RowTable,
  storedAt: number,
  { kinds, serialQueue }: ViewDeps,
  onOrder: OnOrder,
): RowSet {
  const maker = createRowIndexBuilder(table, kinds);
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
    const made = await maker.order(sort, signal);
    onOrder(order, made);
    return keep(order, made);
  }

  function viewOf({ sort, filters }: Selection, signal: AbortSignal): RowIndex | Promise<RowIndex> {
    const key = filters.length === 0 ? orderName(sort) : `${orderName(sort)}/${filtersKey(filters)}`;
    const make = (shared: AbortSignal) =>
      serialQueue(async () => {
        const order = await orderOf(sort, shared);
        return filters.length === 0 ? order : keep(key, await maker.select(order, filters, shared));
      });
    return views.get(key) ?? flights.run(key, signal, make);
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
