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

/** Reads a request as the honest service does. */
export function readAsk(traits: Traits, request: UpstreamRequest, writes: number): Ask {
  const { query, path, number, origin } = request;
  const { window, base, sizeMax } = traits;
  const size = Math.max(1, Math.min(sizeMax, whole(query.get('limit'), 10)));
  const page = whole(query.get('page'), base) - base;
  const numbered = window === 'page' ? page * size : whole(query.get('offset'), base) - base;
  const isContinued = window === 'cursor' || window === 'link';
  const [, , one] = path.split('/').map(decodeURIComponent);
  const text = (name: string) => query.get(name) ?? undefined;
  return {
    ...{
      kind: one === undefined ? 'list' : one === 'count' && traits.total === 'count' ? 'count' : 'one',
      number,
      writes,
    },
    ...{ first: isContinued ? whole(query.get('cursor'), 0) : Math.max(0, numbered), size },
    after: text('after'),
    ...(traits.filters
      ? { category: text('category'), low: text('min_price'), high: text('max_price') }
      : { category: undefined, low: undefined, high: undefined }),
    sort: traits.sort ? sortOf(query.get('sort')) : undefined,
    ...{ id: one ?? '', origin, path, query },
  };
}
