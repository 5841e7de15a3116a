// The schemas of where the rows stand in a reply of a source, and which of them are no records.

import * as z from 'zod';
import { literal } from './request.ts';
import { flag } from './scalars.ts';

/** The keys of a condition on a value: it equals one of several, matches a pattern, or is present. */
export const condition = {
  equals: z
    .union([literal, z.array(literal).min(1)])
    .optional()
    .describe('The value at `at`, or one of several. Numbers are compared by value.'),
  matches: z.string().optional().describe('A regular expression for the text at `at`.'),
  present: flag.optional().describe('Whether there is anything at `at`.'),
};

/** Conditions by which rows are recognised that are no records, such as deleted ones. */
export const dropWhen = z
  .array(
    z.strictObject({
      at: z.string().describe('A path into the row; empty for the row itself.'),
      ...condition,
    }),
  )
  .default([])
  .describe(
    'Rows that are no records, such as deleted ones; any of the conditions is enough. Pages then come from a scan, because windows and totals count such rows.',
  );

const itemsForm = z.strictObject({
  at: z.string().default('').describe('Path of the rows; empty where they are the body.'),
  form: z
    .enum(['list', 'map', 'table', 'columns'])
    .default('list')
    .describe(
      'list: [row, …]. map: { "17": row, … }, with the key of a row at `$key`, and a row that is no object at `$value`. table: [[1, "a"], …], with the names of its columns at `columns`. columns: { id: [1, …], name: ["a", …] }.',
    ),
  columns: z
    .union([z.string(), z.array(z.string()).min(1)], { error: 'expected a path, or a list of names' })
    .optional()
    .describe('table: path of the names of the columns in the body, or the names.'),
  columnName: z
    .string()
    .default('')
    .describe('table: path of the name within a column, where columns are described by objects.'),
  row: z
    .string()
    .default('')
    .describe('Path, in each row, of what the mapping reads, such as node or resource; empty for all of it.'),
});

/** The path and the form of the rows in a reply. */
export const items = z
  .union([z.string(), itemsForm], { error: 'expected a path, or { at, form }' })
  .describe('Path of the list of rows; empty where the body is the list. Other forms are written out.');
