import { z } from 'zod';
import {
  bytes,
  addedHeaderName,
  headerSecret,
  headerValue,
  httpUrl,
  integer,
  name,
  secret,
  timeLimit,
  wholeSeconds,
} from './scalars.ts';

/** Query parameters as templates: `{offset}` and the like are filled in and escaped by position. */
const queryTemplate = z.record(z.string().min(1), z.union([z.string(), z.number().transform(String)]));

const request = z.strictObject({
  path: z
    .string()
    .regex(
      /^\/[^?#\s]*$/,
      'expected a path that starts with / and has no query; put parameters under `query`',
    )
    .describe('Appended to net.baseUrl. `{id}` stands for the native id, percent-encoded.'),
  query: queryTemplate.default({}).describe('A parameter whose variable has no value is left out.'),
});

const net = z.strictObject({
  baseUrl: httpUrl,
  timeout: timeLimit.default(5_000).describe('Total time for one upstream call, body included.'),
  bytesMax: bytes.default(8 * 1024 ** 2).describe('The largest body read, after decompression.'),
  concurrency: integer(1, 1_000).default(8).describe('Calls under way at once, in this process.'),
  headers: z.record(addedHeaderName, headerValue).default({}).describe('Constant headers.'),
});

const auth = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('basic'), user: secret, password: secret }),
  z.strictObject({ kind: z.literal('header'), name: addedHeaderName, value: headerSecret }),
  z.strictObject({ kind: z.literal('query'), name: z.string().min(1), value: secret }),
]);

const decode = z.strictObject({
  contentTypes: z
    .array(z.string())
    .min(1)
    .default(['application/json'])
    .describe('Bodies of other types are not read.'),
  charset: z
    .string()
    .refine(
      isCharset,
      'expected a character set that the WHATWG Encoding standard names, such as utf-8 or iso-8859-1',
    )
    .optional()
    .describe('Overrides what the response says; bytes that do not fit it make the body invalid.'),
});

function isCharset(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}

const literal = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const outcome = z.strictObject({
  on: z.enum(['list', 'get']).optional().describe('Only for this kind of request.'),
  status: z.union([integer(100, 599), z.enum(['2xx', '3xx', '4xx', '5xx'])]).optional(),
  at: z.string().optional().describe('A path into the body, to be compared with `equals`.'),
  equals: z.union([literal, z.array(literal).min(1)]).optional(),
  is: z
    .enum([
      'ok',
      'not_found',
      'past_end',
      'unauthorized',
      'rate_limited',
      'unavailable',
      'client_bug',
      'error',
    ])
    .describe(
      'What a reply that fits means. The first rule that fits decides; a reply that fits none is a failure.',
    ),
});

/** One step from a legacy value to a canonical one. */
const coercion = z.union(
  [
    z.enum(['trim', 'text', 'cents', 'epochSeconds', 'epochMilliseconds', 'iso8601']),
    z.strictObject({ nullIf: z.array(literal).min(1).describe('Values that mean "unknown".') }),
    z.strictObject({ join: z.string().describe('Joins several texts, without the empty ones.') }),
    z.strictObject({
      enum: z.record(z.string(), z.string()).describe('Legacy code: v1 label. Other codes are unreadable.'),
    }),
    z.strictObject({
      number: z
        .strictObject({
          decimal: z.enum(['.', ',']).default('.'),
          group: z.enum(['', '.', ',', ' ', "'"]).default(''),
        })
        .refine(({ decimal, group }) => decimal !== group, 'decimal and group must be different characters'),
    }),
    z.strictObject({
      date: z.strictObject({
        format: z.string().describe('Unicode tokens (luxon), such as yyyy-MM-dd HH:mm:ss.'),
        zone: z.string().describe('UTC, an offset such as +02:00, or an IANA zone.'),
      }),
    }),
  ],
  {
    error:
      'expected a step: trim, text, cents, epochSeconds, epochMilliseconds, iso8601, { nullIf: [] }, { join: "" }, { enum: {} }, { number: {} } or { date: {} }',
  },
);

const fieldMapping = z.strictObject({
  from: z
    .union([z.string(), z.array(z.string()).min(1)], { error: 'expected a path, or several' })
    .describe('Path(s) into the record.'),
  as: z.array(coercion).default([]).describe('Steps, in order.'),
});

