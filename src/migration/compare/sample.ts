// Makes the sample of a difference that is kept for operators: types, lengths, short hashes, and a mask of the fields in
// `showMask`; never a whole value, because samples are stored in Redis and shown in the console.

import { createHmac } from 'node:crypto';
import type { Field } from '../../contract/fields.ts';
import { Decimal } from '../../kernel/decimal.ts';
import type { ComparedValue, AnswerDifference, DifferenceSample, ValueShape } from './comparison.ts';
import { hintOf } from './hint.ts';

/** Makes the sample of a difference. `query` replaces the id of the record if the difference is not about one record. */
export type DifferenceSampler = (difference: AnswerDifference, query: string) => DifferenceSample;

/**
 * Hexadecimal digits of hashes. 16 identify a record. 4 show whether two values are equal, but so many values have the same 4
 * digits that nobody can guess the value.
 */
const KEY_DIGITS = 16;
const VALUE_DIGITS = 4;

/** Masks a text: the first character of each word stays, and the last part of an e-mail address. */
function maskOf(text: string): string {
  const [, domain = ''] = /@[^@]*(\.[\p{L}]{2,6})$/u.exec(text) ?? [];
  const shown = text.slice(0, text.length - domain.length);
  return shown.replaceAll(/([\p{L}\p{N}])[\p{L}\p{N}]*/gu, '$1***') + domain;
}

function typeOf(value: ComparedValue): string {
  if (value === null) return 'null';
  if (value instanceof Decimal || typeof value === 'number') return 'number';
  return typeof value === 'object' ? 'list' : typeof value;
}

/** The paths of enums, as differences name them behind `data.` or `data[].`. */
function enumPaths(fields: readonly Field[], prefix = ''): readonly string[] {
  return fields.flatMap(({ name, kind, list }) => {
    if (list === undefined) return kind === 'enum' ? [prefix + name] : [];
    if ('kind' in list.of) return list.of.kind === 'enum' ? [`${prefix}${name}[]`] : [];
    return enumPaths(list.of, `${prefix}${name}[].`);
  });
}

/**
 * Creates the function that makes the sample of a difference. `secret` is the key of the hashes; it is not in Redis, because short
 * values could be guessed with it. `showMask` has the paths whose values are shown masked; `fields` are the
 * fields of the records.
 */
export function createDifferenceSampler({
  secret,
  showMask,
  fields = [],
}: {
  readonly secret: string;
  readonly showMask: readonly string[];
  readonly fields?: readonly Field[];
}): DifferenceSampler {
  const masked = new Set(showMask);
  const closed = new Set(enumPaths(fields));

  function hash(text: string, digits: number): string {
    return createHmac('sha256', secret).update(text).digest('hex').slice(0, digits);
  }

  function shapeOf(value: ComparedValue | undefined, path: string): ValueShape | undefined {
    if (value === undefined) return undefined;
    const type = typeOf(value);
    if (value === null) return { type };
    if (typeof value === 'object' && !(value instanceof Decimal)) return { type, length: value.length };
    const text = String(value);
    // The length of a boolean or an enum would say which of a few values it is.
    const isClosed = type === 'boolean' || closed.has(path.replace(/^data(?:\[\])?\./, ''));
    const length = isClosed ? undefined : text.length;
    const shape = { type, length, hash: hash(`value:${text}`, VALUE_DIGITS) };
    return masked.has(path) ? { ...shape, mask: maskOf(text) } : shape;
  }

  return ({ path, kind, id, legacy, new: newValue }, query) => ({
    path,
    kind,
    key: hash(id === undefined ? `query:${query}` : `id:${id}`, KEY_DIGITS),
    legacy: shapeOf(legacy, path),
    new: shapeOf(newValue, path),
    hint: hintOf(legacy, newValue),
  });
}
