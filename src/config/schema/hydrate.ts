import { z } from 'zod';
import { mapping } from './mapping.ts';
import { request } from './request.ts';
import { items } from './rows.ts';

const details = z.strictObject({
  request,
  item: items
    .default('')
    .describe('Path of the record; empty where the body is the record. Of other forms, the only row.'),
  map: mapping.describe('The id, and every v1 field that the `map` of the list leaves out.'),
});

/** Where the fields come from that the rows of a list do not have. */
export const hydrate = z
  .union([z.literal('get').describe("The resource's own `get`."), details], {
    error: 'expected get, or { request, item, map }',
  })
  .optional()
  .describe(
    "For rows without all fields, such as lists of ids: one call more for each row, for the fields that the list's `map` leaves out. A page takes as many calls more as it has rows; a filter or sort on such a field that the source does not do itself takes one for every row, within `budget.calls`.",
  );
