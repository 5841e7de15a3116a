// Finds for `infer` the parameters of a service that sort, by sending usual ones and looking at the order of the rows.

import type { RequestSpec } from '../../../config/schema/source.ts';
import { compareIds } from '../../../contract/order.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import { compileSort } from '../dialects/change-request.ts';
import type { DialectSort, SortForm } from '../dialects/dialect.ts';
import type { IdKind, ListReader, ListReply } from '../requests/list-reader.ts';

/** Whether ids ascend in the contract's order, none of them twice. */
export function ascends(ids: readonly string[], kind: IdKind): boolean {
  const native = (id: string) => (kind === 'number' ? id.replace(/^0+(?=\d)/, '') : id);
  const natives = ids.map(native);
  return natives.every((id, index) => index === 0 || compareIds(natives[index - 1] ?? '', id, 0) < 0);
}

const sortBy = (query: Readonly<Record<string, string>>, ascending = 'asc', descending = 'desc') =>
  compileSort({ query, set: {}, ascending, descending });
const both = (by: string, direction: string) => sortBy({ [by]: '{column}', [direction]: '{direction}' });
const signed = (by: string) => sortBy({ [by]: '{direction}{column}' }, '', '-');
const suffixed = (by: string, mark: string) => sortBy({ [by]: `{column}${mark}{direction}` });

/** Common forms of sort parameters. */
export const USUAL_SORTS: readonly SortForm[] = [
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
  suffixed('filter[order]', ' '),
];

/**
 * Finds the form of the sort that orders the rows by their ids. In the reverse direction the rows must come in reverse, with a
 * different first row.
 */
export async function findSort(
  reader: ListReader,
  request: RequestSpec,
  { forms, column, kind }: { forms: readonly SortForm[]; column: string; kind: IdKind },
): Promise<{ readonly form: SortForm; readonly sort: DialectSort } | undefined> {
  for (const form of forms) {
    const sort = form.of(column);
    if (sort === undefined) continue;
    if (reader.client.callsLeft < 4) return undefined;
    const { listing: down } = await reader.read(sort.descending(request));
    if (down === undefined || down.rows.length < 2 || !ascends(down.ids.toReversed(), kind)) continue;
    const { listing: up } = await reader.read(sort.ascending(request));
    if (up !== undefined && ascends(up.ids, kind) && up.ids[0] !== down.ids[0]) return { form, sort };
  }
  return undefined;
}

/** Two requests for a sort by a column: `plain`, and `tied` with the id as the second column. */
type Tied = { readonly column: string; readonly plain: RequestSpec; readonly tied: RequestSpec };

const valuesOf = ({ rows }: ListReply, column: string) =>
  rows.map((row) => scalarText(row[column])?.toLowerCase() ?? '');

/**
 * Whether a service honours the id as the second column. Then the first column is in the same order as without it (but not in
 * that of `base`), and rows that tie come by ascending id. `undefined`: these rows do not show it.
 */
export async function honoursTiebreak(
  reader: ListReader,
  base: ListReply,
  { column, plain, tied }: Tied,
  kind: IdKind,
): Promise<boolean | undefined> {
  const { listing: one } = await reader.read(plain);
  if (one === undefined || one.rows.length < 2) return undefined;
  const values = valuesOf(one, column);
  const asInBase = valuesOf(base, column).slice(0, values.length);
  if (values.join('\n') === asInBase.join('\n')) return undefined;
  const { listing: both } = await reader.read(tied);
  if (both === undefined || valuesOf(both, column).join('\n') !== values.join('\n')) return false;
  const isTie = (index: number) => both.rows[index]?.[column] === both.rows[index - 1]?.[column];
  return both.ids.every(
    (id, index) => index === 0 || !isTie(index) || ascends([both.ids[index - 1] ?? '', id], kind),
  );
}
