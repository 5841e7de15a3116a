// The schema of `map` in a source file: where the value of each field comes from.

import * as z from 'zod';
import { coercion } from './coercion.ts';
import { request } from '../elements/request.ts';
import { items } from '../elements/rows.ts';

const steps = z.array(coercion);
const ids = z
  .literal('same')
  .optional()
  .describe(
    'For a reference to a resource that another source serves: its value is an id as that source has it. Text around it is removed by steps.',
  );
/** Where the value of a field comes from: paths, and steps that convert the value. */
const origin = {
  from: z
    .union([z.string(), z.array(z.string()).min(1)], { error: 'expected a path, or several' })
    .describe('Path(s) into the record; empty for the record itself.'),
  as: steps.default([]).describe('Steps, in order.'),
  ids,
};

const constant = z
  .strictObject({
    value: z
      .union([z.string(), z.number().transform(String)])
      .describe('What every record of the source has in this field.'),
  })
  .transform(({ value }) => ({ from: [] as string[], as: [], value }));

const path = z.string().transform((from) => ({ from, as: [] }));
const nowhere = z.null().transform(() => ({ from: [] as string[], as: [] }));

/** How an element of a list is read. */
export const each = z
  .strictObject({
    as: steps.optional().describe('For elements that are values: the steps, in order.'),
    ids,
    map: z
      .record(z.string(), z.union([path, nowhere, z.strictObject(origin), constant]))
      .optional()
      .describe('For elements that are objects: by field, where its value comes from within the element.'),
  })
  .meta({ id: 'elements', description: 'For a list: how each of its elements is read.' });

const fieldMapping = z.strictObject({ ...origin, each: each.optional() });

/**
 * Where the value of each v1 field comes from. Every form is parsed to `{ from, as }`; a constant has a `value` instead of
 * a path. The compiler of the mapping checks that the contract has the fields.
 */
export const mapping = z.record(z.string(), z.union([path, nowhere, fieldMapping, constant])).meta({
  id: 'mapping',
  description:
    'By v1 field: where its value comes from; null if the source has no such value, { value: … } for a constant.',
});

const details = z.strictObject({
  request,
  item: items
    .default('')
    .describe('Path of the record; empty where the body is the record. Of other forms, the only row.'),
  map: mapping.describe('The id, and every v1 field that the `map` of the list leaves out.'),
});

/** The detail fetch: how fields are read that the rows of a list do not have, by one more call for each row. */
export const hydrate = z
  .union([z.literal('get').describe("The resource's own `get`."), details], {
    error: 'expected get, or { request, item, map }',
  })
  .optional()
  .describe(
    "For rows without all fields, such as lists of ids: one call more for each row, for the fields that the list's `map` leaves out. A page takes as many calls more as it has rows; a filter or sort on such a field that the source does not do itself takes one for every row, within `budget.calls`.",
  );
