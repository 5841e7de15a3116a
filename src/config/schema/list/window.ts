// The schema of `window`: how a source is asked for a part of a list, by offset, page, cursor, link or key.

import * as z from 'zod';
import { flag, integer } from '../elements/scalars.ts';

const windowSize = integer(1, 100_000).describe('The most rows a call returns; more is never asked for.');

const pastEnd = z
  .enum(['empty', 'other'])
  .default('empty')
  .describe(
    'What the source returns past the last row: no rows, or something else (the last page again, an error).',
  );

const depthMax = integer(1, 1_000_000_000)
  .optional()
  .describe('How many rows can be reached at all; a query beyond them is refused.');

const shortPage = z
  .enum(['end', 'anywhere'])
  .default('end')
  .describe(
    'Where a call may return fewer rows than asked: at the end, or anywhere (rows hidden after paging).',
  );

/** The page sizes that a source accepts: a list of sizes, or all sizes up to a maximum. */
const pageSizes = z
  .union([
    z.array(integer(1, 100_000)).min(1),
    z
      .strictObject({ upTo: integer(1, 1_000).describe('All sizes from 1 to this one.') })
      .transform(({ upTo }) => Array.from({ length: upTo }, (_, index) => index + 1)),
  ])
  .describe('The page sizes the source takes: some, or { upTo: 100 } for all from 1 to 100.');

const echoOf = (keys: Readonly<Record<string, z.ZodType<string | undefined>>>) =>
  z
    .strictObject(keys)
    .optional()
    .describe(
      'Paths at which the reply repeats the request. If a value differs, the source gave other rows, and the answer fails.',
    );

const echoSize = z
  .string()
  .optional()
  .describe('Path of the size that was asked for, not of the number of rows.');

const checkpoints = flag
  .optional()
  .describe(
    'Whether pages are read from remembered cursors instead of a scan. It claims that every window but the last is full, that the total counts just these rows, and that a cursor stays valid for `budget.snapshot`.',
  );

/** Where a reply says whether there is another window: at a flag, or at a path that has a value only then. */
const more = z
  .union([
    z.string(),
    z.strictObject({
      at: z.string().describe('A path.'),
      present: flag.describe('true: there is more while anything stands there; false: until it does.'),
    }),
  ])
  .optional()
  .describe('Path of a flag that is false at the end, or { at, present } for a place that shows it.');

/** A window is the rows of a list that one call asks for. Each kind is one way to ask for them. */
export const window = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('offset'),
      base: integer(0, 1).default(0).describe('Number of the first row.'),
      sizeMax: windowSize,
      pastEnd,
      shortPage,
      depthMax,
      echo: echoOf({
        offset: z.string().optional().describe('Path of the number of the first row.'),
        size: echoSize,
      }),
    })
    .describe(
      'Rows are asked for by the number of the first one: {offset} and {limit}; or up to {lastRow}, the last one, as in `Range: items={offset}-{lastRow}`, or to {endRow}, the one behind it.',
    ),
  z
    .strictObject({
      kind: z.literal('page'),
      base: integer(0, 1).default(1).describe('Number of the first page.'),
      sizes: pageSizes,
      pastEnd,
      shortPage,
      depthMax,
      echo: echoOf({
        page: z.string().optional().describe('Path of the number of the page.'),
        size: echoSize,
      }),
    })
    .describe('Rows are asked for by the number of a page: {page} and {limit}.'),
  z
    .strictObject({
      kind: z.literal('cursor'),
      sizeMax: windowSize,
      next: z.string().describe('Path of the cursor of the next window; null, empty or absent at the end.'),
      more,
      checkpoints,
    })
    .describe('Every reply names the next window by a token: {cursor}.'),
  z
    .strictObject({
      kind: z.literal('continue'),
      sizeMax: windowSize,
      next: z
        .string()
        .describe('Path of an object of parameters, such as continue; null, empty or absent at the end.'),
      more,
      checkpoints,
    })
    .describe(
      'Every reply holds the parameters of the next window, all of which are sent back as they came, beside those of `request`.',
    ),
  z
    .strictObject({
      kind: z.literal('link'),
      sizeMax: windowSize,
      next: z
        .union([
          z.strictObject({ at: z.string().describe('Path of the address.') }),
          z.strictObject({ header: z.string().describe('The header, mostly Link.') }),
        ])
        .describe(
          'Path of the next address, or the header that holds it, with or without rel="next" (RFC 8288). Blank or absent at the end.',
        ),
      origin: z
        .literal('any')
        .optional()
        .describe(
          'Of an address at another origin, path and query count: the service names itself by another host, as behind a proxy. Without it, such an address is an error. Nothing is ever sent to another origin.',
        ),
      checkpoints,
    })
    .describe('Every reply names the address of the next window.'),
  z
    .strictObject({
      kind: z.literal('keyset'),
      sizeMax: windowSize,
      key: z.string().describe('Path, in a row, of the value that {after} takes for the next window.'),
      checkpoints,
    })
    .describe('The next window is asked for by a value of the last row: {after}.'),
  z.strictObject({ kind: z.literal('none') }).describe('One call returns all rows.'),
]);
