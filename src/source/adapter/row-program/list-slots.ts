// Finds out which values of a reply the program of a list (list-program.ts) has to read, and gives each a slot.

import type { ListSpec } from '../../../config/schema/source.ts';
import { keysOfPath } from '../spec/path.ts';
import { pathAbove } from '../read/next.ts';
import type { ReplyContext } from '../read/read-reply.ts';
import { type FieldMapping, fieldSlots, outcomePaths, slotsAt, KeySlots, placesOf } from './slot-paths.ts';

/** The paths at which a reply names the next window; `undefined` if the last row names it. */
function nextPaths(list: ListSpec): readonly (string | undefined)[] | undefined {
  const { window } = list;
  switch (window.kind) {
    case 'cursor':
    case 'continue':
      return [
        ...[window.next, pathAbove(window.next, list)],
        typeof window.more === 'object' ? window.more.at : window.more,
      ];
    case 'link':
      return 'at' in window.next ? [window.next.at, pathAbove(window.next.at, list)] : [];
    case 'keyset':
      return undefined;
    default:
      return [];
  }
}

/** All paths into the document except the path of the rows; `undefined` if the last row names the next window. */
function documentPaths(source: ReplyContext['source'], list: ListSpec): readonly string[] | undefined {
  const { total, window } = list;
  const next = nextPaths(list);
  if (next === undefined) return undefined;
  const totals = total === undefined || total.count !== undefined ? [] : [total.at, total.unless?.at];
  const echoes = 'echo' in window ? Object.values(window.echo ?? {}) : [];
  return [...outcomePaths(source, 'list'), ...totals, ...echoes, ...next].filter(
    (path) => path !== undefined,
  );
}

/**
 * Compiles the slots of the values that a source file reads from the reply to a list: the tree of their places (`root`), the slots
 * of each field, and how many slots there are. `undefined` if a path does not consist of keys alone, or if a whole row has
 * to be read.
 */
export function compileListSlots({ source }: ReplyContext, list: ListSpec, mapping: FieldMapping) {
  const { items, dropWhen } = list;
  const rowsAt = typeof items === 'string' ? keysOfPath(items) : undefined;
  const paths = documentPaths(source, list);
  if (rowsAt === undefined || paths === undefined || dropWhen.length > 0) return undefined;
  const document = new KeySlots(0);
  if (slotsAt(paths, document) === undefined) return undefined;
  const row = new KeySlots(document.wanted.length);
  const slotsOf = fieldSlots(mapping, row);
  if (slotsOf === undefined) return undefined;
  const rowPlace = placesOf(row.wanted);
  const root = rowPlace && placesOf(document.wanted, { at: rowsAt, row: rowPlace });
  const counts = { document: document.wanted.length, row: row.wanted.length };
  return root && { root, slotsOf, counts };
}
