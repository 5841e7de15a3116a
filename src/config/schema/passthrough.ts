// The schema of `passthrough` in the gateway file: the routes that are passed to other services as they are.

import * as z from 'zod';
import {
  breaker,
  connectTimeout,
  health,
  hostProblems,
  otherHosts,
  outliers,
  retries,
  tlsOf,
} from './net/resilience.ts';
import {
  addedHeaderName,
  bytes,
  flag,
  headerName,
  headerSecret,
  httpUrl,
  integer,
  name,
  permission,
  timeLimit,
} from './elements/scalars.ts';

/** Headers that no setting lets a caller pass: those with credentials, and those that the gateway sets itself. */
const NEVER_PASSED =
  /^(?:authorization|x-api-key|cookie2?|host|connection|keep-alive|te|trailer|transfer-encoding|content-length|upgrade|expect|http2-settings|x-request-id|x-forwarded-(?:for|host|proto)|proxy.*)$|_/i;

const callerHeader = headerName.refine(
  (header) => !NEVER_PASSED.test(header),
  'this header of a caller never passes: it is a credential, belongs to the connection, is set by the gateway, or has an underscore',
);

/** A route that passes requests to another service without translating them. */
export const passthroughRoute = z
  .strictObject({
    name: name.describe('Stands in logs, metrics and limits as passthrough.<name>.'),
    path: z
      .string()
      .regex(
        /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/,
        'expected a plain path such as /legacy/orders, without a trailing slash',
      )
      .describe('The path of the route, such as /legacy/orders; nothing below /v1.'),
    subpaths: flag.default(true).describe('Whether paths below `path` pass too.'),
    methods: z
      .array(z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']))
      .min(1)
      .default(['GET', 'HEAD'])
      .describe('The methods that pass; others are 405.'),
    upstream: httpUrl.describe('Where the route goes; the whole path is appended to it.'),
    otherUpstreams: otherHosts.describe(
      'More hosts of the same service, with the path of `upstream`. A request goes to the less busy of two random hosts (power of two choices), a retry to another host.',
    ),
    stripPath: flag
      .default(false)
      .describe('Whether `path` is cut off before the rest is appended to `upstream`.'),
    sharedCaching: flag
      .default(false)
      .describe(
        'Whether caches that callers share, such as a CDN, may keep answers for as long as the upstream says, though the route needs a `permission`. false: `Cache-Control` says `private`, and headers for shared caches alone (`CDN-Cache-Control`, `Surrogate-Control` …) are not returned.',
      ),
    permission: permission.nullable().describe('What the caller needs; null makes the route public.'),
    deadline: timeLimit.default(30_000).describe('Total time for the exchange, body included.'),
    connectTimeout: connectTimeout.describe('The longest that connecting may take, TLS included.'),
    tls: tlsOf('upstream'),
    bodyMax: bytes.default(1024 ** 2).describe('The largest request body let through.'),
    concurrency: integer(1, 10_000)
      .default(128)
      .describe('The most requests in flight, each on a connection of its own, in each worker.'),
    queue: z
      .strictObject({
        max: integer(1, 1_000_000)
          .default(1_000)
          .describe('Requests that may wait; beyond that, the newest is refused (`overloaded`).'),
        time: timeLimit.default(5_000).describe('How long a request may wait; then it is refused.'),
      })
      .prefault({})
      .describe('Requests beyond `concurrency`.'),
    breaker: breaker
      .prefault({})
      .describe(
        'A circuit breaker. Failures are: no connection, a broken one, no answer within `deadline`, or 502, 503 or 504. While it is open, callers get 503 at once. Other answers pass as they are and do not count.',
      ),
    retries: retries
      .prefault({})
      .describe(
        'A GET or HEAD without a body is sent again if there was no connection, or if it broke before a byte of the answer.',
      ),
    outliers,
    health,
    headers: z
      .record(addedHeaderName, headerSecret)
      .default({})
      .describe("Headers added for the upstream, such as the gateway's own credential."),
    purges: z
      .array(z.string())
      .default([])
      .describe(
        'Resources of the contract that writes of the route change, such as [orders]: what is kept of them is purged when the upstream answers another method than GET or HEAD with 2xx, before the caller gets the answer.',
      ),
    callerHeaders: z
      .array(callerHeader)
      .default([])
      .describe(
        'Headers of callers that pass although they look like a claim of who or where they are, such as X-User-Id. An upstream that trusts one of them must know that anybody can say it.',
      ),
  })
  .superRefine(({ upstream, otherUpstreams, health: checked }, context) => {
    const names = { url: 'upstream', others: 'otherUpstreams', at: 'otherUpstreams' };
    const hosts = { url: upstream, others: otherUpstreams, health: checked, names };
    for (const problem of hostProblems(hosts)) context.addIssue(problem);
  });

/** An entry of `passthrough` with its defaults: times in milliseconds, `bodyMax` in bytes. */
export type PassthroughConfig = z.infer<typeof passthroughRoute>;
