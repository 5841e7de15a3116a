import * as z from 'zod';
import { outcome } from './elements/outcome.ts';
import { queryTemplate } from './elements/request.ts';
import { flag, headerName, integer } from './elements/scalars.ts';
import { filter } from './list/list.ts';

/*
 * An entry of `dialects` in an example file. A dialect is the way one product speaks. The example file describes one
 * service of the product as a source. The entry says how `portico infer` recognises other services of the product (signs),
 * what it asks them (requests), and what it may write into their drafts (differences, and facts that hold for all).
 */

const keys = z.array(z.string()).default([]);

/** A feature of the first exchange by which services of the dialect are recognised. */
const sign = z.strictObject({
  at: z
    .string()
    .default('')
    .describe(
      'A path from `request` (its `path` and its JSON `body`), `reply` (its body) or `row`, the first.',
    ),
  header: headerName.optional().describe('A header of the reply, in place of a path.'),
  matches: z
    .string()
    .optional()
    .describe('A regular expression for the text there; that of a list or an object is its JSON.'),
  is: z.enum(['string', 'array', 'object']).optional().describe('The JSON type of the value.'),
  has: keys.describe('Keys of the object there, which may be null.'),
  lacks: keys.describe('Keys that it does not have.'),
  only: z.array(z.string()).optional().describe('The only keys that it may have.'),
});

/** The values that a request gets in its JSON body. */
const set = z
  .record(z.string(), z.json())
  .default({})
  .describe('Values by their path in the JSON body; "{=path}" is the value at a path of the body.');

/** Makes another request from the request for the list: for another list, the number of rows, or one record. */
const requestRule = z
  .strictObject({
    resource: z.string().optional().describe('Only for this resource.'),
    ids: z.enum(['number', 'text']).optional().describe('Only for ids of this kind.'),
    from: z
      .string()
      .describe(
        'A regular expression for the request of the list, "GET /path?name=value" and the JSON of its body; $1 is its first group.',
      ),
    path: z.string().describe('The path of the new request.'),
    query: queryTemplate.optional().describe('Its query; absent: that of the list, of a record none.'),
    json: z.json().optional().describe('The JSON of a POST, if the request has no body.'),
    set,
    at: z.string().default('').describe('count: the path of the number.'),
  })
  .meta({ id: 'requestRule' });

/** The parameters that ask for a window, if they differ from those of the source. */
const paging = z.strictObject({
  size: z.string().optional().describe('The parameter for the number of rows, or its path in the body.'),
  start: z.string().optional().describe('That for the first row or the page.'),
  cursor: z.string().optional().describe('That for the cursor.'),
  sizeMax: integer(1, 100_000).optional().describe('The most rows that one reply has.'),
  next: z
    .null()
    .transform(() => undefined)
    .optional()
    .describe('null: the place of the cursor differs from service to service.'),
});

const columns = z.record(z.string(), z.string());

/** The form of a filter by one value. */
const filterForm = filter.omit({ separator: true, max: true }).partial({ exactness: true });

/** The names of the dialect, and the resource of the file that shows it. */
const identity = {
  key: z.string().describe('The name in reports.'),
  title: z.string().describe('The name in drafts.'),
  resource: z.string().describe('The resource of this file that shows the dialect.'),
};

/** How a service is recognised by its first reply. */
const recognition = {
  rank: integer(0, 9)
    .default(0)
    .describe('Of several dialects that match, the lowest is tried first: the one with the plainest marks.'),
  matches: z
    .array(z.array(sign).min(1))
    .min(1)
    .describe('The signs in the first reply: any of these groups, and all signs of it.'),
  confirms: z
    .array(sign)
    .default([])
    .describe('Signs of a reply to `constants`; without them it is another.'),
};

/** The requests that `portico infer` makes. */
const requests = {
  rewrite: z
    .array(requestRule)
    .default([])
    .describe('The request that gives records; the first rule that fits.'),
  constants: z
    .strictObject({
      query: queryTemplate.default({}).describe('Parameters, unless the request has them.'),
      headers: z.record(headerName, z.string()).default({}).describe('Headers.'),
      joined: queryTemplate
        .default({})
        .describe('Parameters that are added to those of the request, with what stands between.'),
    })
    .prefault({})
    .describe('What a request has in addition, if the service still gives rows.'),
  count: z.array(requestRule).default([]).describe('A request for the number of rows.'),
  record: z.array(requestRule).default([]).describe('The request for one record, with {id}.'),
};

/** How other services of the dialect differ from the source of the file. */
const differences = {
  paging: z
    .union([z.literal('none'), paging])
    .default({})
    .describe('Where windows differ from those of the source; none: the dialect leaves them open.'),
  total: z
    .union([
      z.enum(['none', 'unknown']),
      z.strictObject({ at: z.string().describe('The path of the number.') }),
    ])
    .optional()
    .describe('In place of the total of the source; unknown: the dialect leaves it open.'),
  sort: z
    .strictObject({
      query: queryTemplate.default({}).describe('Parameters that the request gets.'),
      set,
      ascending: z.string().default('asc').describe('The text for {direction}.'),
      descending: z.string().default('desc').describe('The same for the other direction.'),
    })
    .optional()
    .describe('How a list is sorted by {column} in a {direction}.'),
  filters: z
    .partialRecord(z.enum(['eq', 'ge', 'le']), z.array(filterForm))
    .optional()
    .describe('Forms of filters, with {column}, or {name}, its last key; absent: those of the source.'),
};

/** Facts that hold for all services of the dialect, so a draft has them without a request. */
const facts = {
  fields: keys.describe('The v1 fields whose columns all services of the dialect have.'),
  columns: z.record(z.string(), columns).default({}).describe('Columns of other resources.'),
  ids: flag.default(false).describe('Whether all services have the `id` of the source.'),
  zone: z.literal('UTC').optional().describe('The zone of times without one.'),
  outcomes: z.array(outcome).default([]).describe('The rules of the source that hold for all services.'),
  pitfalls: z.array(z.string()).default([]).describe('What no reply shows and the operator must know.'),
};

/** The schema of one dialect. */
export const dialect = z.strictObject({
  ...identity,
  ...recognition,
  ...requests,
  ...differences,
  ...facts,
});
