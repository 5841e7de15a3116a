import type { Resource } from '../../contract/resources.ts';

/** A record of an answer, as far as requests are made from it. */
export type AnsweredRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** Rows of a trial's page. */
const LIMIT = 10;

/** The first value of a field that records have. */
function valueOf(records: readonly AnsweredRecord[], field: string): string | undefined {
  const value = records.map((record) => record[field]).find((one) => one !== null && one !== undefined);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/**
 * One request of each kind that callers make of a resource: the second page and the last, each filter with a value of
 * `records`, each sort both ways, and a single record. `total` is that of the list.
 */
export function trialRequests(
  { name, filters, sorts, detail }: Resource,
  records: readonly AnsweredRecord[],
  total: number,
): readonly string[] {
  const list = `GET /v1/${name}?limit=${LIMIT}`;
  const last = Math.ceil(total / LIMIT);
  const pages = [...new Set([2, last])].filter((page) => page > 1 && page <= Math.max(2, last));
  const filtered = filters.flatMap((filter) => {
    const value = valueOf(records, filter.field);
    return value === undefined ? [] : [`${list}&${filter.name}=${encodeURIComponent(value)}`];
  });
  const sorted = sorts.flatMap((field) => [`${list}&sort=${field}`, `${list}&sort=-${field}`]);
  const id = records.at(-1)?.id;
  return [
    ...pages.map((page) => `${list}&page=${page}`),
    ...filtered,
    ...sorted,
    ...(detail === null || id === undefined ? [] : [`GET /v1/${name}/${id}`]),
  ];
}

/** The request that a trial begins with. */
export function plainRequest({ name }: Resource): string {
  return `GET /v1/${name}?limit=${LIMIT}`;
}
