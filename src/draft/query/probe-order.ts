import type { RequestSpec } from '../../config/schema/source.ts';
import { compareCodePoints, idSortKey } from '../../contract/order.ts';
import { type DialectSort, sortByQuery } from '../dialects/dialect.ts';
import type { ListReader } from '../requests/list-reader.ts';

/** What native ids are: whole numbers, or any text. */
export type IdKind = 'number' | 'text';

/** Whether ids ascend in the contract's order, none of them twice. */
export function ascends(ids: readonly string[], kind: IdKind): boolean {
  const native = (id: string) => (kind === 'number' ? id.replace(/^0+(?=\d)/, '') : id);
  const keys = ids.map((id) => idSortKey(`id_${native(id)}`));
  return keys.every((key, index) => index === 0 || compareCodePoints(keys[index - 1] ?? '', key) < 0);
}

/** A way to sort by a column. */
export type SortForm = (column: string) => DialectSort;

/** Common forms of sort parameters for a column. */
function sortsFor(column: string): readonly DialectSort[] {
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

/** Common forms of sort parameters. */
export const USUAL_SORTS: readonly SortForm[] = sortsFor('').map(
  (_, index) => (column) => sortsFor(column)[index] ?? sortByQuery({}, {}),
);

/**
 * Finds the form of the sort that orders the rows by their ids. In the reverse direction the rows must come in reverse, with a
 * different first row.
 */
export async function findSort(
  reader: ListReader,
  request: RequestSpec,
  { forms, column, kind }: { forms: readonly SortForm[]; column: string; kind: IdKind },
): Promise<SortForm | undefined> {
  for (const form of forms) {
    if (reader.client.callsLeft < 4) return undefined;
    const sort = form(column);
    const { listing: down } = await reader.read(sort.descending(request));
    if (down === undefined || down.rows.length < 2 || !ascends(down.ids.toReversed(), kind)) continue;
    const { listing: up } = await reader.read(sort.ascending(request));
    if (up !== undefined && ascends(up.ids, kind) && up.ids[0] !== down.ids[0]) return form;
  }
  return undefined;
}
