import type { ListSpec } from '../config/source-schema.ts';

/** Rows `[firstRow, firstRow + size)` as one upstream call: the variables its templates need. */
export type WindowCall = {
  readonly firstRow: number;
  readonly size: number;
  readonly variables: Readonly<Record<string, number>>;
};

/** Translates rows into the windows a source can be asked for. */
export type Window = {
  /** The variables its templates may name. */
  readonly variables: readonly string[];
  /** The fewest calls that cover rows `[offset, offset + limit)`. */
  cover(offset: number, limit: number): readonly WindowCall[];
  /** The calls of a scan, largest windows first to last; `index` counts from 0. */
  scanCall(index: number): WindowCall;
  /** Rows a scan call asks for; `Infinity` where one call returns everything. */
  readonly scanSize: number;
};

type Kind<K> = Extract<ListSpec['window'], { kind: K }>;

function offsetWindow({ base, sizeMax }: Kind<'offset'>): Window {
  const call = (firstRow: number, size: number) => ({
    firstRow,
    size,
    variables: { offset: firstRow + base, limit: size },
  });
  return {
    variables: ['offset', 'limit'],
    cover(offset, limit) {
      const calls: WindowCall[] = [];
      for (let done = 0; done < limit; done += sizeMax)
        calls.push(call(offset + done, Math.min(sizeMax, limit - done)));
      return calls;
    },
    scanCall: (index) => call(index * sizeMax, sizeMax),
    scanSize: sizeMax,
  };
}

function pageWindow({ base, sizes }: Kind<'page'>): Window {
  const largest = Math.max(...sizes);
  const ascending = [...sizes].sort((a, b) => a - b);
  const call = (page: number, size: number) => ({
    firstRow: page * size,
    size,
    variables: { page: page + base, limit: size },
  });
  return {
    variables: ['page', 'limit'],
    cover(offset, limit) {
      const first = (size: number) => Math.floor(offset / size);
      const count = (size: number) => Math.floor((offset + limit - 1) / size) - first(size) + 1;
      // The fewest calls; among those the smallest pages, so that no more rows are read than needed.
      const size = ascending.reduce((best, next) => (count(next) < count(best) ? next : best));
      return Array.from({ length: count(size) }, (_, i) => call(first(size) + i, size));
    },
    scanCall: (index) => call(index, largest),
    scanSize: largest,
  };
}

const everything: Window = {
  variables: [],
  cover: () => [{ firstRow: 0, size: Infinity, variables: {} }],
  scanCall: () => ({ firstRow: 0, size: Infinity, variables: {} }),
  scanSize: Infinity,
};

/** Compiles the way a source is asked for rows. */
export function compileWindow(spec: ListSpec['window']): Window {
  switch (spec.kind) {
    case 'offset':
      return offsetWindow(spec);
    case 'page':
      return pageWindow(spec);
    case 'none':
      return everything;
  }
}
