// Makes the OpenAPI document of the operator's listener from the table of its actions: for `/api/openapi.json` and the file
// in the documents.

import * as z from 'zod';
import { type ActionSpec, problemStatus, takesBody } from './action.ts';
import { actionList } from './action-table.ts';
import { jsonBody, jsonSchema, problemRefs, sessionPaths } from './session-openapi.ts';

type Schema = Record<string, unknown>;

const isPathPart = (path: string, name: string) => path.includes(`{${name}}`);

/** The parts of the input: parameters of path and query, and the body, which is `undefined` if nothing is left for it. */
function partsOf(spec: ActionSpec) {
  const { path, input } = spec;
  const { properties = {}, required = [] } = jsonSchema(input, 'input') as {
    properties?: Record<string, Schema>;
    required?: readonly string[];
  };
  const names = Object.keys(properties);
  const parameter = (place: 'path' | 'query') => (name: string) => {
    const { description = `The ${name}.`, ...schema } = properties[name] ?? {};
    return { name, in: place, required: place === 'path' || required.includes(name), description, schema };
  };
  const rest = names.filter((name) => !isPathPart(path, name));
  const inBody = takesBody(spec);
  const bodyRequired = required.filter((name) => rest.includes(name));
  return {
    parameters: [
      ...names.filter((name) => isPathPart(path, name)).map(parameter('path')),
      ...(inBody ? [] : rest.map(parameter('query'))),
    ],
    body:
      inBody && rest.length > 0
        ? {
            type: 'object',
            additionalProperties: false,
            properties: Object.fromEntries(rest.map((name) => [name, properties[name]])),
            ...(bodyRequired.length === 0 ? {} : { required: bodyRequired }),
          }
        : undefined,
    isBodyRequired: bodyRequired.length > 0,
  };
}

function operationOf(name: string, spec: ActionSpec): Schema {
  const { parameters, body, isBodyRequired } = partsOf(spec);
  const descriptions = { 200: 'The answer.', ...spec.answers?.descriptions };
  return {
    operationId: name.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: spec.summary,
    description: `Needs a token with the role \`${spec.role}\`${spec.role === 'viewer' ? ' or `operator`' : ''}.`,
    tags: [name.split('.')[0]],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: isBodyRequired, content: jsonBody(body) } }),
    responses: { ...answersOf(descriptions, jsonSchema(spec.output, 'output')), ...problemRefs },
  };
}

/** Answers that have the same schema, by status or name. */
function answersOf(descriptions: Readonly<Record<string, string>>, schema: Schema): Schema {
  const content = jsonBody(schema);
  const answers = Object.entries(descriptions).map(([name, description]) => [name, { description, content }]);
  return Object.fromEntries(answers) as Schema;
}

function otherPaths(): Schema {
  const get = (operationId: string, summary: string, content: Schema) => ({
    get: {
      operationId,
      summary,
      description: 'Needs a token with the role `viewer` or `operator`.',
      tags: [operationId],
      responses: { 200: { description: 'The answer.', content }, ...problemRefs },
    },
  });
  return {
    '/api/metrics': get('metrics', 'All metrics in the Prometheus text format.', {
      'text/plain': { schema: { type: 'string' } },
    }),
    '/api/events': get(
      'events',
      'A stream of server-sent events: `tick` every two seconds, with what `/api/overview` answers; `bye` before it ends.',
      { 'text/event-stream': { schema: { type: 'string' } } },
    ),
    '/api/openapi.json': get('openapi', 'This document.', jsonBody({ type: 'object' })),
  };
}

const sentences = {
  bad_input: 'The input is wrong; the reason names what.',
  unauthenticated: 'No token or no known one, or a cookie without the secret of its session.',
  forbidden: 'The role of the token does not allow this.',
  not_found: 'There is no such path or no such thing.',
  conflict: 'The thing is in a state that does not allow this.',
  gate: 'A step of a migration whose gate is not ready; `unmet` says what is missing.',
  too_many:
    'A wrong token, and too many of them came from this address; `Retry-After` says when to try again. A right one always passes.',
  failed: 'The gateway failed.',
  unavailable: 'Redis or a worker process did not answer.',
};

const problem = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(problemStatus)),
    reason: z.string().describe('What is wrong.'),
    hint: z.string().describe('What to do about it.'),
    unmet: z
      .array(z.looseObject({}))
      .optional()
      .describe('What the gate of a migration still asks for; in no other problem.'),
  }),
});

/** The OpenAPI 3.1 document of the operator's listener, made from the table of its actions. */
export function adminOpenapi(): Schema {
  const paths: Record<string, Schema> = {};
  for (const [name, spec] of actionList)
    paths[spec.path] = { ...paths[spec.path], [spec.method]: operationOf(name, spec) };
  const all: Schema = { ...otherPaths(), ...sessionPaths, ...paths };
  const tags = Object.values(all).flatMap((item) =>
    Object.values(item as Record<string, { tags: string[] }>).flatMap((one) => one.tags),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: "Portico operator's API",
      version: '1.0.0',
      description:
        'What an operator reads and changes while a gateway runs. It is not part of the public API.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: "The operator's listener that serves this document." }],
    security: [{ token: [] }, { session: [], sessionSecret: [] }],
    tags: [...new Set(tags)].map((name) => ({ name, description: `What concerns ${name}.` })),
    paths: all,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: '`admin.token`, or one of `admin.tokens`.' },
        session: {
          ...{ type: 'apiKey', in: 'cookie', name: 'portico_session' },
          description:
            'A session of the console, for its own pages alone: a change needs `X-Portico-Console: 1`.',
        },
        sessionSecret: {
          ...{ type: 'apiKey', in: 'header', name: 'X-Portico-Session-Secret' },
          description: 'The secret of the tab, from the answer to signing in: the cookie alone is refused.',
        },
      },
      responses: answersOf(sentences, { $ref: '#/components/schemas/Problem' }),
      schemas: {
        Problem: jsonSchema(problem, 'output'),
      },
    },
  };
}
