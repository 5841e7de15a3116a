/**
 * The `list` of a resource in a source file, up to its `map`: the upstream takes windows by `from` and `count`, and answers
 * `{ total, rows }` by ascending id.
 */
export const offsetList = (path: string): string => `list:
      request: { path: ${path}, query: { from: '{offset}', count: '{limit}' } }
      window: { kind: offset, base: 0, sizeMax: 100 }
      total: { at: total }
      items: rows
      order: id
      orderIs: documented`;
