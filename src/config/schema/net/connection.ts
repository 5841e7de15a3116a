// The schemas of `net`, `auth` and `decode` of a source file: how a source is reached and how its replies are parsed.

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
} from './resilience.ts';
import { proof } from './proof.ts';
import {
  addedHeaderName,
  bytes,
  headerSecret,
  headerValue,
  httpUrl,
  integer,
  secret,
  timeLimit,
} from '../elements/scalars.ts';

const sourceRetries = retries.extend({
  post: z
    .boolean()
    .default(false)
    .describe('Whether a POST of this file may be sent again: only if it changes nothing.'),
  pauseMax: timeLimit
    .default(60_000)
    .describe('The longest pause that the source may ask for, as by Retry-After.'),
});

/**
 * The connection to a source: its hosts, its limits, and what happens when a call fails. Times are milliseconds, `bytesMax`
 * is bytes.
 */
export const net = z
  .strictObject({
    baseUrl: httpUrl.describe('What every path of the file is appended to.'),
    otherUrls: otherHosts.describe(
      'More hosts of the same service, with the path of `baseUrl`. A call goes to the less busy of two random hosts (power of two choices); all calls of one walk go to one host.',
    ),
    timeout: timeLimit.default(5_000).describe('Total time for one upstream call, body included.'),
    connectTimeout: connectTimeout.describe('The longest that connecting may take, TLS included.'),
    bytesMax: bytes.default(8 * 1024 ** 2).describe('The largest body read, after decompression.'),
    concurrency: integer(1, 1_000)
      .default(8)
      .describe(
        'A bulkhead: the most calls in flight, over all workers of one gateway; every replica has as many. From 4 on, a caller whose calls are slow has at most half of them.',
      ),
    requestsPerSecond: integer(1, 100_000)
      .optional()
      .describe('Calls in any second, of all processes together; while Redis is gone, of each alone.'),
    queue: z
      .strictObject({
        max: integer(1, 10_000)
          .default(100)
          .describe(
            'Calls that may wait; beyond that, one of the lowest priority is refused (`overloaded`). With a concurrency of 4 or more, one caller has at most an eighth of them, or 4, if others wait or its calls are slow.',
          ),
        time: timeLimit
          .default(5_000)
          .describe('How long a call for a caller may wait; a scan waits within `budget.time`.'),
      })
      .prefault({})
      .describe(
        'Calls beyond `concurrency` and `requestsPerSecond`: those for callers go first, in turns, then refreshes, then scans.',
      ),
    breaker: breaker
      .prefault({})
      .describe(
        'A circuit breaker. Failures are: no connection, no answer in time, an outcome `error` or `unavailable`; without a connection they open it by themselves, else only if the health probe of Portico fails, too. While it is open, callers get stale answers or 503.',
      ),
    retries: sourceRetries
      .prefault({})
      .describe(
        'A call that only reads is sent again if there was no connection, if it broke before the reply, if a gateway answered 502, 503 or 504, or if `timeout` has passed and the deadline leaves as much time again.',
      ),
    outliers,
    health,
    headers: z.record(addedHeaderName, headerValue).default({}).describe('Constant headers.'),
    tls: tlsOf('source'),
  })
  .superRefine(({ baseUrl, otherUrls, health: checked }, context) => {
    const names = { url: 'net.baseUrl', others: 'net.otherUrls', at: 'otherUrls' };
    const hosts = { url: baseUrl, others: otherUrls, health: checked, names };
    for (const problem of hostProblems(hosts)) context.addIssue(problem);
  });

const loginPath = z.string().startsWith('/').describe('Appended to net.baseUrl.');

const proven = { proof: proof.optional() };

/**
 * The gateway's own credential for a source. A caller's credential is never passed on. `oauth2` is the client credentials
 * grant (RFC 6749, section 4.4).
 */
export const sourceAuth = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }).describe('The source asks for no credential.'),
  z
    .strictObject({
      kind: z.literal('basic'),
      user: secret.describe('The user.'),
      password: secret.describe('The password.'),
      ...proven,
    })
    .describe('HTTP Basic (RFC 7617).'),
  z
    .strictObject({
      kind: z.literal('header'),
      name: addedHeaderName.describe('Such as Authorization or X-API-Key.'),
      value: headerSecret.describe('All of the value, such as `Bearer ${TOKEN}`.'),
      ...proven,
    })
    .describe('A constant header.'),
  z
    .strictObject({
      kind: z.literal('query'),
      name: z.string().min(1).describe('The name of the parameter.'),
      value: secret.describe('Its value.'),
      ...proven,
    })
    .describe('A constant parameter of the query, for sources that take no header.'),
  z
    .strictObject({
      kind: z.literal('oauth2'),
      tokenUrl: httpUrl.describe('The token endpoint.'),
      clientId: z.string().min(1).describe('The client.'),
      clientSecret: secret.describe('Its secret.'),
      clientAuth: z
        .enum(['basic', 'body'])
        .default('basic')
        .describe('How the client is sent to the token endpoint: by HTTP Basic, or in the body.'),
      scope: z.string().optional().describe('Sent as `scope`; several are separated by spaces.'),
      audience: z.string().optional().describe('Sent as `audience`, for issuers that ask for it.'),
      ...proven,
    })
    .describe('OAuth 2.0 client credentials.'),
  z
    .strictObject({
      kind: z.literal('session'),
      login: z
        .union([
          z.strictObject({ path: loginPath, json: z.json().describe('The body, as JSON.') }),
          z.strictObject({
            path: loginPath,
            form: z.record(z.string(), z.string()).describe('The body, as a form.'),
          }),
        ])
        .describe('The POST that logs in; its body is written out, with ${…} for secrets.'),
      token: z.string().optional().describe('Path of the token in the reply to the login.'),
      cookie: z.string().optional().describe('The cookie that holds the token, instead of a path.'),
      header: addedHeaderName.default('Authorization').describe('The header that the session goes into.'),
      value: headerValue.default('Bearer {session}').describe('The header, with {session}.'),
      lifetime: timeLimit.default(600_000).describe('The longest that a session is used.'),
      ...proven,
    })
    .describe(
      'A login whose session goes into a header. After an outcome `unauthorized`, Portico logs in again.',
    ),
]);

/** How the bytes of a reply are parsed. A setting for another format than `format` has no effect. */
export const decode = z.strictObject({
  format: z
    .enum(['json', 'xml', 'csv', 'ndjson'])
    .default('json')
    .describe('The format of the body of a reply.'),
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
  delimiter: z.string().length(1).default(',').describe('csv: the separator between columns.'),
  quote: z.string().max(1).default('"').describe('csv: the quotation mark around a value; empty for none.'),
  stripPrefix: z
    .string()
    .default('')
    .describe("json: a text before the document that is removed, such as )]}'"),
});

const TYPES_BY_FORMAT: Readonly<Record<z.infer<typeof decode>['format'], readonly string[]>> = {
  json: ['application/json'],
  xml: ['application/xml', 'text/xml', 'application/soap+xml'],
  csv: ['text/csv'],
  ndjson: ['application/x-ndjson', 'application/jsonl'],
};

/** The content types that a source may reply with. They are sent in `Accept`; a reply of another type is refused. */
export function contentTypesOf({
  format,
  contentTypes,
}: Pick<z.infer<typeof decode>, 'format' | 'contentTypes'>): readonly string[] {
  return contentTypes ?? TYPES_BY_FORMAT[format];
}

function isCharset(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}
