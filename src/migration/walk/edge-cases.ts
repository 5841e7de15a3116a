// Lists the edge cases of a resource: questions that callers hardly ever ask, and at which two services often differ.

import { type ListQuery, type Query, queryKey } from '../../contract/query.ts';
import { filterWithFewMatches, sortsOf } from '../../contract/example-filters.ts';
import type { Resource } from '../../contract/resource.ts';
import type { ListedPage } from '../compare/read-body.ts';
import { filtersOf, firstPageQuery, SAMPLE_LIMIT } from '../tasks/sample-questions.ts';

/** An edge case: a question, and its name. */
export type EdgeCase = {
  /** The name, such as `page past the end`. It never contains a value of a record. */
  readonly text: string;
  readonly query: Query;
};

const lastPage = (total: number, limit: number) => Math.max(1, Math.ceil(total / limit));

/** The first page, the last page, pages past the end, and pages of the smallest and the largest size. */
function pageCases(
  total: number,
  { pages }: Resource,
): readonly (Pick<ListQuery, 'page' | 'limit'> & { text: string })[] {
  const last = lastPage(total, SAMPLE_LIMIT);
  return [
    { text: 'first page', page: 1, limit: SAMPLE_LIMIT },
    { text: 'last page', page: last, limit: SAMPLE_LIMIT },
    { text: 'page past the end', page: last + 1, limit: SAMPLE_LIMIT },
    { text: 'page far past the end', page: last + 1_000, limit: SAMPLE_LIMIT },
    ...[1, pages.max].flatMap((limit) => [
      { text: `limit=${limit}`, page: 1, limit },
      { text: `limit=${limit}, last page`, page: lastPage(total, limit), limit },
    ]),
  ];
}

/** The edge cases of a resource. `known` is a page of the legacy source, from which values for filters are taken. */
export function edgeCasesOf(resource: Resource, known: ListedPage): readonly EdgeCase[] {
  const listOf = (text: string, more: Partial<ListQuery>): EdgeCase => ({
    text,
    query: firstPageQuery(resource, more),
  });
  const sorts = sortsOf(resource);
  const filters = filtersOf(resource, known.records);
  const pairs = filters.flatMap((one, at) => filters.slice(at + 1).map((other) => [one, other] as const));
  const lists = [
    ...pageCases(known.total, resource).map(({ text, ...page }) => listOf(text, page)),
    ...sorts.map(({ text, sort }) => listOf(text, { sort })),
    ...resource.filters.map((one) => listOf(`${one.name}=unknown`, { filters: [filterWithFewMatches(one)] })),
    ...filters.map(({ text, filter }) => listOf(text, { filters: [filter] })),
    ...filters.flatMap(({ text, filter }) =>
      sorts.map((one) => listOf(`${text}&${one.text}`, { filters: [filter], sort: one.sort })),
    ),
    ...pairs.map(([one, other]) =>
      listOf(`${one.text}&${other.text}`, { filters: [one.filter, other.filter] }),
    ),
  ];
  const distinct = [...new Map(lists.map((one) => [queryKey(one.query), one])).values()];
  if (!resource.hasSingle) return distinct;
  const ids = ['999999999999', 'no-such-id'].map((end) => resource.idStart + end);
  const get = (id: string) => ({ kind: 'get', resource: resource.name, id }) as const;
  return [
    ...distinct,
    ...ids.map((id) => ({ text: `unknown id ${id}`, query: get(id) })),
    ...known.records.slice(0, 1).map(({ id }) => ({ text: 'first record', query: get(id) })),
  ];
}
