import type { UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import type { Traits } from './traits.ts';

/** What a request asks of the service. */
export type Ask = {
  readonly kind: 'list' | 'count' | 'one';
  /** Counts the requests, from 1. */
  readonly number: number;
  /** Writes that there have been. */
  readonly writes: number;
  /** From 0. */
  readonly first: number;
  readonly size: number;
  /** The native id behind which rows are asked for. */
  readonly after: string | undefined;
  readonly category: string | undefined;
  readonly low: string | undefined;
  readonly high: string | undefined;
  readonly sort: { readonly field: string; readonly descending: boolean } | undefined;
  /** The native id of the record that is asked for. */
  readonly id: string;
  readonly origin: string;
  readonly path: string;
  readonly query: URLSearchParams;
};

/** What a service with windows of the kind `continue` has sent back beside the number of a row. */
export const CONTINUED = '-||';

/** How many values of the contract's parameters restrict the rows. */
export function filtersOf({ category, low, high }: Ask): number {
  return [category, low, high].filter((value) => value !== undefined).length;
}

function sortOf(text: string | null): Ask['sort'] {
  if (text === null || text === '') return undefined;
  const descending = text.startsWith('-');
  return { field: descending ? text.slice(1) : text, descending };
}

function whole(text: string | null, fallback: number): number {
  return text !== null && /^\d+$/.test(text) ? Number(text) : fallback;
}

/** A request in GraphQL as the same one to addresses: its variables are parameters, and that of one record ends its path. */
function asAddress({ resource }: Traits, request: UpstreamRequest): Pick<UpstreamRequest, 'path' | 'query'> {
  const { variables = {} } = JSON.parse(request.body || '{}') as {
    variables?: Record<string, string | number>;
  };
  const { id, ...others } = variables;
  const parameters = Object.entries(others).map(([name, value]): [string, string] => [name, String(value)]);
  const path = `/${resource}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
  return { path, query: new URLSearchParams(parameters) };
}

/** The first row of a window that a reply named. Of several parameters that it gave, all must come back. */
function continuedAt(window: Traits['window'], query: URLSearchParams): number {
  if (window !== 'continue') return whole(query.get('cursor'), 0);
  return query.get('continue') === CONTINUED ? whole(query.get('from'), 0) : 0;
}

/** Reads a request as the correct service does. */
export function readAsk(traits: Traits, request: UpstreamRequest, writes: number): Ask {
  const { number, origin } = request;
  const { path, query } = traits.graphql === undefined ? request : asAddress(traits, request);
  const { window, base, sizeMax } = traits;
  const size = Math.max(1, Math.min(sizeMax, whole(query.get('limit'), 10)));
  const page = whole(query.get('page'), base) - base;
  const numbered = window === 'page' ? page * size : whole(query.get('offset'), base) - base;
  const isContinued = window === 'cursor' || window === 'link' || window === 'continue';
  const [, , one] = path.split('/').map(decodeURIComponent);
  const text = (name: string) => query.get(name) ?? undefined;
  return {
    ...{
      kind: one === undefined ? 'list' : one === 'count' && traits.total === 'count' ? 'count' : 'one',
      number,
      writes,
    },
    ...{ first: isContinued ? continuedAt(window, query) : Math.max(0, numbered), size },
    after: text('after'),
    ...(traits.filters
      ? { category: text('category'), low: text('min_price'), high: text('max_price') }
      : { category: undefined, low: undefined, high: undefined }),
    sort: traits.sort ? sortOf(query.get('sort')) : undefined,
    ...{ id: one ?? '', origin, path, query },
  };
}
