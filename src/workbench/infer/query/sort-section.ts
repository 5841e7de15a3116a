// Writes the `sort` section of a draft, and what its list request needs for it.

import type { RequestSpec } from '../../../config/schema/source.ts';
import { idAsTiebreak } from '../../../source/checks/evidence/tiebreak.ts';
import type { DialectSort } from '../dialects/dialect.ts';
import { setIn } from '../../../kernel/json/json-tree.ts';
import type { SortForm } from './find-sort.ts';

/** The `sort` section of a draft, and the request that asks for it. */
export type SortDraft = {
  readonly sort: Readonly<Record<string, unknown>>;
  /** Adds what the section needs in the list's request. */
  readonly extend: (request: RequestSpec) => RequestSpec;
  /** Whether the section itself asks for the order by id if a request has no sort. */
  readonly holdsOrder: boolean;
  /** The value of {sort} in a request without a sort. */
  readonly none?: string;
};

const COLUMN = '{column}';
const EMPTY: RequestSpec = { method: 'GET', path: '', query: {}, headers: {} };

/** The parts of two texts that differ, widened to whole words: `asc` and `desc`, not `a` and `de`. */
function differingParts(up: string, down: string): readonly [string, string] | undefined {
  if (up === down) return undefined;
  let start = 0;
  while (start < up.length && up[start] === down[start]) start += 1;
  let end = 0;
  while (end < Math.min(up.length, down.length) - start && up.at(-1 - end) === down.at(-1 - end)) end += 1;
  const isWord = (character: string | undefined) => /\w/.test(character ?? '');
  while (start > 0 && isWord(up[start - 1])) start -= 1;
  while (end > 0 && isWord(up.at(-end)) && !up.slice(-end).startsWith(COLUMN.slice(0, 1))) end -= 1;
  return [up.slice(start, up.length - end), down.slice(start, down.length - end)];
}

/** A form of sorting as a template: parameters with {column} and {direction}, and the words for the directions. */
function templateOf(sort: DialectSort) {
  const [up, down] = [sort.ascending(EMPTY), sort.descending(EMPTY)];
  const names = [...new Set([...Object.keys(up.query), ...Object.keys(down.query)])];
  const pairs = names.map((name) => [name, up.query[name] ?? '', down.query[name] ?? ''] as const);
  const different = pairs.filter(([, one, other]) => one !== other);
  const [first] = different;
  const parts = first && differingParts(first[1], first[2]);
  if (first === undefined || parts === undefined || different.length > 1) return undefined;
  if (!pairs.some(([, text]) => text.includes(COLUMN))) return undefined;
  const [ascending, descending] = parts;
  const query = Object.fromEntries(
    pairs.map(([name, one, other]) => {
      if (name !== first[0]) return [name, one];
      // If only one direction has a word, the text with that word shows its place.
      return descending === ''
        ? [name, one.replace(ascending, '{direction}')]
        : [name, other.replace(descending, '{direction}')];
    }),
  );
  return { query, ascending, descending };
}

/**
 * The `sort` section for a way to sort by any column. `columns` are the columns by field of the contract. A single
 * parameter always asks for the order by id, so that scans have an order, too.
 */
export function sortSection(
  form: SortForm,
  columns: Readonly<Record<string, string>>,
): SortDraft | undefined {
  const sort = form(COLUMN);
  const template = sort && templateOf(sort);
  const id = columns['id'];
  if (template === undefined || id === undefined) return undefined;
  const { query, ascending, descending } = template;
  const [[name, text] = ['', ''], ...more] = Object.entries(query);
  const directions = ['ascending', 'descending'];
  const isSingle = more.length === 0;
  const fields = Object.entries(columns).filter(([field]) => field !== 'id' || !isSingle);
  if (fields.length === 0) return undefined;
  const listed = Object.fromEntries(fields.map(([field, column]) => [field, { column, directions }]));
  const words = {
    ...(ascending !== 'asc' && { ascending }),
    ...(descending !== 'desc' && { descending }),
  };
  if (!isSingle)
    return { sort: { query, ...words, columns: listed }, extend: (request) => request, holdsOrder: true };
  const none = text.replace('{direction}', ascending).replace(COLUMN, id);
  return {
    sort: { expr: text, ...words, none, columns: listed },
    extend: (request) => ({ ...request, query: { ...request.query, [name]: '{sort}' } }),
    holdsOrder: false,
    none,
  };
}

/** The same section with the id as the second column of every sort; `trial` is the descending sort by a column with it. */
export function withTiebreak(draft: SortDraft, id: string) {
  const { sort, extend } = draft;
  const found = idAsTiebreak(sort, id);
  const name = found?.at[1] ?? Object.keys(extend(EMPTY).query)[0];
  if (found === undefined || name === undefined) return undefined;
  const { at, template, tiebreak } = found;
  const { descending = 'desc' } = sort as { readonly descending?: string };
  const whole = template.replace('{direction}', descending).replace('{tiebreak}', tiebreak);
  const trial = (column: string) => ({ [name]: whole.replace(COLUMN, column) });
  const { columns, ...templates } = setIn(sort, at, template) as SortDraft['sort'];
  return { ...draft, sort: { ...templates, tiebreak, columns }, trial };
}
