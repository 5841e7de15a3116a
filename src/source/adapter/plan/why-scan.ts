// Decides for the planner whether a query needs a scan. The reason goes to the log, and to `portico explain` and `portico
// check`.

import type { SourceResourceSpec } from '../../../config/schema/source.ts';
import { type Capability, TIES } from '../spec/capability.ts';
import { dropsDetails } from '../map/row-fields.ts';
import type { Split } from './split-filters.ts';

/** The only reason for a scan that cursor paging can avoid. */
export const SEQUENTIAL_WINDOWS = 'the source gives its rows only one window after the other';

/**
 * The first reason why the source cannot return a page itself, so that a scan is needed; `undefined` if it can. `sorted`: the
 * source sorts as the query wants. `off`: claims that replies contradicted, so they must not be used.
 */
export function whyScan(
  spec: SourceResourceSpec,
  { pushed, residual }: Split,
  sorted: boolean,
  off: ReadonlySet<Capability>,
): string | undefined {
  const { total, window } = spec.list;
  const first = residual[0];
  if (first !== undefined) return `the source does not filter by ${first.field} (${first.op}) exactly`;
  if (!sorted)
    return off.has(TIES)
      ? 'rows that are equal in the sort cross the border of the page, and no one reply holds all of them'
      : 'the source does not sort as asked';
  if (total === undefined) return 'the source gives no total';
  if (total.counts === 'all' && pushed.length > 0)
    return 'the total of the source counts all rows, filtered or not';
  if (total.count !== undefined && pushed.some(({ part }) => part.path !== undefined))
    return 'the count of the source does not filter as its list does';
  if (off.has('total')) return 'the total of the source is not exact';
  if (window.kind === 'none') return 'the source returns all rows at once';
  if (window.kind !== 'offset' && window.kind !== 'page') return SEQUENTIAL_WINDOWS;
  if (window.shortPage === 'anywhere') return 'the source hides rows after it has paged them';
  if (spec.list.dropWhen.length > 0 || dropsDetails(spec))
    return 'rows that are no records are left out after paging';
  return spec.onInvalidRecord === 'drop'
    ? 'records may be left out, so only a scan knows the total'
    : undefined;
}
