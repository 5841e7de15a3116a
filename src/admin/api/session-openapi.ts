import { problemStatus } from './action.ts';

type Schema = Record<string, unknown>;

const who = {
  name: { type: 'string', description: 'The name of the token; `local` where none is configured.' },
  role: { type: 'string', enum: ['viewer', 'operator'] },
};

const secret = {
  type: 'string',
  description: 'What `X-Portico-Session-Secret` must be beside the cookie. No other answer has it.',
};

const object = (properties: Schema): Schema => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});

const json = (schema: Schema): Schema => ({ 'application/json': { schema } });

function operation(operationId: string, summary: string, rest: Schema): Schema {
  const description =
    'A cookie of the console with the secret of its tab counts on every path under `/api/`, for requests of its own pages alone. Needs no role but `viewer` or `operator`.';
  return { operationId, summary, description, tags: ['session'], ...rest };
}

const problems = Object.fromEntries(
  Object.entries(problemStatus).map(([code, status]) => [status, { $ref: `#/components/responses/${code}` }]),
);

/** The paths of the console's sessions, which are no actions: they make and end what actions are asked with. */
export const sessionPaths: Schema = {
  '/api/session': {
    get: operation('session', 'Who asks, in which role, and until when.', {
      responses: {
        200: {
          description: 'Who asks.',
          content: json(
            object({
              ...who,
              endsAt: { type: ['string', 'null'], description: 'When the session ends; null for a token.' },
              how: { type: 'string', enum: ['cookie', 'token', 'local'] },
              version: { type: 'string', description: 'Of the gateway.' },
            }),
          ),
        },
        ...problems,
      },
    }),
    post: operation(
      'sessionBegin',
      'Signs in with a token; the answer sets a cookie and has a secret, which count together for 12 h.',
      {
        security: [],
        requestBody: { required: true, content: json(object({ token: { type: 'string' } })) },
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
            content: json(object({ ...who, endsAt: { type: 'string' }, secret })),
          },
          ...problems,
        },
      },
    ),
    delete: operation('sessionEnd', 'Signs out, in all tabs of the browser.', {
      responses: { 204: { description: 'The session has ended.' }, ...problems },
    }),
  },
};
