// The part of the OpenAPI document that describes errors, made from the catalogue of errors.

import { catalogue, type ErrorCode, errorCodes } from '../kernel/errors/catalogue.ts';
import { errorHeaders, header } from './openapi-headers.ts';

type Schema = Record<string, unknown>;

const REQUEST_ID = 'req_7Zl0Xn4cQ2mTgB1k';

function errorExamples(codes: readonly ErrorCode[]): Schema {
  const body = (code: ErrorCode) => ({
    error: { code, message: catalogue[code].sentence, request_id: REQUEST_ID },
  });
  return Object.fromEntries(codes.map((code) => [code, { value: body(code) }]));
}

/** The error responses of the OpenAPI document: one for each status, named `Error<status>`, with its error codes. */
export function errorResponses(): Schema {
  const statuses = [...new Set(errorCodes.map((code) => catalogue[code].status))];
  const entries = statuses.map((status) => {
    const codes = errorCodes.filter((code) => catalogue[code].status === status);
    const names = ['X-Request-Id', ...(errorHeaders[status] ?? [])];
    const response = {
      description: codes.map((code: ErrorCode) => `\`${code}\`: ${catalogue[code].sentence}`).join('\n\n'),
      headers: Object.fromEntries(names.map((name) => [name, header(name)])),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: errorExamples(codes),
        },
      },
    };
    return [`Error${status}`, response];
  });
  return Object.fromEntries(entries) as Schema;
}

/** The JSON Schema of the body of an error. */
export const errorSchema: Schema = {
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
};
