import { pathWith } from '../../../source/adapter/spec/path.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';

/** Keys that a path can name. Other keys of a service are skipped. */
const NAMEABLE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{FFFD}]{1,80}$/u;

/**
 * Whether a key may be written into a draft. A key that looks like `${NAME}` would be replaced from the environment when
 * the draft is read.
 */
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
