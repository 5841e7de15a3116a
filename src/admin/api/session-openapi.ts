// Describes the sign-in of the console for the OpenAPI document of the operator's listener, and has the parts of that
// document that openapi.ts uses for the actions, too.

import * as z from 'zod';
import { type Parsed, problemStatus } from './action.ts';

type Schema = Record<string, unknown>;

const who = {
  name: z.string().describe('The name of the token; `local` if none is configured.'),
  role: z.enum(['viewer', 'operator']),
};

const session = z.strictObject({
  ...who,
  endsAt: z.string().nullable().describe('When the session ends; null for a token.'),
  how: z.enum(['cookie', 'token', 'local']),
  version: z.string().describe('The version of the gateway.'),
});

/** Who is signed in, and how. */
export type SessionDetail = Parsed<typeof session>;

const begun = z.strictObject({
  ...who,
  endsAt: z.string(),
  secret: z
    .string()
    .describe('What `X-Portico-Session-Secret` must be beside the cookie. No other answer has it.'),
});

/** What signing in takes. */
export const credentials = z.strictObject({ token: z.string().min(1).max(600) });

/** A schema as JSON Schema. `input`: what callers may send; `output`: what they get. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return rest;
}

/** A body of JSON with this schema. */
export const jsonBody = (schema: object): Schema => ({ 'application/json': { schema } });

function operation(operationId: string, summary: string, rest: Schema): Schema {
  const description =
    'A cookie of the console with the secret of its tab counts on every path under `/api/`, for requests of its own pages alone. Needs no role but `viewer` or `operator`.';
  return { operationId, summary, description, tags: ['session'], ...rest };
}

/** The responses of all problems, by their statuses. */
export const problemRefs = Object.fromEntries(
  Object.entries(problemStatus).map(([code, status]) => [status, { $ref: `#/components/responses/${code}` }]),
);

/** The paths of the console's sessions. They are no actions: they begin and end the sessions that actions need. */
export const sessionPaths: Schema = {
  '/api/session': {
    get: operation('session', 'Who asks, in which role, and until when.', {
      responses: {
        200: {
          description: 'Who asks.',
          content: jsonBody(jsonSchema(session, 'output')),
        },
        ...problemRefs,
      },
    }),
    post: operation(
      'sessionBegin',
      'Signs in with a token; the answer sets a cookie and has a secret, which count together for 12 h.',
      {
        security: [],
        requestBody: { required: true, content: jsonBody(jsonSchema(credentials, 'input')) },
        responses: {
          200: {
            description: 'A session has begun.',
            headers: {
              'Set-Cookie': {
                description:
                  '`portico_session`: HttpOnly, SameSite=Strict, and Secure where the page came by TLS.',
                schema: { type: 'string' },
              },
            },
            content: jsonBody(jsonSchema(begun, 'output')),
          },
          ...problemRefs,
        },
      },
    ),
    delete: operation('sessionEnd', 'Signs out, in all tabs of the browser.', {
      responses: { 204: { description: 'The session has ended.' }, ...problemRefs },
    }),
  },
};
