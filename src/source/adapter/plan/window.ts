// Compiles the kinds of windows, which are the ways to ask a source for a part of its list: offset, page, cursor and others.

import type { ListSpec, RequestSpec } from '../../../config/schema/source.ts';

/** The upstream call for one window: the variables of the request's templates, or the target of a link. */
export type WindowCall = {
  /** The number of the first row, from 0. */
  readonly firstRow: number;
  /** The most rows that the call may return; `Infinity` if one call returns everything. */
  readonly size: number;
  readonly variables: Readonly<Record<string, number | string>>;
  readonly target?: string;
  /** Query parts of a continuation, percent-encoded. */
  readonly query?: readonly string[];
  /** Constant page sizes of the request, with their names. If exactly as many rows come, the list may be cut off there. */
  readonly constantSizes?: ReadonlyMap<number, string>;
};

/** Random access: any rows can be requested by number. */
export type RandomWindow = {
  readonly kind: 'random';
  /** The variables that the templates of the request may name. */
  readonly variables: readonly string[];
  /** The fewest calls that cover the rows `[offset, offset + limit)`. */
  cover(offset: number, limit: number): readonly WindowCall[];
  /** The calls of a scan, first to last; `index` counts from 0. */
  scanCall(index: number): WindowCall;
  /** The window behind the last row received, for lists whose number of rows is unknown. */
  after(call: WindowCall, received: number): WindowCall;
  /** The rows that a scan call requests; `Infinity` if one call returns everything. */
  readonly scanSize: number;
  /** Whether a request past the last row returns an empty window instead of an error. */
  readonly endsEmpty: boolean;
  /** Whether only the last window has fewer rows than requested. */
  readonly shortAtEnd: boolean;
  /** The most rows that can be reached. */
  readonly depthMax: number;
  /** The same window with at most so many rows in a call; `undefined` if the source has no windows so small. */
  readonly upTo?: (rows: number) => RandomWindow | undefined;
};

/** Sequential access: each window names the next one. */
export type SequentialWindow = {
  readonly kind: 'sequential';
  readonly variables: readonly string[];
  readonly first: WindowCall;
  /** The window after `call`. `next` is what named it: a cursor, a key, the target of a link, or parameters. */
  after(call: WindowCall, next: string, received: number): WindowCall;
};

/** Maps rows to the windows that a source can be asked for. */
export type Window = RandomWindow | SequentialWindow;

type Kind<K> = Extract<ListSpec['window'], { kind: K }>;

function offsetWindow(spec: Kind<'offset'>): RandomWindow {
  const { base, sizeMax, pastEnd, shortPage, depthMax = Infinity } = spec;
  const call = (firstRow: number, wanted: number) => {
    // Sources refuse a window beyond their depth limit, even if it has no rows.
    const size = Math.max(1, Math.min(wanted, depthMax - firstRow));
    return {
      firstRow,
      size,
      variables: {
        offset: firstRow + base,
        limit: size,
        lastRow: firstRow + size - 1 + base,
        endRow: firstRow + size + base,
      },
    };
  };
  return {
    kind: 'random',
    variables: ['offset', 'limit', 'lastRow', 'endRow'],
    cover(offset, limit) {
      const calls: WindowCall[] = [];
      for (let done = 0; done < limit; done += sizeMax)
        calls.push(call(offset + done, Math.min(sizeMax, limit - done)));
      return calls;
    },
    scanCall: (index) => call(index * sizeMax, sizeMax),
    after({ firstRow, size }, received) {
      // The next window starts after the received rows: if the source returned too few, the next rows reveal it.
      return call(firstRow + (shortPage === 'end' ? received : size), sizeMax);
    },
    scanSize: sizeMax,
    endsEmpty: pastEnd === 'empty',
    shortAtEnd: shortPage === 'end',
    depthMax,
    upTo: (rows) => (rows < 1 ? undefined : offsetWindow({ ...spec, sizeMax: Math.min(sizeMax, rows) })),
  };
}

