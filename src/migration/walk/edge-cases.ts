// Lists the questions at the edges of what callers may ask of a resource.

import type { Filter, ListQuery, Query, Sort } from '../../contract/query.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { FilterParameter } from '../../contract/define-resource.ts';
import type { Resource } from '../../contract/resources.ts';
import { queryKey } from '../../contract/query-key.ts';
import { Decimal } from '../../kernel/decimal.ts';

/** A question at an edge of what callers may ask. */
export type EdgeCase = {
  /** What it is about, such as `page past the end`: never a value of a record. */
  readonly text: string;
  readonly query: Query;
};

/** What is known of the legacy source before the edges are asked for. */
export type KnownRecords = { readonly records: readonly CanonicalRecord[]; readonly total: number };

const USUAL = 20;
/** The smallest and the largest page of the contract. */
const LIMITS = [1, 100];
/** Values that no record has. */
const UNKNOWN_TEXT = 'no record has this value 7f3a';
const BEYOND = new Decimal(10n ** 12n, 0);

type NamedFilter = { readonly text: string; readonly filter: Filter };

/** A filter with the value of a record; none where no record has one. */
function knownFilter(
  { name, field, op }: FilterParameter,
  records: readonly CanonicalRecord[],
): readonly NamedFilter[] {
  const value = records.map((record) => record[field] ?? null).find((one) => one !== null);
  const text = `${name}=…`;
  if (op === 'eq') return typeof value === 'string' ? [{ text, filter: { field, op, value } }] : [];
  return value instanceof Decimal ? [{ text, filter: { field, op, value } }] : [];
}

/** A filter that no record passes. */
function emptyFilter({ name, field, op }: FilterParameter): NamedFilter {
  const text = `${name}=unknown`;
  if (op === 'eq') return { text, filter: { field, op, value: UNKNOWN_TEXT } };
  const value = op === 'ge' ? BEYOND : new Decimal(-BEYOND.digits, 0);
  return { text, filter: { field, op, value } };
}

const lastPage = (total: number, limit: number) => Math.max(1, Math.ceil(total / limit));

/** The pages at the edges of a list: first, last, past the end, and those of the smallest and the largest size. */
function pageCases({
  total,
}: KnownRecords): readonly (Pick<ListQuery, 'page' | 'limit'> & { text: string })[] {
  const last = lastPage(total, USUAL);
  return [
    { text: 'first page', page: 1, limit: USUAL },
    { text: 'last page', page: last, limit: USUAL },
    { text: 'page past the end', page: last + 1, limit: USUAL },
    { text: 'page far past the end', page: last + 1_000, limit: USUAL },
    ...LIMITS.flatMap((limit) => [
      { text: `limit=${limit}`, page: 1, limit },
      { text: `limit=${limit}, last page`, page: lastPage(total, limit), limit },
    ]),
  ];
}

/** The fixed suite: what live traffic hardly ever asks for, and where two services differ most easily. */
export function edgeCasesOf(resource: Resource, known: KnownRecords): readonly EdgeCase[] {
  const listOf = (text: string, more: Partial<ListQuery>): EdgeCase => ({
    text,
    query: {
      ...{ kind: 'list', resource: resource.name, page: 1, limit: USUAL, sort: null, filters: [] },
      ...more,
    },
  });
  const sorts = resource.sorts.flatMap((field): { text: string; sort: Sort }[] =>
    [false, true].map((descending) => ({
      text: `sort=${descending ? '-' : ''}${field}`,
      sort: { field, descending },
    })),
  );
  const filters = resource.filters.flatMap((one) => knownFilter(one, known.records));
  const pairs = filters.flatMap((one, at) => filters.slice(at + 1).map((other) => [one, other] as const));
  const lists = [
    ...pageCases(known).map(({ text, ...page }) => listOf(text, page)),
    ...sorts.map(({ text, sort }) => listOf(text, { sort })),
    ...resource.filters.map(emptyFilter).map(({ text, filter }) => listOf(text, { filters: [filter] })),
    ...filters.map(({ text, filter }) => listOf(text, { filters: [filter] })),
    ...filters.flatMap(({ text, filter }) =>
      sorts.map((one) => listOf(`${text}&${one.text}`, { filters: [filter], sort: one.sort })),
    ),
    ...pairs.map(([one, other]) =>
      listOf(`${one.text}&${other.text}`, { filters: [one.filter, other.filter] }),
    ),
  ];
  const distinct = [...new Map(lists.map((one) => [queryKey(one.query), one])).values()];
  if (resource.detail === null) return distinct;
  const ids = ['999999999999', 'no-such-id'].map((end) => `${resource.idPrefix}_${end}`);
  const get = (id: string) => ({ kind: 'get', resource: resource.name, id }) as const;
  return [
    ...distinct,
    ...ids.map((id) => ({ text: `unknown id ${id}`, query: get(id) })),
    ...known.records.slice(0, 1).map(({ id }) => ({ text: 'first record', query: get(id) })),
  ];
}
