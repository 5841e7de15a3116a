// The specifications of the actions that read metrics or empty the cache, and the types of their answers for the console.

import * as z from 'zod';
import { RESOURCE_NAME } from '../../contract/contract-schema.ts';
import { callFailures } from '../../kernel/errors/call-failure.ts';
import { changeAction, matching, type Parsed, readAction, reason } from './action.ts';
import { attention } from './incident-specs.ts';

/** A number of things or events. */
export const count = z.int().min(0);
const share = z.number().min(0).max(1).nullable().describe('From 0 to 1; null where nothing was counted.');
const ms = z.number().min(0).nullable().describe('Milliseconds; null where nothing was counted.');
const perSecond = z.number().min(0);
/** The counts of one time series. */
export const counts = z.array(count.nullable()).describe('One for each data point; null if nobody counted.');
const namedCounts = z.record(z.string(), counts);

/** Which processes an answer covers. */
export const scope = z
  .enum(['process', 'workers', 'fleet'])
  .describe(
    'Which processes are covered: this one, all workers of this gateway, or all gateways on its Redis.',
  );
/** The moment since which an answer counts. */
export const since = z.string().describe('From when on it was counted, in UTC.');
const at = z.string().describe('When it was looked at, in UTC.');
const kind = z.enum(['source', 'passthrough']);
const breaker = z.enum(['closed', 'half-open', 'open']);

const latency = z
  .strictObject({
    boundsMs: z.array(z.number()).describe('The upper bounds of the buckets but the last, which has none.'),
    buckets: z.array(z.array(count).nullable()).describe('The count of each bucket, for each data point.'),
    p50Ms: z.array(ms),
    p99Ms: z.array(ms),
  })
  .describe(
    'Quantiles are interpolated linearly within a bucket, as histogram_quantile() of Prometheus does; above the last bound they are that bound.',
  );

const upTo = ms.describe('The upper bound of its bucket; null above the last one, or without counts.');
/** The median and the 99th percentile of durations: estimated within a bucket, and what they are at most. */
const quantiles = { p50Ms: ms, p50UpToMs: upTo, p99Ms: ms, p99UpToMs: upTo };

/** How many calls of a source are under way, how many wait, and how many may be under way. */
const load = { inFlight: count, waiting: count, concurrency: count };

const overviewSource = z.strictObject({
  ...{ name: z.string(), kind, breaker },
  callsPerSecond: perSecond,
  ...quantiles,
  errorShare: share.describe('Of its calls, those that brought no usable answer.'),
  failure: z.enum(callFailures).optional().describe('Why most of them brought none.'),
  hitShare: share.describe('Of the requests of its operations, those that the cache answered.'),
  stalePerSecond: perSecond,
  unreadablePerSecond: perSecond,
  ...load,
  utilization: share.describe('Calls under way, as a share of those that may be.'),
});

const overview = z.strictObject({
  ...{ scope, at, since },
  version: z.string(),
  processes: count,
  gateways: z.array(z.string()).describe('All of the fleet, by name; `process` takes one.'),
  draining: z.boolean(),
  config: z.strictObject({
    digest: z.string(),
    rev: z.int(),
    stale: z.strictObject({ since: z.string(), why: z.string() }).optional(),
  }),
  redis: z.array(z.strictObject({ role: z.string(), state: z.enum(['ready', 'refusing', 'full', 'lost']) })),
  attention: z
    .array(attention)
    .describe(
      'What needs an operator: the open incidents, then what none of them explains; the most urgent first.',
    ),
  overMs: count.describe('The time that the rates and shares are of: a minute, or less after a start.'),
  totals: z.strictObject({
    requestsPerSecond: perSecond,
    errorsShare: share.describe('Answers with a status from 500 on.'),
    refusedShare: share.describe('Refused by a limit, for their credential, or for overload.'),
    ...quantiles,
    hitShare: share.describe('Of the requests that looked into the cache.'),
  }),
  sources: z.array(overviewSource),
});

const step = matching(/^\d{1,4}(?:s|m|h)$/, 'a step such as 10s, 5m or 1h').describe(
  'The interval of a data point. Default: 10s of 1h, 10m of 48h.',
);

const history = z.strictObject({
  ...{ scope, since },
  stepMs: count,
  at: z
    .array(z.int())
    .describe('When the interval of each data point begins, in ms since the epoch; the last is not over.'),
  series: z.strictObject({
    requests: z.strictObject({ byStatusClass: namedCounts, byCache: namedCounts }),
    latency: latency.describe('Of requests; the rest as for `callLatency`.'),
    refusals: z.strictObject({ byReason: namedCounts }),
    calls: z.strictObject({ byOutcome: namedCounts, byFailure: namedCounts }).describe('To sources.'),
    callLatency: latency,
    events: z
      .strictObject({ byEvent: namedCounts })
      .describe('Of sources: retries, pauses, changes of breakers.'),
  }),
});

/** A count since the start, as `/metrics` has it, and what the last hour added. */
const counted = z.strictObject({ total: count, lastHour: count });

