import type { Breaks } from '../harness/start-service.ts';
import { type StoredRecord, writeRecords } from '../harness/records.ts';
import { shapes, type ShapeName } from '../harness/traits.ts';
import { allPages, type ListTree, type ValueCase } from './run-case.ts';

type Records = readonly StoredRecord[];

const write = (records: Records): Records => writeRecords(shapes['offset products'], records, 50);

const isFiltered = ({ category, low, high }: Record<'category' | 'low' | 'high', string | undefined>) =>
  (category ?? low ?? high) !== undefined;

/** Filters look into an index that nobody writes to any more. */
const staleIndex: Breaks = (correct, store) => ({
  select: (ask, all) =>
    isFiltered(ask) && store.writes > 0
      ? all.filter(({ record }) => store.before.some((one) => one.record.id === record.id))
      : correct.select(ask, all),
});

/** Rows that were changed since cannot be found by their new category. */
const oldCategories: Breaks = (correct, store) => ({
  matches(ask, record) {
    const before = store.before.find((one) => one.record.id === record.id)?.record;
    return (
      correct.matches(ask, record) && (ask.category === undefined || before?.['category'] === ask.category)
    );
  },
});

/** One category in two has lost its last row. */
const lostRows: Breaks = (correct, store) => ({
  select(ask, all) {
    if (ask.category === undefined || store.writes === 0) return correct.select(ask, all);
    const last = all.findLast(({ record }) => record['category'] === ask.category);
    return all.filter((one) => one !== last);
  },
});

const CATEGORIES = ['Tools', 'tools', 'Toys', 'Café', '10', '010', 'Garden', "Kid's", 'Tools & More'];
const asks = CATEGORIES.map((category) => ({ category, limit: '5' }));
const onlyCategory = (list: ListTree): void => {
  delete list.filters['price'];
};
const unchanged = (): void => undefined;

/** Asks whose answers need a scan of the whole list, where the service does not filter by price. */
const scanned = [{ min_price: '5', limit: '2' }];

const category = ['filter.category.eq'];
const same = (records: Records): Records => records;

/** Services whose filters are right until somebody writes; the gateway has a scan of the list then. */
function behindScan(name: string, shape: ShapeName, breaks: Breaks | undefined): ValueCase {
  const hasScan = shapes[shape].window !== 'offset' || shapes[shape].total === 'none';
  return {
    ...{ name: `scan cache: ${name} (${shape})`, shape, records: same, differs: false, write },
    ...(breaks !== undefined && { breaks }),
    file: hasScan ? unchanged : onlyCategory,
    looks: hasScan ? allPages : scanned,
    asks,
    disabled: breaks === undefined ? [] : category,
  };
}

/** A scan that is older than the writes: what differs from it is no contradiction. */
function olderScan(shape: ShapeName): ValueCase {
  const one = behindScan('older than the writes, correct', shape, undefined);
  return { ...one, warms: one.looks, looks: [] };
}

const shapesTried = ['offset products', 'cursor products', 'uncounted products'] as const;

/** Services whose filters lose rows, seen only by those who count the rows of the list. */
export const scanCacheCases: readonly ValueCase[] = shapesTried.flatMap((shape) => [
  behindScan('filters by an old index', shape, staleIndex),
  behindScan('categories that were changed are not found', shape, oldCategories),
  behindScan('a category has lost a row', shape, lostRows),
  behindScan('read after the writes, correct', shape, undefined),
  olderScan(shape),
]);
