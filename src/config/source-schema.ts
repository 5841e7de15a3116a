import { z } from 'zod';
import {
  addedHeaderName,
  bytes,
  flag,
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

const requestBody = z.union([
  z.strictObject({
    json: z.json().describe('A tree whose texts are templates; "{limit}" alone becomes a number.'),
  }),
  z.strictObject({ form: queryTemplate }),
  z.strictObject({
    xml: z.string().describe('Values are escaped; an element around one absent variable vanishes.'),
    contentType: z.string().optional(),
  }),
]);

const request = z.strictObject({
  method: z.enum(['GET', 'POST']).default('GET').describe('POST only where the source reads by it.'),
  path: z
    .string()
    .regex(
      /^\/[^?#\s]*$/,
      'expected a path that starts with / and has no query; put parameters under `query`',
    )
    .describe('Appended to net.baseUrl. `{id}` stands for the native id, percent-encoded.'),
  query: queryTemplate.default({}).describe('A parameter whose variable has no value is left out.'),
  headers: z
    .record(addedHeaderName, headerValue)
    .default({})
    .describe('Headers as templates, such as a Range.'),
  body: requestBody.optional(),
});

const net = z.strictObject({
  baseUrl: httpUrl,
  timeout: timeLimit.default(5_000).describe('Total time for one upstream call, body included.'),
  bytesMax: bytes.default(8 * 1024 ** 2).describe('The largest body read, after decompression.'),
  concurrency: integer(1, 1_000).default(8).describe('Calls under way at once, in this process.'),
  headers: z.record(addedHeaderName, headerValue).default({}).describe('Constant headers.'),
  tls: z
    .strictObject({ ca: z.string().optional(), cert: z.string().optional(), key: secret.optional() })
    .optional()
    .describe(
      'PEM texts, such as ${file:/run/secrets/client.key}: a private authority, a client certificate.',
    ),
});

const auth = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('basic'), user: secret, password: secret }),
  z.strictObject({ kind: z.literal('header'), name: addedHeaderName, value: headerSecret }),
  z.strictObject({ kind: z.literal('query'), name: z.string().min(1), value: secret }),
  z
    .strictObject({
      kind: z.literal('oauth2'),
      tokenUrl: httpUrl,
      clientId: z.string().min(1),
      clientSecret: secret,
      clientAuth: z
        .enum(['basic', 'body'])
        .default('basic')
        .describe('Where the token endpoint takes the client.'),
      scope: z.string().optional(),
      audience: z.string().optional(),
    })
    .describe('OAuth 2.0 client credentials.'),
  z
    .strictObject({
      kind: z.literal('session'),
      login: z.union([
        z.strictObject({ path: z.string().startsWith('/'), json: z.json() }),
        z.strictObject({ path: z.string().startsWith('/'), form: z.record(z.string(), z.string()) }),
      ]),
      token: z.string().optional().describe('Path of the token in the reply to the login.'),
      cookie: z.string().optional().describe('The cookie that is the token, in its place.'),
      header: addedHeaderName.default('Authorization'),
      value: headerValue.default('Bearer {session}').describe('The header, with {session}.'),
      lifetime: timeLimit.default(600_000).describe('When to log in again at the latest.'),
    })
    .describe('A login whose session goes into a header; an outcome `unauthorized` has it made anew.'),
]);

const decode = z.strictObject({
  format: z.enum(['json', 'xml', 'csv', 'ndjson']).default('json'),
  contentTypes: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('Bodies of other types are not read. Default: those of the format.'),
  charset: z
    .string()
    .refine(
      isCharset,
      'expected a character set that the WHATWG Encoding standard names, such as utf-8 or iso-8859-1',
    )
    .optional()
    .describe('Overrides what the response says; bytes that do not fit it make the body invalid.'),
  arrays: z
    .array(z.string())
    .default([])
    .describe('xml: elements that are lists even when there is one, as dotted paths from the root.'),
  delimiter: z.string().length(1).default(',').describe('csv'),
  quote: z.string().max(1).default('"').describe('csv: empty for none.'),
  stripPrefix: z.string().default('').describe("json: what stands before the document, such as )]}'"),
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
  matches: z.string().optional().describe('A regular expression for the text at `at`.'),
  present: flag.optional().describe('Whether there is anything at `at`.'),
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
    z.enum([
      'trim',
      'text',
      'unescape',
      'cents',
      'epochSeconds',
      'epochMilliseconds',
      'iso8601',
      'dotnetDate',
    ]),
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
      'expected a step: trim, text, unescape, cents, epochSeconds, epochMilliseconds, iso8601, dotnetDate, { nullIf: [] }, { join: "" }, { enum: {} }, { number: {} } or { date: {} }',
  },
);

const fieldMapping = z.strictObject({
  from: z
    .union([z.string(), z.array(z.string()).min(1)], { error: 'expected a path, or several' })
    .describe('Path(s) into the record.'),
  as: z.array(coercion).default([]).describe('Steps, in order.'),
});

const mapping = z
  .record(
    z.string(),
    z.union([
      z.string().transform((from) => ({ from, as: [] })),
      z.null().transform(() => ({ from: [], as: [] })),
      fieldMapping,
    ]),
  )
  .describe('v1 field: where it comes from; null where the source has nothing of the kind.');

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