function pageWindow(spec: Kind<'page'>): RandomWindow {
  const { base, sizes, pastEnd, shortPage, depthMax = Infinity } = spec;
  const largest = Math.max(...sizes);
  const ascending = [...sizes].sort((a, b) => a - b);
  const call = (page: number, size: number) => ({
    firstRow: page * size,
    size,
    variables: { page: page + base, limit: size },
  });
  return {
    kind: 'random',
    variables: ['page', 'limit'],
    cover(offset, limit) {
      const first = (size: number) => Math.floor(offset / size);
      const count = (size: number) => Math.floor((offset + limit - 1) / size) - first(size) + 1;
      // The fewest calls; among those the smallest pages, to read no unneeded rows.
      const size = ascending.reduce((best, next) => (count(next) < count(best) ? next : best));
      return Array.from({ length: count(size) }, (_, i) => call(first(size) + i, size));
    },
    scanCall: (index) => call(index, largest),
    after: ({ firstRow, size }) => call(firstRow / size + 1, size),
    scanSize: largest,
    endsEmpty: pastEnd === 'empty',
    shortAtEnd: shortPage === 'end',
    depthMax,
    upTo(rows) {
      const smaller = sizes.filter((size) => size <= rows);
      return smaller.length === 0 ? undefined : pageWindow({ ...spec, sizes: smaller });
    },
  };
}

const ALL_ROWS: WindowCall = { firstRow: 0, size: Infinity, variables: {} };

function everything(sizes: ReadonlyMap<number, string>): RandomWindow {
  const all: WindowCall = sizes.size === 0 ? ALL_ROWS : { ...ALL_ROWS, constantSizes: sizes };
  return {
    kind: 'random',
    variables: [],
    cover: () => [all],
    scanCall: () => all,
    after: () => all,
    scanSize: Infinity,
    endsEmpty: true,
    shortAtEnd: true,
    depthMax: Infinity,
  };
}

/**
 * Windows of which each names the next one. The name is sent as a variable (`cursor`, or `after` for the key of the last row), as
 * the target of a link, or as the parameters that the reply before named: query parts joined by `&`.
 */
function sequentialWindow(name: 'cursor' | 'after' | 'target' | 'query', size: number): SequentialWindow {
  const variables = { limit: size };
  const isVariable = name === 'cursor' || name === 'after';
  return {
    kind: 'sequential',
    variables: isVariable ? ['limit', name] : ['limit'],
    first: { firstRow: 0, size, variables },
    after(call, next, received) {
      const firstRow = call.firstRow + received;
      if (name === 'target') return { firstRow, size, variables: {}, target: next };
      if (name === 'query') return { firstRow, size, variables, query: next.split('&') };
      return { firstRow, size, variables: { limit: size, [name]: next } };
    },
  };
}

/** The usual names of a page size, followed by a number: `limit=50`, `page[size]=50`, `first: 50`, `"maxResults":50`. */
const SIZE =
  /(?<![a-z])((?:[a-z]+_)?limit|(?:page|batch|fetch)?_?size|(?:results?_?)?per_?page|max_?(?:results?|records?|rows|items|count)?|\$?top|first|take|rows|count|num|n)[\])"]{0,2}\s*[=:\s]\s*"?(\d{1,7})(?!\d)/gi;

/** The constant page sizes in a request, each with its name: 50 is `limit`. */
function constantSizes({ path, query, body }: RequestSpec): ReadonlyMap<number, string> {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const texts = [path, ...parameters, ...(body === undefined ? [] : [JSON.stringify(body)])];
  const found = texts.flatMap((text) => [...text.replaceAll('\\', '').matchAll(SIZE)]);
  return new Map(found.map(([, name = '', size]) => [Number(size), name]));
}

/** Compiles the windows of a list. */
export function compileWindow(spec: ListSpec['window'], request?: RequestSpec): Window {
  switch (spec.kind) {
    case 'offset':
      return offsetWindow(spec);
    case 'page':
      return pageWindow(spec);
    case 'cursor':
      return sequentialWindow('cursor', spec.sizeMax);
    case 'continue':
      return sequentialWindow('query', spec.sizeMax);
    case 'keyset':
      return sequentialWindow('after', spec.sizeMax);
    case 'link':
      return sequentialWindow('target', spec.sizeMax);
    case 'none':
      return everything(request === undefined ? new Map() : constantSizes(request));
  }
}
