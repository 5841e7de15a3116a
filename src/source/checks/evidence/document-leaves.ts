// Finds named values in the documents of a source, for `infer` and for the search for totals.

import { pathWith } from '../../adapter/spec/path.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import { isObject } from '../../../kernel/json/values.ts';

/** Keys that a path may name. Other keys of a document are skipped. */
const NAMEABLE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{FFFD}]{1,80}$/u;

/** Whether a key may be written into a draft. When a draft is read, `${NAME}` would be replaced from the environment. */
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

/** A text, number, boolean or null of a document; `name` is its path with folded keys. */
export type Leaf = { readonly path: string; readonly name: string; readonly value: Json };

const DEPTH_MAX = 5;
const MEMBERS_MAX = 100;

/** The leaves of a document outside its lists. */
export function envelopeOf(value: Json, path = '', name = '', depth = 0): readonly Leaf[] {
  if (isObject(value) && depth < DEPTH_MAX)
    return membersOf(value, path)
      .slice(0, MEMBERS_MAX)
      .flatMap((member) => envelopeOf(member.value, member.path, `${name}.${fold(member.key)}`, depth + 1));
  return Array.isArray(value) || isObject(value) ? [] : [{ path, name, value }];
}

/** The last key of a leaf. */
export function lastName({ name }: Leaf): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
