// Compares two pages of a list, for compare-answers.ts: total, ids, order, and the fields of each record.

import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Resource } from '../../contract/resource.ts';
import type { ListQuery } from '../../contract/query.ts';
import type { Origin } from '../../kernel/migration-origin.ts';
import { compareOrder } from './compare-order.ts';
import { compareRecords } from './compare-records.ts';
import type { AnswerDifference } from './comparison.ts';
import type { ListedPage } from './read-body.ts';

/** One of the two pages, the source that sent it, and the total of the other page. */
type Side = { readonly origin: Origin; readonly page: ListedPage; readonly otherTotal: number };

/**
 * Whether a record that only one page has may be on another page of the other list, because that list has more or fewer rows
 * before it. This is possible if the record is at an edge of its page and the other list has rows beyond that edge. It is not
 * possible between two records that both pages have. Totals do not show it, because 3 missing and 2 extra records change them
 * only by 1.
 */
function isAtBoundary(
  { page, limit }: ListQuery,
  { page: { records }, otherTotal }: Side,
  alone: ReadonlySet<string>,
  at: number,
): boolean {
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
  return records.flatMap(({ id }, at): readonly AnswerDifference[] => {
    if (!alone.has(id)) return [];
    if (!isAtBoundary(query, side, alone, at)) return [{ path: 'data[].id', kind, id }];
    return [{ path: 'data[].id', kind: 'boundary', id, only: side.origin }];
  });
}

/** The records that only one page has. If the pages have no common record, they do not show which list lacks a record. */
function membership(
  query: ListQuery,
  [legacy, next]: readonly [Side, Side],
  [before, after]: readonly [ReadonlyMap<string, CanonicalRecord>, ReadonlyMap<string, CanonicalRecord>],
): readonly AnswerDifference[] {
  const alone = [
    ...recordsAlone(query, legacy, after, 'missing_id'),
    ...recordsAlone(query, next, before, 'extra_id'),
  ];
  const isApart = alone.length > 0 && alone.length === before.size + after.size;
  if (!isApart || alone.some(({ only }) => only === undefined)) return alone;
  return [{ path: 'data[].id', kind: 'boundary' }];
}

const byId = ({ records }: ListedPage) => new Map(records.map((record) => [record.id, record]));

/** The differences of two pages of one query: totals, ids, order, and the fields of the records that both have. */
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
    ...membership(
      query,
      [
        { origin: 'legacy', page: legacy, otherTotal: newPage.total },
        { origin: 'new', page: newPage, otherTotal: legacy.total },
      ],
      [before, after],
    ),
    ...compareOrder(resource, query.sort, common, commonNew),
    ...common.flatMap((record) => {
      const other = after.get(record.id);
      return other === undefined ? [] : compareRecords(resource.itemFields, 'data[].', record, other);
    }),
  ];
}
