// The schema of `list` in a source file: how the rows of a resource are read, and what the source does itself.

import * as z from 'zod';
import { hydrate, mapping } from '../mapping/mapping.ts';
import { literal, pathTemplate, queryTemplate, request } from '../elements/request.ts';
import { dropWhen, items } from '../elements/rows.ts';
import { flag } from '../elements/scalars.ts';
import { window } from './window.ts';

const DIRECTIONS = ['ascending', 'descending'] as const;

const QUOTING = ['odata', 'sql', 'json', 'soql', 'lucene', 'double_quotes', 'single_quotes'] as const;
const ESCAPES = [...QUOTING, 'servicenow', 'number'] as const;

const sortColumnObject = z.strictObject({
  column: z.string().describe("The source's name of the column."),
  directions: z
    .array(z.enum(DIRECTIONS))
    .min(1)
    .default([...DIRECTIONS])
    .describe(
      'Only where the order equals the contract: same comparison, unknown last, ties by ascending id.',
    ),
});

const sortColumn = z.union([
  z.string().transform((column) => ({ column, directions: [...DIRECTIONS] })),
  sortColumnObject,
]);

const exactness = z
  .enum(['exact', 'superset', 'none'])
  .describe(
    'exact: just the right rows, and the total counts them. superset: more rows than asked. none: not used.',
  );

/** How a source is asked to filter by one field and one operator. Unless it is `exact`, the gateway filters again. */
export const filter = z.strictObject({
  query: queryTemplate
    .default({})
    .describe('Parameters with {value}. in: with {values}, or with {value}, which are sent once for each.'),
  expr: z.string().optional().describe('A condition with {value}, joined with others into {filter}.'),
  repeats: flag
    .optional()
    .describe(
      'query: whether the source takes its parameters more than once in a request, and every value counts; default false.',
    ),
  escape: z
    .enum(ESCAPES)
    .optional()
    .describe(
      'How {value} is written into `expr`, quotes included. double_quotes, single_quotes: for a source that unescapes nothing; a value with such a quote, a backslash or a control character is not sent. number: in a JSON body it is a number too, and no text.',
    ),
  name: z
    .string()
    .regex(/^[A-Za-z][\w-]*$/, 'expected letters, digits, _ and -, such as minPrice')
    .optional()
    .describe(
      'A variable for the value: {minPrice} may stand anywhere in the request, and the part that holds it is left out if the filter is not asked for.',
    ),
  item: z
    .json()
    .optional()
    .describe('A tree with {value}; all of them make the list {filters} of a JSON body.'),
  path: pathTemplate
    .optional()
    .describe(
      "A path instead of the list's own, if the source has one for this filter; {value} is a segment.",
    ),
  combines: flag
    .optional()
    .describe('path: whether other filters can be asked for together with this one; default false.'),
  wholeMs: z
    .boolean()
    .optional()
    .describe(
      'eq, le of a datetime: whether the source has no time finer than a millisecond, which the contract cuts off; default false.',
    ),
  separator: z
    .string()
    .min(1)
    .optional()
    .describe(
      'in: what stands between {values} in `query` and `expr`; default a comma. A value that holds it is not sent.',
    ),
  max: z.int().min(2).optional().describe('in: the most values that one request takes; default 50.'),
  types: z
    .array(z.enum(['string', 'number', 'boolean', 'object', 'array']))
    .min(1)
    .optional()
    .describe(
      'The JSON types of the field that the filter was tried on; null and an absent key are always allowed. A row with another type disables the filter. Absent: types are not looked at.',
    ),
  exactness,
});

const totalPlace = {
  at: z.string().optional().describe('Path of the number; empty for a body that is the number.'),
  header: z.string().optional().describe('The header with the number, in place of a path.'),
  pattern: z.string().optional().describe('header: a regular expression whose first group is the number.'),
};

const total = z.strictObject({
  ...totalPlace,
  count: request.optional().describe('A request of its own that answers with the number.'),
  counts: z
    .enum(['filtered', 'all'])
    .default('filtered')
    .describe('Whether the number counts the rows that match, or all there are.'),
  unless: z
    .strictObject({
      at: z.string().describe('A path.'),
      equals: literal.describe('The value that makes the number a bound.'),
    })
    .optional()
    .describe('If this path has this value, the number is only a lower bound.'),
});

/**
 * How the rows of a resource are read, and what the source does itself: paging, sorting, filtering, counting. Each of
 * these is a claim, and replies are checked against it.
 */
export const list = z.strictObject({
  request,
  window,
  total: total.optional().describe('The exact number of rows. Absent: the rows are counted by a scan.'),
  items,
  itemsAbsent: z
    .enum(['invalid', 'empty'])
    .default('invalid')
    .describe('What a reply without the list means: some sources leave an empty one out.'),
  dropWhen,
  order: z
    .enum(['id', 'source', 'unknown'])
    .default('unknown')
    .describe(
      'The order of rows without a sort parameter. id: ascending id. source: some other total order that is always the same and becomes the default order. unknown: Portico sorts by id.',
    ),
  orderIs: z
    .enum(['asked', 'documented', 'observed'])
    .optional()
    .describe(
      'Why `order` holds. asked: the request asks for it. documented: the documentation of the service promises it. observed: it was only seen, and the file bets on it. Absent: a sort by id is asked for if `sort` can; else the request must name the order, or it is a bet that `check` and `doctor` report.',
    ),
  sort: z
    .strictObject({
      query: queryTemplate.default({}).describe('Parameters with {column} and {direction}.'),
      expr: z.string().optional().describe('A text with {column} and {direction} that becomes {sort}.'),
      item: z
        .json()
        .optional()
        .describe('A tree with {column} and {direction}: the list {sorts} of a JSON body.'),
      ascending: z.string().default('asc').describe('What {direction} is for ascending.'),
      descending: z.string().default('desc').describe('What {direction} is for descending.'),
      tiebreak: z
        .json()
        .optional()
        .describe(
          'The second column, after any column but the id, so that ties have an order: a text for {tiebreak}, such as ", id asc"; or, if no template names {tiebreak}, a tree that follows `item`.',
        ),
      none: z.string().optional().describe('The value of {sort} if the source is not asked to sort.'),
      columns: z.record(z.string(), sortColumn).describe('By v1 field; `id` is the default order of v1.'),
    })
    .optional()
    .describe('Absent: the source is never asked to sort.'),
  filterJoin: z.string().default(' and ').describe('What stands between the conditions of {filter}.'),
  filterAlways: z
    .array(
      z.union([
        z.string(),
        z.strictObject({ item: z.json().describe('A tree that always stands in {filters}.') }),
      ]),
    )
    .default([])
    .describe('Conditions that always stand in {filter}, without a value; { item: … } for {filters}.'),
  filterNone: z
    .string()
    .optional()
    .describe(
      'The value of {filter} without any condition. Absent: the part of the request that holds it is left out.',
    ),
  filters: z
    .record(z.string(), z.partialRecord(z.enum(['eq', 'in', 'ge', 'le']), filter))
    .default({})
    .describe('By v1 field and operator. Absent: the source is never asked to filter.'),
  map: mapping,
  hydrate,
});
