import { z } from 'zod';
import { errorCodes } from '../errors/catalogue.ts';
import type { Json } from '../kernel/json.ts';
import { checkShape } from './check-shape.ts';
import type { FileText } from './load.ts';
import type { Problem } from './problem.ts';
import { headerName } from './scalars.ts';
import { parseYamlFile } from './yaml-file.ts';

const headers = z.record(headerName, z.string());

const exchange = z.strictObject({
  request: z.strictObject({
    method: z.enum(['GET', 'POST']).default('GET'),
    target: z
      .string()
      .startsWith('/')
      .describe('Path and query below net.baseUrl; what needs no %-encoding may be written as it is.'),
    headers: headers.default({}).describe('Headers the request must have; others are not looked at.'),
    body: z.string().optional().describe('Compared as JSON where both bodies are.'),
  }),
  reply: z.strictObject({
    status: z.int().min(100).max(599).default(200),
    headers: headers.default({}),
    body: z.string().optional().describe('The text on the wire, in UTF-8.'),
    base64: z.base64().optional().describe('The bytes on the wire, where they are not UTF-8.'),
  }),
});

const status = z.int().min(200).max(599);

const fixtureSchema = z.strictObject({
  request: z
    .string()
    .regex(/^GET \/v1\/\S+$/, 'expected a request such as GET /v1/users?limit=2')
    .describe('What a client asks.'),
  upstream: z
    .array(exchange)
    .describe('What the source is asked, in any order, each as often as it is listed, and what it replied.'),
  expect: z.union([
    z.strictObject({ status, body: z.json() }),
    z.strictObject({ status, error: z.enum(errorCodes) }),
  ]),
});

/** One exchange with a source. */
export type RecordedExchange = z.infer<typeof exchange>;

/** A recorded case: what a client asks, what the source then is asked and replied, and the answer. */
export type Fixture = Pick<z.infer<typeof fixtureSchema>, 'request' | 'upstream'> & {
  readonly status: number;
  /** The body with its digits, or the code of an error. */
  readonly expected: { readonly body: Json } | { readonly error: string };
};

/** Reads the file of one case; problems are added with their lines. */
export function readFixture({ file, text }: FileText, problems: Problem[]): Fixture | undefined {
  const yaml = parseYamlFile(file, text, undefined, problems);
  const shape = checkShape(yaml, fixtureSchema, problems);
  if (shape === undefined) return undefined;
  const { request, upstream, expect } = shape;
  const expected = 'error' in expect ? { error: expect.error } : { body: yaml.exactAt(['expect', 'body']) };
  return { request, upstream, status: expect.status, expected };
}
