// What a file wants of the reply to a list, where it wants nothing but values at keys.

import type { ListSpec } from '../../../config/schema/source.ts';
import type { WantedPlace } from '../../../kernel/json/learned-keys.ts';
import { keysOfPath } from '../spec/path.ts';
import { pathAbove } from '../read/next.ts';
import { proofPaths } from '../read/credential-proof.ts';
import type { ReplyContext } from '../read/read-reply.ts';
import { type FieldMapping, type FieldSlots, fieldSlots, slotsAt } from './slot-paths.ts';
import { KeySlots, placesOf } from './wanted-paths.ts';

/** The places of a document and of its rows, with a slot for each value. */
export type ListPlaces = {
  readonly root: WantedPlace;
  readonly slotsOf: FieldSlots;
  /** How many slots there are. */
  readonly counts: { readonly document: number; readonly row: number };
};

/** The paths at which a window names the next one; `undefined` where a row does. */
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

/** The paths that a file looks at in the document itself, besides that of the rows; `undefined` where it needs the rows. */
function documentPaths(source: ReplyContext['source'], list: ListSpec): readonly string[] | undefined {
  const { total, window } = list;
  const next = nextPaths(list);
  if (next === undefined) return undefined;
  const conditions = source.outcomes.flatMap(({ on, at }) => (on === 'get' ? [] : (at ?? [])));
  const totals = total === undefined || total.count !== undefined ? [] : [total.at, total.unless?.at];
  const echoes = 'echo' in window ? Object.values(window.echo ?? {}) : [];
  return [...conditions, ...proofPaths(source), ...totals, ...echoes, ...next].filter(
    (path) => path !== undefined,
  );
}

/** What a file wants of the reply to a list; `undefined` where its paths have more than keys, or it looks at whole rows. */
export function compileListPlaces(
  { source }: ReplyContext,
  list: ListSpec,
  mapping: FieldMapping,
): ListPlaces | undefined {
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
