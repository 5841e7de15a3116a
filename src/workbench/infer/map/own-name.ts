// Chooses columns for fields of which the contract says only the name and the kind.

import type { Field, FieldKind } from '../../../contract/fields.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import { isList } from '../../../kernel/json/values.ts';
import { type Column, knownValues } from './columns.ts';
import { type Choice, type Fits, isAmount, isMoment, isTextOrCode, named, texts } from './column-tests.ts';

const isFlag: Fits = (values, column) =>
  isTextOrCode(values, column) || values.some((value) => typeof value === 'boolean');

/** What the values of a field of each kind look like. */
const FITS: Readonly<Record<FieldKind, Fits>> = {
  id: isTextOrCode,
  text: isTextOrCode,
  integer: isAmount,
  decimal: isAmount,
  boolean: isFlag,
  datetime: isMoment,
  date: isMoment,
  enum: isTextOrCode,
  reference: isTextOrCode,
  list: (values) => values.every((value) => isList(value)),
};

const folded = (path: string) => path.split('.').map(fold).join('.');

/** The names that a column of the field may have because of the field's own name. */
export function ownWords({ path, aliases, kind }: Field): readonly string[] {
  const last = fold(path.at(-1) ?? '');
  const names = path.length > 1 ? [path.map(fold).join('.'), fold(path.join('')), last] : [last];
  const asId =
    kind === 'reference' ? names.flatMap((name) => [`${name}id`, `${name}.id`, `${name}.data.id`]) : [];
  return [...new Set([...asId, ...names, ...aliases.map(folded)])];
}

/** Whether a key of a column is the same as that of a field, or its short form: `addr` and `address`. */
const isAlike = (a: string, b: string) =>
  a === b || (Math.min(a.length, b.length) > 2 && (a.startsWith(b) || b.startsWith(a)));

/** Keys that say nothing of what is below them. */
const ENVELOPES = new Set('attributes data doc fields node relationships'.split(' '));

/** The keys of a column: all of them, and those below keys that say nothing or that hold most columns (envelopes). */
function keysOf({ words }: Column, columns: readonly Column[]): readonly (readonly string[])[] {
  const within = columns.filter(({ words: [first] }) => first === words[0]).length;
  let depth = within * 2 > columns.length ? 1 : 0;
  while (ENVELOPES.has(words[depth] ?? '')) depth += 1;
  return Array.from({ length: Math.min(depth + 1, words.length) }, (_, index) => words.slice(index));
}

/** Whether keys are the whole name of a field, and not only the last part of it. */
function areWhole(keys: readonly string[], { path, kind, aliases }: Field): boolean {
  const name = fold(path.join(''));
  const joined = keys.join('');
  const parts = path.map(fold);
  return (
    joined === name ||
    (kind === 'reference' && [`${name}id`, `${name}dataid`].includes(joined)) ||
    aliases.some((alias) => folded(alias) === keys.join('.')) ||
    (keys.length === parts.length && keys.every((key, index) => isAlike(key, parts[index] ?? '')))
  );
}

/** Why a column with the last key of a field may be that of another one; `undefined` if its other keys fit, too. */
function whyOther(column: Column, columns: readonly Column[], field: Field): string | undefined {
  return keysOf(column, columns).some((keys) => areWhole(keys, field))
    ? undefined
    : `${column.path} has its last name alone: check that it means ${field.name}`;
}

/** Why a column may hold something else than the ids of other records; `undefined` if it is named or written like them. */
function whyNoIds(column: Column, { name, kind }: Field): string | undefined {
  if (kind !== 'reference' || column.words.at(-1)?.endsWith('id') === true) return undefined;
  if (texts(column).every((text) => /^(?:\d{1,19}|\S*\/\S+|)$/.test(text))) return undefined;
  return `nothing shows that ${column.path} holds the ids of ${name}: check it`;
}

/** Chooses the column of a field by the field's own names, because the contract does not say what the field means. */
export function byOwnName(field: Field): Choice {
  const words = ownWords(field);
  return {
    words,
    choose(columns) {
      const found = named(columns, words, FITS[field.kind]);
      // A column with the whole name is preferred to one that only ends in it, even if that one has more values.
      const filled = found.filter((column) => knownValues(column).length > 0);
      const whole = filled.find((column) => whyOther(column, columns, field) === undefined);
      const best = whole ?? filled[0] ?? found[0];
      if (best === undefined) return undefined;
      const doubt = whyOther(best, columns, field) ?? whyNoIds(best, field);
      const level = whole === undefined ? 'likely' : 'sure';
      return { columns: [best], others: [], level, ...(doubt !== undefined && { doubt }) };
    },
  };
}
