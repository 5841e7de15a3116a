// Ranks columns by their names, and tests what their values look like. The files that choose columns share this.

import type { Json } from '../../../kernel/json/json.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import type { Field } from '../../../contract/fields.ts';
import { type Remark, toEdit } from '../notes/note.ts';
import { type Column, knownValues } from './columns.ts';

/** The columns for a field, and how well they match. */
export type ColumnChoice = {
  /** Several if the field is joined from them. */
  readonly columns: readonly Column[];
  /** Other columns for rows in which the first has no value. */
  readonly others: readonly Column[];
  readonly level: 'sure' | 'likely';
  /** Whether the operator or the dialect named the column. */
  readonly isGiven?: boolean;
  /** Why the column may belong to another field, although its name fits. */
  readonly doubt?: string;
};

/** The texts of a column, in the order of its rows that have a value. */
export const texts = (column: Column) => knownValues(column).map((value) => scalarText(value) ?? '');

/** The share of rows with a value in a column. */
export function coverage(column: Column): number {
  const filled = texts(column).filter((text) => text.trim() !== '').length;
  return column.values.length === 0 ? 0 : filled / column.values.length;
}

/** How well a column's name matches a list of words; `undefined` if it does not. */
function nameScore({ words }: Column, names: readonly string[]): number | undefined {
  const last = words.at(-1) ?? '';
  const pair = words.slice(-2).join('.');
  const triple = words.slice(-3).join('.');
  const ranks = [last, pair, triple].map((name) => names.indexOf(name)).filter((rank) => rank >= 0);
  return ranks.length === 0 ? undefined : 200 - Math.min(...ranks) - words.length * 3;
}

/** Whether known values of a column look like those of a kind of field. */
export type Fits = (values: readonly Json[], column: Column) => boolean;

/** The columns whose names match, best first. Columns without any value come last. */
export function named(columns: readonly Column[], names: readonly string[], fits: Fits): readonly Column[] {
  return columns
    .flatMap((column) => {
      const score = nameScore(column, names);
      const values = knownValues(column);
      const counts = values.length === 0 || fits(values, column);
      return score === undefined || !counts ? [] : [{ column, score: score + coverage(column) * 30 }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ column }) => column);
}

const share = (values: readonly Json[], fits: (text: string) => boolean) =>
  values.filter((value) => fits(scalarText(value) ?? '')).length / values.length;

/** Tests for texts that are not digits alone. */
export const isText: Fits = (values) =>
  values.some((value) => typeof value === 'string' && !/^\d+$/.test(value));
/** Tests for texts or numbers. */
export const isTextOrCode: Fits = (values) => values.some((value) => scalarText(value) !== undefined);
/** Tests whether values are mostly e-mail addresses. */
export const isEmail: Fits = (values) => share(values, (text) => /\S@\S/.test(text)) > 0.3;
/** Tests whether values are mostly amounts. */
export const isAmount: Fits = (values) =>
  share(values, (text) => /\d/.test(text) && /^[^\d-]{0,5}-?[\d.,' \u00a0\u202f]+[^\d]{0,5}$/.test(text)) >
  0.4;
/** Tests whether values are mostly times or days. */
export const isMoment: Fits = (values) =>
  share(values, (text) => /\d{4}/.test(text) || /\d{2}[./-]\d{2}[./-]\d{2}/.test(text)) > 0.3;
/** Tests whether values are mostly URLs. */
export const isAddress: Fits = (values) => share(values, (text) => /^https?:\/\//.test(text)) > 0.3;

/** Tests for texts that are no URLs. */
export const isProse: Fits = (values, column) => isText(values, column) && !isAddress(values, column);

/** How the columns of one field are found. */
export type Choice = {
  /** Folded names, best first. */
  readonly words: readonly string[];
  /** `undefined` if no column matches. */
  readonly choose: (columns: readonly Column[]) => ColumnChoice | undefined;
};

/** Remarks for the operator on records without a value that the contract requires. */
export function requiredRemarks(
  { required, name }: Field,
  { columns, others }: ColumnChoice,
): readonly Remark[] {
  const isKnown = (row: number) =>
    [...columns, ...others].some(({ values }) => values[row] !== undefined && values[row] !== null);
  const rows = columns[0]?.values ?? [];
  const without = rows.filter((_, row) => !isKnown(row)).length;
  if (!required || without === 0) return [];
  const text = `the contract requires ${name}, and ${without} of ${rows.length} records have none: they are invalid, see onInvalidRecord`;
  return [toEdit(text)];
}
