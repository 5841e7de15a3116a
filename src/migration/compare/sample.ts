// Makes the sample that is kept of a difference: types, lengths and short hashes, never a value.

import { createHmac } from 'node:crypto';
import { Decimal } from '../../kernel/decimal.ts';
import type { ComparedValue, AnswerDifference, DifferenceSample, ValueShape } from './comparison.ts';
import { hintOf } from './hint.ts';

/**
 * Makes the sample of a difference. `query` takes the place of the record's id where the difference is not about one
 * record.
 */
export type ToSample = (difference: AnswerDifference, query: string) => DifferenceSample;

/** What samples are made with. */
export type SampleDeps = {
  /** The key of the hashes. It stands in no store: with it, short values could be guessed. */
  readonly secret: string;
  /** Paths of which a masked value is shown. */
  readonly showMask: readonly string[];
};

/**
 * Hexadecimal digits of hashes. 16 tell records apart. Only 4 show whether two values are equal, and fit too many values to
 * guess one.
 */
const KEY_DIGITS = 16;
const VALUE_DIGITS = 4;

/** The first character of each word stays, and the last part of an address. */
function maskOf(text: string): string {
  const [, domain = ''] = /@[^@]*(\.[\p{L}]{2,6})$/u.exec(text) ?? [];
  const shown = text.slice(0, text.length - domain.length);
  return shown.replaceAll(/([\p{L}\p{N}])[\p{L}\p{N}]*/gu, '$1***') + domain;
}

function typeOf(value: ComparedValue): string {
  if (value === null) return 'null';
  if (value instanceof Decimal || typeof value === 'number') return 'number';
  return typeof value === 'string' ? 'string' : 'list';
}

/** Creates what makes samples of differences: types, lengths and short keyed hashes, never a value. */
export function createToSample({ secret, showMask }: SampleDeps): ToSample {
  const masked = new Set(showMask);

  function hash(text: string, digits: number): string {
    return createHmac('sha256', secret).update(text).digest('hex').slice(0, digits);
  }

  function shapeOf(value: ComparedValue | undefined, path: string): ValueShape | undefined {
    if (value === undefined) return undefined;
    const type = typeOf(value);
    if (value === null) return { type };
    if (typeof value === 'object' && !(value instanceof Decimal)) return { type, length: value.length };
    const text = String(value);
    const shape = { type, length: text.length, hash: hash(`value:${text}`, VALUE_DIGITS) };
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
