// Describes columns to the operator by masked samples, when infer cannot choose one.

import type { FieldKind } from '../../../contract/fields.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import { maskText } from '../../explain/value-shape.ts';
import { plainTexts } from './coercion-steps.ts';
import { type Column, knownValues } from './columns.ts';
import { amountForm } from './read-amounts.ts';
import { momentForm } from './moment-form.ts';

const SAMPLE_MAX = 20;
/** An enum has at most so many values. */
const FEW = 12;
const CANDIDATES_MAX = 5;

/** The shape of a value, without the value: a letter for each letter, 9 for each digit. */
export function maskedSample(value: Json): string {
  const text = (scalarText(value) ?? '').replaceAll(/\s+/g, ' ').trim();
  return maskText(text, SAMPLE_MAX).replaceAll(/[{}$"]/g, '?');
}

const textsOf = (column: Column) => plainTexts(knownValues(column), ['']);

/** Whether the values of a column can be a field of a kind. */
function canBe(kind: FieldKind, column: Column): boolean {
  const texts = textsOf(column);
  if (texts.length === 0) return false;
  if (kind === 'decimal' || kind === 'integer') return amountForm(texts)?.share === 1;
  if (kind === 'datetime' || kind === 'date') return holdsTimes(column);
  if (kind === 'boolean' || kind === 'enum')
    return new Set(texts).size <= Math.min(texts.length, kind === 'enum' ? FEW : 2);
  return kind === 'id' || kind === 'reference' || texts.some((text) => !/^[\d.,-]+$/.test(text));
}

/** Whether a column holds values of an enum, in any spelling, and nothing else. */
export function holdsValues(column: Column, values: readonly string[]): boolean {
  const allowed = new Set(values.map(fold));
  const texts = textsOf(column);
  return new Set(texts).size > 1 && texts.every((text) => allowed.has(fold(text)));
}

/** Whether every value of a column is a time in a form for people. Digits alone do not count, because they may be anything. */
export function holdsTimes(column: Column): boolean {
  const texts = textsOf(column);
  if (texts.length === 0 || texts.some((text) => /^-?\d+(?:\.\d+)?$/.test(text))) return false;
  return (momentForm(texts)?.share ?? 0) > 0.95;
}

/** The columns that may hold a field, each with a masked sample, in one text for the operator. Empty if there are none. */
export function candidatesText(
  kind: FieldKind,
  columns: readonly Column[],
  without: readonly Column[] = [],
): string {
  const known = new Set(without.map(({ path }) => path));
  const fitting = columns.filter((column) => !known.has(column.path) && canBe(kind, column));
  // Columns of the record itself, before those of records within it.
  const sorted = fitting.sort((a, b) => a.words.length - b.words.length).slice(0, CANDIDATES_MAX);
  return sorted.map((column) => `${column.path} (${maskedSample(textsOf(column)[0] ?? '')})`).join(', ');
}

/** In fewer records, names may be the same by chance. */
const ROWS_MIN = 40;

/** Why a column is probably not the name of its records; `undefined` if it probably is. */
export function whyNoName(column: Column, columns: readonly Column[], idPath: string): string | undefined {
  if (column.path === idPath) return 'it is the id';
  const texts = textsOf(column);
  const distinct = new Set(texts).size;
  if (texts.length >= ROWS_MIN && distinct <= FEW && distinct * 8 <= texts.length)
    return `only ${distinct} values in ${texts.length} records`;
  const parent = column.path.slice(0, Math.max(0, column.path.lastIndexOf('.')));
  if (parent === '' || idPath.startsWith(`${parent}.`)) return undefined;
  const ids = columns.find(({ path }) => path === idPath)?.values ?? [];
  const hasOwnId = columns.some(
    ({ path, words, values }) =>
      path.startsWith(`${parent}.`) &&
      /^(?:_?id|uuid|href)$/.test(words.at(-1) ?? '') &&
      values.some((value, row) => value !== undefined && scalarText(value) !== scalarText(ids[row])),
  );
  return hasOwnId ? `${parent} is a record of its own, with an id` : undefined;
}