const sourceView = z.strictObject({
  ...{ scope, at, since, name: z.string(), kind, breaker },
  ...load,
  resources: z.array(z.string()),
  operations: z.array(z.string()),
  budget: z
    .strictObject({ rows: count, calls: count, bytes: count, timeMs: count, snapshotMs: count })
    .optional()
    .describe('What a scan may cost; absent for a pass-through route.'),
  hosts: z.array(z.strictObject({ name: z.string(), events: z.record(z.string(), counted) })),
  outcomes: z.record(z.string(), counted).describe('Calls by the class of their status.'),
  failures: z.record(z.string(), counted).describe('Calls that brought no usable answer, by why.'),
  rules: z
    .array(
      z.strictObject({
        rule: z.string().describe('Its place in the file, such as outcomes[2]; none: no rule fits.'),
        is: z
          .string()
          .describe('What it says that a reply means; by_status: no rule fits, the status decides.'),
        ...{ file: z.string().optional(), line: z.int().optional() },
        replies: counted.describe('Replies that it decided, counted under its place and its meaning.'),
      }),
    )
    .describe('The rules of `outcomes` as the file in force has them; none for a pass-through route.'),
  events: z.record(z.string(), counted).describe('Retries, pauses, and changes of the breaker.'),
  invalidReplies: z.array(
    z.strictObject({
      ...{ resource: z.string(), reason: z.string(), count },
      last: z.strictObject({ detail: z.string(), at: z.string() }).describe('Places, never values.'),
    }),
  ),
  claims: z
    .array(
      z.strictObject({
        ...{ resource: z.string(), claim: z.string(), file: z.string(), line: z.int().optional() },
        at: z.string(),
        isDisabled: z.boolean().describe('Whether answers are computed without it, until the file changes.'),
        detail: z.string().optional().describe('The shares of records, where they suddenly lack a field.'),
      }),
    )
    .describe('Claims of the file that replies have contradicted.'),
  costs: z
    .array(
      z.strictObject({
        ...{ resource: z.string(), query: z.string(), calls: count },
        cost: z.enum(['page', 'scan', 'refused', 'record']),
        ...{ verifyingCalls: count.optional(), reason: z.string().optional(), rowsMax: count.optional() },
      }),
    )
    .describe(
      'What each kind of query costs, as the source file stands; disabled claims make scans of pages.',
    ),
  scanCaches: z
    .array(z.strictObject({ resource: z.string(), count, oldestAt: z.string().nullable() }))
    .describe('The rows of scans that are kept in memory.'),
});

const results = z.record(z.string(), counted);

const cacheView = z.strictObject({
  ...{ scope, at, since },
  operations: z.array(
    z.strictObject({
      operation: z.string(),
      results: results.describe('Requests by hit, stale, miss, or none: they did not ask the cache.'),
      hitShare: share.describe('Hits and stale answers of the last hour, of those that asked the cache.'),
    }),
  ),
  levels: z.array(
    z.strictObject({ level: z.string(), results: results.describe('Look-ups and writes of this level.') }),
  ),
  local: z
    .strictObject({ bytes: count, bytesMax: count, entries: count })
    .describe('The level in memory, summed over the processes.'),
});

/** A purge tag: a resource, a record of it, or everything. */
const tag = matching(
  new RegExp(`^(?:\\*|${RESOURCE_NAME}(?:[:_].{1,600})?)$`, 'u'),
  'a tag such as users, users:42, or * for everything',
);

const cachePurge = z.strictObject({
  purged: z.string(),
  reached: z
    .strictObject({ processes: z.int(), answers: z.int(), scanCaches: z.int() })
    .optional()
    .describe(
      'How many answers and scan caches with the tag were in the memory of the processes of this gateway. Answers that are in Redis alone, and those of other gateways, are purged too, but not counted.',
    ),
});

/** The answer of `overview`, and a tick of the stream. */
export type Overview = Parsed<typeof overview>;

/** The answer of `metrics.history`. */
export type MetricsHistory = Parsed<typeof history>;

/** The counts of one time series; null if nobody counted. */
export type PointCounts = Parsed<typeof counts>;

/** The answer of `source`. */
export type SourceDetail = Parsed<typeof sourceView>;

/** Counts by the value of a label, such as an outcome or a reason. */
export type NamedCounts = Parsed<typeof results>;

/** The answer of `cache`. */
export type CacheDetail = Parsed<typeof cacheView>;

/** The answer of `cache.purge`. */
export type CachePurge = Parsed<typeof cachePurge>;

/** How far back an action goes. */
export const span = z
  .enum(['1h', '48h'])
  .optional()
  .describe('How far back; default 1h. 48h is kept in Redis.');

/** Actions that read metrics, and the one that empties the cache. */
export const metricSpecs = {
  overview: readAction(
    '/api/overview',
    'What needs attention, and the traffic, the sources and the Redis of the last minute.',
    overview,
    { process: z.string().max(200).optional() },
  ),
  'metrics.history': readAction(
    '/api/metrics/history',
    'Metrics over time; with a source, only those of its calls and of the requests of its operations.',
    history,
    { span, step: step.optional(), source: z.string().max(80).optional() },
  ),
  source: readAction(
    '/api/sources/{name}',
    'One source or pass-through route: its health, its calls, its claims and what queries cost.',
    sourceView,
    { name: z.string().min(1).max(80) },
  ),
  cache: readAction('/api/cache', 'What the cache answered, for each operation and level.', cacheView, {}),
  'cache.purge': changeAction(
    '/api/cache/purge',
    'Has every process forget the answers and scan caches that carry a tag, within half a second.',
    { tag, reason },
    cachePurge,
  ),
} as const;
