import type { MappingSpec } from '../../config/schema/source.ts';
import type { Field } from '../../contract/fields.ts';
import type { Json } from '../../kernel/json/json.ts';
import { compilePresence, pathAt } from '../path.ts';
import { CHECKED } from '../spec-location.ts';

/** Finds the ghost records among the rows of one reply. */
export type GhostFinder = (rows: readonly Json[]) => ReadonlySet<Json>;

const NONE: ReadonlySet<Json> = new Set();

/** The paths of all fields but the id. Fields without a path, such as constants, have no key in a row. */
function mappedPaths(map: MappingSpec, fields: readonly Field[]): readonly string[] {
  const paths = fields.flatMap(({ kind, name }) => (kind === 'id' ? [] : [map[name]?.from ?? []].flat()));
  return [...new Set(paths)];
}

/**
 * Compiles the search for ghost records: rows that have none of the mapped keys but the id, while other rows of the same
 * reply have them. XML may leave out an element that is empty, so there it counts only if another row has an empty one.
 * `undefined` where the mapping has no such key.
 */
export function compileGhosts(
  map: MappingSpec,
  fields: readonly Field[],
  format: string,
): GhostFinder | undefined {
  const paths = mappedPaths(map, fields);
  if (paths.length === 0) return undefined;
  const checks = paths.map(compilePresence);
  const finders = paths.map((path) => pathAt(path, CHECKED));
  const hasKey = (row: Json) => checks.some((has) => has(row));
  const isEmpty = (value: Json | undefined) => value === null || value === '';
  const showsEmpty = (row: Json) => finders.some((find) => isEmpty(find(row)));
  return function findGhosts(rows) {
    const ghosts = rows.filter((row) => !hasKey(row));
    if (ghosts.length === 0 || ghosts.length === rows.length) return NONE;
    return format !== 'xml' || rows.some(showsEmpty) ? new Set(ghosts) : NONE;
  };
}
