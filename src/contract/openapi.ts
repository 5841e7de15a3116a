// Makes the OpenAPI document of a contract, which the gateway serves and `portico openapi` prints.

import { deprecationMarks, mayBeDeprecated } from './deprecation.ts';
import { errorResponses, errorSchema } from './openapi-errors.ts';
import { deprecationHeaders, header, headers } from './openapi-headers.ts';
import type { Field } from './fields.ts';
import { openapiPath, parametersOf } from './openapi-parameters.ts';
import type { Contract, Operation, Resource } from './resource.ts';

type Schema = Record<string, unknown>;

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** Whether a single record has the same fields as an item of the list; then one schema is enough. */
const isOneView = ({ itemFields, detailFields }: Resource) => itemFields.length === detailFields.length;
/** The name of the schema of a single record. */
const singleName = (resource: Resource) =>
  isOneView(resource) || !resource.hasList ? resource.schemaName : `${resource.schemaName}Detail`;

function objectSchema(entries: readonly (readonly [string, Schema])[], title?: string): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(entries),
    required: entries.map(([key]) => key),
    additionalProperties: false,
    ...(title !== undefined && { title }),
  };
}

/** The schema of a view. Fields that share the beginning of their path become one object. */
function viewSchema(fields: readonly Field[], depth = 0, title?: string): Schema {
  const groups = Map.groupBy(fields, ({ path }) => path[depth] ?? '');
  const entries = [...groups].map(([key, group]): [string, Schema] => {
    const [first] = group;
    return [key, first?.path.length === depth + 1 ? first.schema : viewSchema(group, depth + 1)];
  });
  return objectSchema(entries, title);
}

/** What an operation is called, and the sentences about it. */
export function operationTexts({ kind, resource }: Operation) {
  return {
    summary: kind === 'list' ? `List ${resource.name}` : `Get a ${resource.singular}`,
    description: `Needs the permission \`${resource.permission}\`. HEAD gives the same headers without the body.`,
  };
}

function responsesOf(operation: Operation): Schema {
  const { resource } = operation;
  const body =
    operation.kind === 'list'
      ? {
          type: 'object',
          additionalProperties: false,
          required: ['data', 'meta'],
          properties: { data: { type: 'array', items: ref(resource.schemaName) }, meta: ref('Meta') },
        }
      : {
          type: 'object',
          additionalProperties: false,
          required: ['data'],
          properties: { data: ref(singleName(resource)) },
        };
  const names = [
    'X-Request-Id',
    'ETag',
    'Cache-Control',
    'Age',
    'Cache-Status',
    'RateLimit-Policy',
    'RateLimit',
    'Vary',
    ...(mayBeDeprecated(operation) ? Object.keys(deprecationHeaders) : []),
  ];
  const shared = Object.fromEntries(names.map((name) => [name, header(name)]));
  const errors = Object.keys(errorResponses()).map((name) => [
    name.slice('Error'.length),
    { $ref: `#/components/responses/${name}` },
  ]);
  return {
    200: {
      description: 'The answer.',
      headers: { ...shared, 'Content-Encoding': header('Content-Encoding') },
      content: { 'application/json': { schema: body } },
    },
    304: { description: 'The answer is the one that `If-None-Match` names.', headers: shared },
    ...(Object.fromEntries(errors) as Schema),
  };
}

function pathItem(operation: Operation): Schema {
  const { resource, name } = operation;
  return {
    get: {
      operationId: name.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
      ...operationTexts(operation),
      tags: [resource.name],
      parameters: parametersOf(operation),
      responses: responsesOf(operation),
      ...deprecationMarks(resource.deprecation),
    },
  };
}

function schemas({ resources }: Contract): Schema {
  const all = [...resources.values()];
  const views = all.flatMap((resource): [string, Schema][] => {
    const name = resource.schemaName;
    const single = singleName(resource);
    return [
      [name, viewSchema(resource.hasList ? resource.itemFields : resource.detailFields, 0, name)],
      ...(resource.hasSingle && single !== name
        ? [[single, viewSchema(resource.detailFields, 0, single)] as [string, Schema]]
        : []),
    ];
  });
  const limits = all.flatMap(({ hasList, pages }) => (hasList ? [pages] : []));
  if (limits.length === 0) return { ...Object.fromEntries(views), Error: errorSchema };
  return {
    ...Object.fromEntries(views),
    Meta: {
      type: 'object',
      additionalProperties: false,
      required: ['total', 'page', 'limit'],
      properties: {
        total: {
          type: 'integer',
          minimum: 0,
          description: 'Exact number of records that match the filters.',
          examples: [120],
        },
        page: { type: 'integer', minimum: 1, description: 'The page that was asked for.', examples: [1] },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: Math.max(...limits.map(({ max }) => max)),
          description: 'The page size that applies.',
          examples: [limits[0]?.default],
        },
      },
    },
    Error: errorSchema,
  };
}

/** Joins words for a sentence: `users, products and orders`. */
function andList(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' and ');
}

/**
 * Makes the OpenAPI 3.1 document of a contract, from the same fields that check the answers. `root` is the path below which
 * the gateway is reached.
 */
export function openapiDocument(contract: Contract, root = '/'): Schema {
  const names = [...contract.resources.keys()];
  return {
    openapi: '3.1.0',
    info: {
      title: contract.title,
      version: `${contract.version.slice(1)}.0.0`,
      description: `List and read ${andList(names)}. Every operation is a read; every body is JSON.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: root, description: 'The gateway that serves this document.' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: names.map((name) => ({
      name,
      description: `Reading ${name}.`,
    })),
    paths: Object.fromEntries(
      contract.operations.map((operation) => [openapiPath(operation), pathItem(operation)]),
    ),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a JWT.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
      },
      headers: contract.operations.some(mayBeDeprecated) ? { ...headers, ...deprecationHeaders } : headers,
      responses: errorResponses(),
      schemas: schemas(contract),
    },
  };
}
