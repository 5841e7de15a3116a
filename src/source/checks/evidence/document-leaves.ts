// Finds named values in the documents of a source: for `infer`, and for the search for a total that a file does not name
// (stated-numbers.ts).

import { pathWith } from '../../adapter/spec/path.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import { isList, isObject } from '../../../kernel/json/values.ts';

/** Keys that a path may name. Other keys of a document are skipped. */
const NAMEABLE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{FFFD}]{1,80}$/u;

/** Whether a key may be written into a file that `infer` drafts, where `${NAME}` would be replaced from the environment. */
export function isNameable(key: string): boolean {
  return NAMEABLE.test(key) && !key.includes('${') && key.isWellFormed();
}

/** The members of an object that a path can name, each with its path. */
export function membersOf(
  object: JsonObject,
  path: string,
): readonly { readonly key: string; readonly value: Json; readonly path: string }[] {
  return Object.entries(object)
    .filter(([key]) => isNameable(key))
    .map(([key, value]) => ({ key, value, path: pathWith(path, key) }));
}

const MARKS = /\p{M}/gu;
const NOT_WORD = /[^a-z0-9]/g;

/** Folds a name for comparison: lower case, without accents, spaces and punctuation. */
export function fold(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(MARKS, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replaceAll(NOT_WORD, '');
}

/** A value of a document, with its path and the keys on the way. */
export type PlacedValue = { readonly value: Json; readonly path: string; readonly keys: readonly string[] };

/** Deeper values and further keys are not searched. */
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

/** A text, number, boolean or null of a document; `name` is its path with folded keys. */
export type Leaf = { readonly path: string; readonly name: string; readonly value: Json };

/** The most keys on the way to a leaf. */
const ENVELOPE_DEPTH = 5;

/** The leaves of a document outside its lists. */
export function envelopeOf(document: Json): readonly Leaf[] {
  const isEntered = ({ value, keys }: PlacedValue) => isObject(value) && keys.length < ENVELOPE_DEPTH;
  return valuesIn(document, isEntered)
    .filter(({ value }) => !isObject(value) && !isList(value))
    .map(({ value, path, keys }) => ({ path, name: keys.map((key) => `.${fold(key)}`).join(''), value }));
}

/** The last key of a leaf. */
export function lastName({ name }: Leaf): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
