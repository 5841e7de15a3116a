// Shows objects of any kind as tables, for commands that print what the API for operators answers.

import { singleLine } from '../../../kernel/control-characters.ts';
import type { ReportBlock } from './report.ts';

/** A field name as a heading of a column: `lastAt` becomes `LAST AT`. */
const headingOf = (field: string) => field.replaceAll(/(?=[A-Z])/g, ' ').toUpperCase();

/** A value as one line. An instant of today is its time; others are day and minute, so that a table fits a terminal. */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '-';
  if (Array.isArray(value)) return value.map(cellOf).join(',') || '-';
  if (typeof value === 'number' && !Number.isInteger(value))
    return String(Number(Math.abs(value) < 1 ? value.toPrecision(3) : value.toFixed(3)));
  const text = singleLine(typeof value === 'string' ? value : JSON.stringify(value));
  const [, day, date = '', time = ''] = /^(\d{4}-(\d\d-\d\d))T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(text) ?? [];
  if (day === undefined) return text;
  return day === new Date().toISOString().slice(0, 10) ? time : `${date} ${time.slice(0, 5)}`;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTable = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

/** Records by their names, such as the counts of each outcome, as a list of records. */
const rowsOf = (value: unknown) =>
  isObject(value) && isTable(Object.values(value as object))
    ? Object.entries(value as object).map(([name, one]) => ({ name, ...(one as object) }))
    : value;

/** Records of one kind as a table with a header: a column for each field that one of them has and that is plain in all. */
export function objectTable(records: readonly object[]): ReportBlock {
  const all = records.flatMap((one) => Object.entries(one));
  const deep = new Set(all.flatMap(([name, value]) => (isObject(value) || isTable(value) ? [name] : [])));
  const fields = [...new Set(all.map(([name]) => name))].filter((name) => !deep.has(name));
  if (records.length === 0) return 'none';
  const rows = records.map((one) => fields.map((field) => cellOf((one as Record<string, unknown>)[field])));
  return { head: fields.map(headingOf), table: rows };
}

/** One record with all of its fields: a line for each plain field, and a table for each list of records. */
export function objectBlocks(record: object): readonly ReportBlock[] {
  const all = Object.entries(record).filter(([, value]) => value !== undefined);
  const lines = all.flatMap(([name, value]) =>
    isTable(rowsOf(value)) ? [] : [[headingOf(name), cellOf(value)]],
  );
  const tables = all.flatMap(([name, value]) => {
    const rows = rowsOf(value);
    return isTable(rows) ? ['', { heading: headingOf(name), blocks: [objectTable(rows)] }] : [];
  });
  return [{ table: lines }, ...tables];
}
