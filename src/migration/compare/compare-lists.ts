// Compares two pages of a list: total, ids, order, and the fields of each record.

import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Resource } from '../../contract/resources.ts';
import type { ListQuery } from '../../contract/query.ts';
import { compareOrder } from './compare-order.ts';
import { compareRecords } from './compare-records.ts';
import type { AnswerDifference } from './comparison.ts';
import type { ListedPage } from './read-body.ts';

/** One of the two pages, and the total of the other one. */
type Side = { readonly page: ListedPage; readonly otherTotal: number };

/**
 * Whether a record that only one page has may be on a neighbouring page of the other list, because that list has more or
 * fewer rows before it. That is so where the record is at an edge of its page, the other list has rows beyond that edge, and
 * the totals differ by at least as many records as are alone.
 */
function isAtBoundary(
  { page, limit }: ListQuery,
  { page: { records, total }, otherTotal }: Side,
  alone: ReadonlySet<string>,
  at: number,
): boolean {
  const apart = Math.abs(total - otherTotal);
  if (alone.size > apart) return false;
  const isAlone = ({ id }: CanonicalRecord) => alone.has(id);
  if (page > 1 && records.slice(0, at).every(isAlone)) return true;
  return otherTotal > page * limit && records.slice(at).every(isAlone);
}

/** The records that only one of the two pages has. */
function recordsAlone(
  query: ListQuery,
  side: Side,
  others: ReadonlyMap<string, CanonicalRecord>,
  kind: 'missing_id' | 'extra_id',
): readonly AnswerDifference[] {
  const { records } = side.page;
  const alone = new Set(records.flatMap(({ id }) => (others.has(id) ? [] : [id])));
  return records.flatMap(({ id }, at) => {
    if (!alone.has(id)) return [];
    return [{ path: 'data[].id', kind: isAtBoundary(query, side, alone, at) ? 'boundary' : kind, id }];
  });
}

const byId = ({ records }: ListedPage) => new Map(records.map((record) => [record.id, record]));

/** Compares two pages of one query: totals, ids, order, and the fields of the records that both have. */
export function compareLists(
  resource: Resource,
  query: ListQuery,
  legacy: ListedPage,
  newPage: ListedPage,
): readonly AnswerDifference[] {
  const [before, after] = [byId(legacy), byId(newPage)];
  const common = legacy.records.filter(({ id }) => after.has(id));
  const commonNew = newPage.records.filter(({ id }) => before.has(id));
  const totals: readonly AnswerDifference[] =
    legacy.total === newPage.total
      ? []
      : [{ path: 'meta.total', kind: 'total', legacy: legacy.total, new: newPage.total }];
  return [
    ...totals,
    ...recordsAlone(query, { page: legacy, otherTotal: newPage.total }, after, 'missing_id'),
    ...recordsAlone(query, { page: newPage, otherTotal: legacy.total }, before, 'extra_id'),
    ...compareOrder(resource, query.sort, common, commonNew),
    ...common.flatMap((record) => {
      const other = after.get(record.id);
      return other === undefined ? [] : compareRecords(resource.itemFields, 'data[].', record, other);
    }),
  ];
}