const mapping = z
  .record(z.string(), z.union([z.string().transform((from) => ({ from, as: [] })), fieldMapping]))
  .describe('v1 field: where it comes from.');

const sortColumn = z.strictObject({
  column: z.string().describe("The source's name of the column."),
  directions: z
    .array(z.enum(['ascending', 'descending']))
    .min(1)
    .default(['ascending', 'descending'])
    .describe(
      'Only where the order equals the contract: same comparison, unknown last, ties by ascending id.',
    ),
});

const exactness = z
  .enum(['exact', 'superset', 'none'])
  .describe(
    'exact: just the right rows, and the total counts them. superset: more rows than asked. none: not used.',
  );

const list = z.strictObject({
  request,
  window: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('offset'),
      base: integer(0, 1).default(0).describe('Number of the first row.'),
      sizeMax: integer(1, 100_000).describe('The most rows a call returns; more is never asked for.'),
    }),
    z.strictObject({
      kind: z.literal('page'),
      base: integer(0, 1).default(1).describe('Number of the first page.'),
      sizes: z.array(integer(1, 100_000)).min(1).describe('The page sizes the source takes.'),
    }),
    z.strictObject({ kind: z.literal('none') }),
  ]),
  total: z
    .union([z.strictObject({ at: z.string() }), z.strictObject({ header: z.string() })], {
      error: 'expected { at: path } or { header: name }',
    })
    .optional()
    .describe('Where the exact number of matching rows stands. Absent: the rows are counted by a scan.'),
  items: z.string().describe('Path of the array of rows; empty where the body is the array.'),
  order: z
    .enum(['id', 'source', 'unknown'])
    .default('unknown')
    .describe(
      'The order of rows without a sort parameter. id: ascending id. source: some other total order that is always the same and becomes the default order. unknown: sorted by id here.',
    ),
  sort: z
    .strictObject({
      query: queryTemplate.describe('Parameters with {column} and {direction}.'),
      ascending: z.string().default('asc'),
      descending: z.string().default('desc'),
      columns: z.record(z.string(), sortColumn),
    })
    .optional(),
  filters: z
    .record(
      z.string(),
      z.partialRecord(
        z.enum(['eq', 'ge', 'le']),
        z.strictObject({ query: queryTemplate.describe('Parameters with {value}.'), exactness }),
      ),
    )
    .default({}),
  map: mapping,
});

const get = z.strictObject({
  request,
  item: z.string().describe('Path of the record; empty where the body is the record.'),
  map: mapping,
});

const sourceResource = z.strictObject({
  id: z.strictObject({
    kind: z.enum(['number', 'text']).describe('Whether the native ids are whole numbers or any text.'),
  }),
  onInvalidRecord: z
    .enum(['fail', 'drop'])
    .default('fail')
    .describe('A record without a usable id: fail the answer, or leave the record out and count it.'),
  list,
  get: get.optional(),
});

/** The shape of a file in `config/sources/`. */
export const sourceSchema = z.strictObject({
  source: z.literal(1, { error: 'this Portico reads version 1 of the format: write `source: 1`' }),
  name,
  net,
  auth: auth.default({ kind: 'none' }),
  decode: decode.prefault({}),
  budget: z
    .strictObject({
      rows: integer(1, 10_000_000).default(20_000).describe('The most rows a scan may read.'),
      calls: integer(1, 1_000_000).default(500).describe('The most calls a scan may make.'),
      time: timeLimit
        .default(8_000)
        .describe('The longest a scan may take; shorter than the deadline of the resource.'),
      snapshot: wholeSeconds.default(30).describe('How long the rows of a scan serve further questions.'),
    })
    .prefault({}),
  outcomes: z.array(outcome).min(1),
  resources: z.strictObject({ users: sourceResource.optional(), products: sourceResource.optional() }),
});

export type SourceSpec = z.infer<typeof sourceSchema>;
export type SourceResourceSpec = z.infer<typeof sourceResource>;
export type ListSpec = z.infer<typeof list>;
export type GetSpec = z.infer<typeof get>;
export type RequestSpec = z.infer<typeof request>;
export type CoercionSpec = z.infer<typeof coercion>;
export type MappingSpec = z.infer<typeof mapping>;
export type OutcomeSpec = z.infer<typeof outcome>;
export type OutcomeKind = OutcomeSpec['is'];
