import type { Resource } from '../../../contract/resources.ts';

/** A record of an answer, as far as requests are made from it. */
export type AnsweredRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** Rows of a trial's page. */
const LIMIT = 10;

/** The first value of a field that records have. */
function valueOf(records: readonly AnsweredRecord[], field: string): string | undefined {
  const value = records.map((record) => record[field]).find((one) => one !== null && one !== undefined);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** A request, and how it is displayed: without values of records. */
export type TrialRequest = { readonly request: string; readonly shown: string };

const asShown = (request: string): TrialRequest => ({ request, shown: request });

/**
 * One request of each kind that callers make of a resource: the second page and the last, each filter with a value of
 * `records`, each sort both ways, and a single record. `total` is that of the list.
 */
export function trialRequests(
  { name, filters, sorts, detail, idPrefix }: Resource,
  records: readonly AnsweredRecord[],
  total: number,
): readonly TrialRequest[] {
  const list = `GET /v1/${name}?limit=${LIMIT}`;
  const last = Math.ceil(total / LIMIT);
  const pages = [...new Set([2, last])].filter((page) => page > 1 && page <= Math.max(2, last));
  const filtered = filters.flatMap((filter) => {
    const value = valueOf(records, filter.field);
    if (value === undefined) return [];
    const request = `${list}&${filter.name}=${encodeURIComponent(value)}`;
    return [{ request, shown: `${list}&${filter.name}=…` }];
  });
  const sorted = sorts.flatMap((field) => [`${list}&sort=${field}`, `${list}&sort=-${field}`]);
  const id = records.at(-1)?.id;
  return [
    ...pages.map((page) => asShown(`${list}&page=${page}`)),
    ...filtered,
    ...sorted.map(asShown),
    ...(detail === null || id === undefined
      ? []
      : [{ request: `GET /v1/${name}/${id}`, shown: `GET /v1/${name}/${idPrefix}_…` }]),
  ];
}

/** The request that a trial begins with. */
export function plainRequest({ name }: Resource): TrialRequest {
  return asShown(`GET /v1/${name}?limit=${LIMIT}`);
}
