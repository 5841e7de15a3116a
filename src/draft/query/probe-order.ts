import type { RequestSpec } from '../../config/schema/source.ts';
import { compareCodePoints } from '../../contract/order.ts';
import { type DialectSort, sortByQuery } from '../dialects/dialect.ts';
import type { ListReader } from '../requests/list-reader.ts';

/** How native ids are compared: as numbers, or code point by code point. */
export type IdKind = 'number' | 'text';

function compareIds(a: string, b: string, kind: IdKind): number {
  if (kind === 'text') return compareCodePoints(a, b);
  const [left, right] = [BigInt(a), BigInt(b)];
  return left < right ? -1 : Number(left > right);
}

/** Whether ids ascend, none of them twice. */
export function ascends(ids: readonly string[], kind: IdKind): boolean {
  const usable = kind === 'text' || ids.every((id) => /^\d+$/.test(id));
  return usable && ids.every((id, index) => index === 0 || compareIds(ids[index - 1] ?? '', id, kind) < 0);
}

/** Common forms of sort parameters. */
export function usualSorts(column: string): readonly DialectSort[] {
  const both = (by: string, direction: string) =>
    sortByQuery({ [by]: column, [direction]: 'asc' }, { [by]: column, [direction]: 'desc' });
  const signed = (by: string) => sortByQuery({ [by]: column }, { [by]: `-${column}` });
  const suffixed = (by: string, mark: string) =>
    sortByQuery({ [by]: `${column}${mark}asc` }, { [by]: `${column}${mark}desc` });
  return [
    signed('sort'),
    both('_sort', '_order'),
    both('sort', 'order'),
    suffixed('sort', ','),
    suffixed('sort', ':'),
    both('sort_by', 'order'),
    both('sortBy', 'sortOrder'),
    both('sortBy', 'order'),
    both('orderby', 'order'),
    both('sort', 'direction'),
    both('order_by', 'direction'),
    signed('ordering'),
    signed('order_by'),
    suffixed('order', '.'),
  ];
}

/**
 * Finds the sort that orders the rows by their ids. In the reverse direction the rows must come in reverse, with a
 * different first row.
 */
export async function findSort(
  reader: ListReader,
  request: RequestSpec,
  sorts: readonly DialectSort[],
  kind: IdKind,
): Promise<DialectSort | undefined> {
  for (const sort of sorts) {
    if (reader.client.callsLeft < 4) return undefined;
    const { listing: down } = await reader.read(sort.descending(request));
    if (down === undefined || down.rows.length < 2 || !ascends(down.ids.toReversed(), kind)) continue;
    const { listing: up } = await reader.read(sort.ascending(request));
    if (up !== undefined && ascends(up.ids, kind) && up.ids[0] !== down.ids[0]) return sort;
  }
  return undefined;
}