const filter = z.strictObject({
  query: queryTemplate.default({}).describe('Parameters with {value}.'),
  expr: z.string().optional().describe('A condition with {value}, joined with others into {filter}.'),
  escape: z
    .enum(['odata', 'sql', 'json', 'soql', 'lucene', 'servicenow', 'number'])
    .optional()
    .describe('How {value} is written into `expr`, quotes included.'),
  item: z
    .json()
    .optional()
    .describe('A tree with {value}; all of them make the list {filters} of a JSON body.'),
  exactness,
});

const windowSize = integer(1, 100_000).describe('The most rows a call returns; more is never asked for.');

const pastEnd = z
  .enum(['empty', 'other'])
  .default('empty')
  .describe('What lies behind the last row: nothing, or anything else (the last page again, an error).');

const depthMax = integer(1, 1_000_000_000)
  .optional()
  .describe('The most rows that can be reached at all; a question beyond them is refused.');

const shortPage = z
  .enum(['end', 'anywhere'])
  .default('end')
  .describe(
    'Where a call may return fewer rows than asked: at the end, or anywhere (rows hidden after paging).',
  );

/** The page sizes a source takes, written out or as all up to the largest. */
const pageSizes = z
  .union([
    z.array(integer(1, 100_000)).min(1),
    z
      .strictObject({ upTo: integer(1, 1_000) })
      .transform(({ upTo }) => Array.from({ length: upTo }, (_, index) => index + 1)),
  ])
  .describe('The page sizes the source takes: some, or { upTo: 100 } for all from 1 to 100.');

const window = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('offset'),
    base: integer(0, 1).default(0).describe('Number of the first row.'),
    sizeMax: windowSize,
    pastEnd,
    shortPage,
    depthMax,
  }),
  z.strictObject({
    kind: z.literal('page'),
    base: integer(0, 1).default(1).describe('Number of the first page.'),
    sizes: pageSizes,
    pastEnd,
    shortPage,
    depthMax,
  }),
  z.strictObject({
    kind: z.literal('cursor'),
    sizeMax: windowSize,
    next: z.string().describe('Path of the cursor of the next window; null, empty or absent at the end.'),
    more: z.string().optional().describe('Path of a flag that is false at the end.'),
  }),
  z.strictObject({
    kind: z.literal('link'),
    sizeMax: windowSize,
    next: z
      .union([z.strictObject({ at: z.string() }), z.strictObject({ header: z.string() })])
      .describe(
        'Path of the next address, or the header with rel="next" (RFC 8288). Only its path and query count.',
      ),
  }),
  z.strictObject({
    kind: z.literal('keyset'),
    sizeMax: windowSize,
    key: z.string().describe('Path, in a row, of the value that {after} takes for the next window.'),
  }),
  z.strictObject({ kind: z.literal('none') }),
]);

const totalPlace = {
  at: z.string().optional().describe('Path of the number; empty for a body that is the number.'),
  header: z.string().optional(),
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
    .strictObject({ at: z.string(), equals: literal })
    .optional()
    .describe('The number is only a bound where this path has this value.'),
});

const list = z.strictObject({
  request,
  window,
  total: total.optional().describe('The exact number of rows. Absent: the rows are counted by a scan.'),
  items: z.string().describe('Path of the array of rows; empty where the body is the array.'),
  itemsAbsent: z
    .enum(['invalid', 'empty'])
    .default('invalid')
    .describe('What a reply without the array means: some sources leave an empty list out.'),
  order: z
    .enum(['id', 'source', 'unknown'])
    .default('unknown')
    .describe(
      'The order of rows without a sort parameter. id: ascending id. source: some other total order that is always the same and becomes the default order. unknown: sorted by id here.',
    ),
  sort: z
    .strictObject({
      query: queryTemplate.default({}).describe('Parameters with {column} and {direction}.'),
      expr: z.string().optional().describe('A text with {column} and {direction} that becomes {sort}.'),
      item: z
        .json()
        .optional()
        .describe('A tree with {column} and {direction}: the list {sorts} of a JSON body.'),
      ascending: z.string().default('asc'),
      descending: z.string().default('desc'),
      columns: z.record(z.string(), sortColumn),
    })
    .optional(),
  filterJoin: z.string().default(' and ').describe('What stands between the conditions of {filter}.'),
  filters: z.record(z.string(), z.partialRecord(z.enum(['eq', 'ge', 'le']), filter)).default({}),
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
    pattern: z
      .string()
      .optional()
      .describe('A regular expression whose first group is the id, where more stands around it.'),
    form: z
      .string()
      .optional()
      .describe('A regular expression that all of a native id fits; the source is never asked for another.'),
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
export type BodySpec = z.infer<typeof requestBody>;
export type DecodeSpec = z.infer<typeof decode>;
export type TotalSpec = z.infer<typeof total>;
export type FilterSpec = z.infer<typeof filter>;
export type CoercionSpec = z.infer<typeof coercion>;
export type MappingSpec = z.infer<typeof mapping>;
export type OutcomeSpec = z.infer<typeof outcome>;
export type OutcomeKind = OutcomeSpec['is'];
