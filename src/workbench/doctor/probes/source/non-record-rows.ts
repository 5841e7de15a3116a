import { pathWith } from '../../../../source/adapter/spec/path.ts';
import type { JsonObject } from '../../../../kernel/json/json.ts';

/** A condition of `dropWhen`: whether there is a value at a path. */
type DropCondition = { readonly at: string; readonly present: boolean };

/**
 * Finds a condition of `dropWhen` that tells rows which are no records, such as headers, from records. With `always`, the path
 * where every record has a value: that there is none. Else a key of the first such row that no record has. `undefined` where
 * there is neither.
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
