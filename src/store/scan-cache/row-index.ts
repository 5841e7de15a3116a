// Sorts and filters the rows of a scan in steps, so that a long list does not block the event loop.

import type { Field, Value } from '../../contract/fields.ts';
import { compileKeyedOrder, matches, sortFieldOf } from '../../contract/order.ts';
import type { Filter, Sort } from '../../contract/query.ts';
import { mergeSort } from '../../kernel/merge-sort.ts';
import { createYieldToLoop, type YieldToLoop } from '../../kernel/yield-to-loop.ts';
import type { RowTable } from './row-table.ts';

/** Positions of rows in a table, in the order of a query. */
export type RowIndex = Uint32Array;

/** The number of rows between two checks of the clock. */
const STRIDE = 64;

/**
 * Creates the builder of views of one table. It yields to the event loop while it works, and caches the values of the columns,
 * so that it parses no row twice for the same column.
 */
export function createRowIndexBuilder(table: RowTable, fields: readonly Field[]) {
  const columns = new Map<string, readonly Value[]>();

  async function columnOf(field: string, yieldToLoop: YieldToLoop): Promise<readonly Value[]> {
    const known = columns.get(field);
    if (known !== undefined) return known;
    const values: Value[] = [];
    for (let position = 0; position < table.count; position += 1) {
      values.push(table.record(position)[field] ?? null);
      if (position % STRIDE === 0) await yieldToLoop();
    }
    columns.set(field, values);
    return values;
  }

  return {
    /** All rows in a sort order; `null` is the order in which they were read. Rejects if the signal aborts. */
    async order(sort: Sort | null, signal: AbortSignal): Promise<RowIndex> {
      if (sort === null) return Uint32Array.from({ length: table.count }, (_, position) => position);
      const yieldToLoop = createYieldToLoop(signal);
      const ids = await columnOf('id', yieldToLoop);
      const values = await columnOf(sort.field, yieldToLoop);
      const { keyOf, compare } = compileKeyedOrder(sort, sortFieldOf(fields, sort));
      const keyed = [];
      for (let position = 0; position < table.count; position += 1) {
        const record = { [sort.field]: values[position] ?? null, id: ids[position] as string };
        keyed.push({ position, ...keyOf(record) });
        if (position % STRIDE === 0) await yieldToLoop();
      }
      const sorted = await mergeSort(keyed, compare, yieldToLoop);
      return Uint32Array.from(sorted, ({ position }) => position);
    },
    /** The rows of a view that satisfy the filters. */
    async select(view: RowIndex, filters: readonly Filter[], signal: AbortSignal): Promise<RowIndex> {
      const yieldToLoop = createYieldToLoop(signal);
      const tests: ((position: number) => boolean)[] = [];
      for (const filter of filters) {
        const values = await columnOf(filter.field, yieldToLoop);
        tests.push((position) => matches(values[position] ?? null, filter));
      }
      return selectWhere(view, (position) => tests.every((fits) => fits(position)), yieldToLoop);
    },
  };
}

async function selectWhere(
  view: RowIndex,
  isSelected: (position: number) => boolean,
  yieldToLoop: YieldToLoop,
): Promise<RowIndex> {
  const selected: number[] = [];
  for (const [at, position] of view.entries()) {
    if (isSelected(position)) selected.push(position);
    if (at % STRIDE === 0) await yieldToLoop();
  }
  return Uint32Array.from(selected);
}
