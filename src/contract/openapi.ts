import * as z from 'zod';
import { catalogue, type ErrorCode, errorCodes } from '../kernel/errors/catalogue.ts';
import { errorHeaders, header, headers } from './openapi-headers.ts';
import { type Operation, operations } from './operations.ts';
import { LIMIT_DEFAULT, LIMIT_MAX, PAGE_MAX } from './parse-query.ts';
import { type Resource, resourceNames } from './resources.ts';

type Schema = Record<string, unknown>;

/** An id of a request, for examples. */
const REQUEST_ID = 'req_7Zl0Xn4cQ2mTgB1k';

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** Converts a contract schema to JSON Schema; decimals carry their type in their metadata. */
function jsonSchema(schema: z.ZodType): Schema {
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, {
    unrepresentable: 'any',
    target: 'draft-2020-12',
  });
  return rest;
}

function nameOf(schema: z.ZodType): string {
  return schema.meta()?.title ?? '';
}

function parameter(name: string, description: string, schema: Schema): Schema {
  return { name, in: 'query', description, schema };
}

function listParameters({ sorts, filters }: Resource): readonly Schema[] {
  const page = parameter('page', 'Page number.', {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_MAX,
    default: 1,
  });
  const limit = parameter('limit', 'Records per page.', {
    type: 'integer',
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
  });
  const sortEnum = sorts.flatMap((sort) => [sort, `-${sort}`]);
  const sort = parameter(
    'sort',
    'Field to sort by; a leading "-" means descending. Ties are broken by ascending id.',
    { type: 'string', enum: sortEnum },
  );
  return [
    page,
    limit,
    ...(sorts.length > 0 ? [sort] : []),
    ...filters.map(({ name, op, description }) =>
      parameter(
        name,
        description,
        op === 'eq'
          ? { type: 'string', minLength: 1 }
          : {
              type: 'string',
              pattern: '^[0-9]+(\\.[0-9]+)?$',
              examples: ['9.99'],
            },
      ),
    ),
  ];
}

/** The body of each error, as a caller gets it. */
function errorExamples(codes: readonly ErrorCode[]): Schema {
  const body = (code: ErrorCode) => ({
    error: { code, message: catalogue[code].sentence, request_id: REQUEST_ID },
  });
  return Object.fromEntries(codes.map((code) => [code, { value: body(code) }]));
}

/** One response per status, with the error codes of that status. */
function errorResponses(): Schema {
  const statuses = [...new Set(errorCodes.map((code) => catalogue[code].status))];
  const entries = statuses.map((status) => {
    const codes = errorCodes.filter((code) => catalogue[code].status === status);
    const names = ['X-Request-Id', ...(errorHeaders[status] ?? [])];
    const response = {
      description: codes.map((code: ErrorCode) => `\`${code}\`: ${catalogue[code].sentence}`).join('\n\n'),
      headers: Object.fromEntries(names.map((name) => [name, header(name)])),
      content: { 'application/json': { schema: ref('Error'), examples: errorExamples(codes) } },
    };
    return [`Error${status}`, response];
  });
  return Object.fromEntries(entries) as Schema;
}

function responsesOf(operation: Operation): Schema {
  const { item, detail } = operation.resource;
  const body =
    operation.kind === 'list'
      ? {
          type: 'object',
          additionalProperties: false,
          required: ['data', 'meta'],
          properties: { data: { type: 'array', items: ref(nameOf(item)) }, meta: ref('Meta') },
        }
      : {
          type: 'object',
          additionalProperties: false,
          required: ['data'],
          properties: { data: ref(nameOf(detail ?? item)) },
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
  const { kind, resource, name } = operation;
  const idParameter = {
    name: 'id',
    in: 'path',
    required: true,
    description: `Identifier of the ${resource.title}.`,
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  };
  return {
    get: {
      operationId: name.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
      summary: kind === 'list' ? `List ${resource.name}` : `Get a ${resource.title}`,
      description: `Needs the permission \`${resource.permission}\`. HEAD gives the same headers without the body.`,
      tags: [resource.name],
      parameters: kind === 'list' ? listParameters(resource) : [idParameter],
      responses: responsesOf(operation),
    },
  };
}

function schemas(): Schema {
  const views = operations.map(({ kind, resource }) =>
    kind === 'list' ? resource.item : (resource.detail ?? resource.item),
  );
  return {
    ...Object.fromEntries(views.map((view) => [nameOf(view), jsonSchema(view)])),
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
          maximum: LIMIT_MAX,
          description: 'The page size that applies.',
          examples: [LIMIT_DEFAULT],
        },
      },
    },
    Error: {
      type: 'object',
      additionalProperties: false,
      required: ['error'],
      properties: {
        error: {
          type: 'object',
          additionalProperties: false,
          required: ['code', 'message', 'request_id'],
          properties: {
            code: { type: 'string', enum: errorCodes },
            message: { type: 'string', description: 'A sentence for humans.' },
            request_id: { type: 'string', pattern: '^req_[A-Za-z0-9_-]+$', examples: [REQUEST_ID] },
          },
        },
      },
    },
  };
}

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Joins words for a sentence: `users, products and orders`. */
function andList(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** The OpenAPI 3.1 document of the contract, generated from the schemas that validate the answers. */
export function openapiDocument(): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: `${andList(resourceNames.map(capitalised))} Read API`,
      version: '1.0.0',
      description: `List and read ${andList(resourceNames)}. Every operation is a read; every body is JSON.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The gateway that serves this document.' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: resourceNames.map((name) => ({
      name,
      description: `Reading ${name}.`,
    })),
    paths: Object.fromEntries(
      operations.map((operation) => [operation.path.replace(':id', '{id}'), pathItem(operation)]),
    ),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a JWT.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
      },
      headers,
      responses: errorResponses(),
      schemas: schemas(),
    },
  };
}

/** The OpenAPI document as it is served. */
export function servedOpenapi(): Buffer {
  return Buffer.from(JSON.stringify(openapiDocument()));
}
