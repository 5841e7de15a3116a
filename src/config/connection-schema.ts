import { z } from 'zod';
import {
  addedHeaderName,
  bytes,
  headerSecret,
  headerValue,
  httpUrl,
  integer,
  secret,
  timeLimit,
} from './scalars.ts';

export const net = z.strictObject({
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

export const auth = z.discriminatedUnion('kind', [
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

export const decode = z.strictObject({
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
