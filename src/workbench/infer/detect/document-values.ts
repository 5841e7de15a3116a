import { membersOf } from '../../../source/checks/evidence/document-leaves.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { isList, isObject } from '../../../kernel/json/values.ts';

/** A value of a document, with its path and the keys on the way. */
export type PlacedValue = { readonly value: Json; readonly path: string; readonly keys: readonly string[] };

const DEPTH_MAX = 8;
const MEMBERS_MAX = 200;

const isObjectAt = ({ value }: PlacedValue) => isObject(value);

/**
 * Lists the values of a document, each before the values within it. `enters` chooses the objects and lists whose values are
 * listed, too; by default all objects. A list is entered only if it has a single element.
 */
export function valuesIn(
  value: Json | undefined,
  enters: (one: PlacedValue) => boolean = isObjectAt,
  path = '',
  keys: readonly string[] = [],
): readonly PlacedValue[] {
  if (value === undefined) return [];
  const here = { value, path, keys };
  if (keys.length > DEPTH_MAX || !enters(here)) return [here];
  if (isList(value))
    return [here, ...(value.length === 1 ? valuesIn(value[0], enters, `${path}[0]`, keys) : [])];
  const members = isObject(value) ? membersOf(value, path).slice(0, MEMBERS_MAX) : [];
  return [here, ...members.flatMap((one) => valuesIn(one.value, enters, one.path, [...keys, one.key]))];
}
