import { pathWith } from '../../adapter/path.ts';
import type { JsonObject } from '../../kernel/json/json.ts';

/** A condition of `dropWhen`: whether something stands at a path. */
type DropCondition = { readonly at: string; readonly present: boolean };

/**
 * The mark of rows that are no records: they have no value at `always`, the path where every record has one. Without
 * such a path, a key of the first of these rows that no record has. `undefined` where there is neither.
 */
export function findDropCondition(
  [first = {}]: readonly JsonObject[],
  records: readonly JsonObject[],
  always: string | undefined,
): DropCondition | undefined {
  if (always !== undefined) return { at: always, present: false };
  const key = Object.keys(first).find((one) => !records.some((row) => Object.hasOwn(row, one)));
  return key === undefined ? undefined : { at: pathWith('', key), present: true };
}
