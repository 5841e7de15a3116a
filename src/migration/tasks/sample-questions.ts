// Questions about a resource that Portico asks without a caller: the first page of its list, and each filter.

import { isScalar, ListValue } from '../../contract/list-value.ts';
import type { Filter, ListQuery } from '../../contract/query.ts';
import type { Resource } from '../../contract/resource.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { filterWith } from '../../contract/example-filters.ts';

/** The size of a page. This number of records is enough to see whether two services have the same data. */
export const SAMPLE_LIMIT = 20;

/** The query for the first page of a list; `more` replaces parts of it. */
export function firstPageQuery({ name: resource }: Resource, more: Partial<ListQuery> = {}): ListQuery {
  return { kind: 'list', resource, page: 1, limit: SAMPLE_LIMIT, sort: null, filters: [], ...more };
}

/** A filter and its text, such as `category=…`, which never contains a value of a record. */
export type NamedFilter = { readonly text: string; readonly filter: Filter };

/** All filters of a resource, each with a value of one of the records; a filter for which no record has a value is left out. */
export function filtersOf(
  { filters }: Resource,
  records: readonly CanonicalRecord[],
): readonly NamedFilter[] {
  return filters.flatMap((parameter): readonly NamedFilter[] => {
    const value = records.map((record) => record[parameter.field] ?? null).find((one) => one !== null);
    const one = value instanceof ListValue ? value.elements.find(isScalar) : value;
    if (one === undefined) return [];
    return [{ text: `${parameter.name}=…`, filter: filterWith(parameter, one) }];
  });
}
