// Chooses the requests that `test --record` records of a source, one of each kind; `infer` tries its draft with some of them.

import type { FilterParameter, Resource } from '../../contract/resource.ts';
import type { Json } from '../../kernel/json/json.ts';
import { isList, isObject, scalarText } from '../../kernel/json/values.ts';

/** A request of the contract, and the name of the fixture that it becomes. */
export type NamedRequest = { readonly name: string; readonly request: string };

/** What the first page of a list shows: its total and its records. */
export type FirstPage = {
  readonly total: number;
  readonly records: readonly Readonly<Record<string, Json>>[];
};

/** The number of rows of a recorded page: enough to show an order, few enough for people to read. */
const PAGE_ROWS = 3;

/** The fixture's name for a given request: `GET /v1/users?limit=3` is `users-limit-3`. */
export function nameOf(request: string): string {
  const words = request
    .replace(/^GET \/v\d+\//, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return words.slice(0, 80).toLowerCase();
}

/** The first request of a resource, from which the others follow. */
export function firstRequest({ name, path }: Resource): NamedRequest {
  return { name: `${name}-first-page`, request: `GET ${path}?limit=${PAGE_ROWS}` };
}

/** A request of one kind, and how it may be displayed: with … for each value of a record. */
type KindRequest = NamedRequest & { readonly shown: string };

/** The values of records for a filter, as its parameter writes them; of a list, the first element. */
function valuesFor({ field, op }: FilterParameter, records: FirstPage['records']): readonly string[] {
  if (op === 'known') return ['true'];
  return records.flatMap((record) => {
    const found = field
      .split('.')
      .reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), record);
    const value = isList(found) ? found[0] : found;
    return typeof value === 'boolean' ? String(value) : (scalarText(value) ?? []);
  });
}

/** The requests for filtered lists, for sorted lists and for one record. Their values are those of some records. */
export function requestsOfKinds(
  { name, path, filters, sorts, hasSingle, idStart }: Resource,
  records: FirstPage['records'],
  limit: number,
): readonly KindRequest[] {
  const list = `GET ${path}?limit=${limit}`;
  const filtered = filters.flatMap((filter) => {
    const values = valuesFor(filter, records);
    // A value in the middle, so that a filter by a range has some values below it and some above.
    const value = values[Math.floor(values.length / 2)];
    if (value === undefined) return [];
    const asked = `${list}&${filter.name}=`;
    const named = `${name}-${filter.name.replaceAll('_', '-')}`;
    return [{ name: named, request: asked + encodeURIComponent(value), shown: `${asked}…` }];
  });
  const sorted = sorts.flatMap((field) =>
    ['', '-'].map((sign) => {
      const request = `${list}&sort=${sign}${field}`;
      const ending = sign === '' ? '' : '-descending';
      return { name: `${name}-sort-${field.replaceAll('_', '-')}${ending}`, request, shown: request };
    }),
  );
  const id = scalarText(records.at(-1)?.['id']);
  if (!hasSingle || id === undefined) return [...filtered, ...sorted];
  const single = { request: `GET ${path}/${id}`, shown: `GET ${path}/${idStart}…` };
  return [...filtered, ...sorted, { name: `${name}-single`, ...single }];
}

/** An id of the same shape as another, which no record is likely to have. */
export function missingId(id: string, start: string): string {
  const native = id.slice(start.length);
  if (/^\d+$/.test(native)) return `${start}${BigInt(native) + 999_999_937n}`;
  return `${start}${native.replaceAll(/[A-Za-z0-9]/g, (character) => (/\d/.test(character) ? '0' : 'z'))}`;
}

/** The other requests that show what a source does: pages, sorts, filters, a record, and an id that no record has. */
export function followingRequests(resource: Resource, first: FirstPage): readonly NamedRequest[] {
  const { name, path, idStart, hasSingle } = resource;
  const pages = Math.ceil(first.total / PAGE_ROWS);
  const page = (word: string, number: number) => ({
    name: `${name}-${word}`,
    request: `GET ${path}?limit=${PAGE_ROWS}&page=${number}`,
  });
  const id = !hasSingle ? undefined : scalarText(first.records.at(-1)?.['id']);
  return [
    ...(pages > 2 ? [page('middle-page', Math.ceil(pages / 2))] : []),
    page('past-the-end', pages + 1),
    ...requestsOfKinds(resource, first.records, PAGE_ROWS),
    ...(id === undefined
      ? []
      : [{ name: `${name}-not-found`, request: `GET ${path}/${missingId(id, idStart)}` }]),
  ];
}
