// Writes the `sort` section of a draft, and what its list request needs for it.

import { idAsTiebreak } from '../../../source/checks/evidence/tiebreak.ts';
import type { SortTemplate } from '../dialects/dialect.ts';
import { setIn } from '../../../kernel/json/json-tree.ts';

/** The `sort` section of a draft. */
export type SortDraft = {
  readonly sort: Readonly<Record<string, unknown>>;
  /**
   * The only parameter of the sort: the list's request has {sort} there, and `none` in its place asks for the order by id.
   * Absent if there are several; then the section itself asks for the order by id if a request has no sort.
   */
  readonly parameter?: { readonly name: string; readonly none: string };
};

const COLUMN = '{column}';

/**
 * The `sort` section for a way to sort by any column. `columns` are the columns by field of the contract. A single
 * parameter always asks for the order by id, so that scans have an order, too.
 */
export function sortSection(
  { query, ascending, descending }: SortTemplate,
  columns: Readonly<Record<string, string>>,
): SortDraft | undefined {
  const id = columns['id'];
  const [[name, text] = ['', ''], ...more] = Object.entries(query);
  if (id === undefined || !Object.values(query).some((one) => one.includes(COLUMN))) return undefined;
  const directions = ['ascending', 'descending'];
  const isSingle = more.length === 0;
  const fields = Object.entries(columns).filter(([field]) => field !== 'id' || !isSingle);
  if (fields.length === 0) return undefined;
  const listed = Object.fromEntries(fields.map(([field, column]) => [field, { column, directions }]));
  const words = {
    ...(ascending !== 'asc' && { ascending }),
    ...(descending !== 'desc' && { descending }),
  };
  if (!isSingle) return { sort: { query, ...words, columns: listed } };
  const none = text.replace('{direction}', ascending).replace(COLUMN, id);
  return { sort: { expr: text, ...words, none, columns: listed }, parameter: { name, none } };
}

/** The same section with the id as the second column of every sort; `trial` is the descending sort by a column with it. */
export function withTiebreak(draft: SortDraft, id: string) {
  const { sort, parameter } = draft;
  const found = idAsTiebreak(sort, id);
  const name = found?.at[1] ?? parameter?.name;
  if (found === undefined || name === undefined) return undefined;
  const { at, template, tiebreak } = found;
  const { descending = 'desc' } = sort as { readonly descending?: string };
  const whole = template.replace('{direction}', descending).replace('{tiebreak}', tiebreak);
  const trial = (column: string) => ({ [name]: whole.replace(COLUMN, column) });
  const { columns, ...templates } = setIn(sort, at, template) as SortDraft['sort'];
  return { ...draft, sort: { ...templates, tiebreak, columns }, trial };
}
