// The headers of answers, for the OpenAPI document (`openapi.ts`, `openapi-errors.ts`).

/** A reference to the description of a header, for the OpenAPI document. */
export const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers of answers, as the OpenAPI document describes them. */
export const headers = {
  'X-Request-Id': {
    description: 'Identifier of the request, the same as in the log.',
    schema: { type: 'string', pattern: '^req_[A-Za-z0-9_-]+$' },
  },
  ETag: {
    description:
      'Strong entity tag of the body in its coding; `If-None-Match` with it, in any coding that is accepted, gives 304.',
    schema: { type: 'string' },
  },
  'Content-Encoding': {
    description: 'The coding of the body, one that `Accept-Encoding` takes; absent: the body as it is.',
    required: false,
    schema: { type: 'string', enum: ['br', 'gzip'] },
  },
  Vary: { description: 'The headers of the request that the answer depends on.', schema: { type: 'string' } },
  'Cache-Control': { description: 'How long the answer may be kept.', schema: { type: 'string' } },
  Age: {
    description: 'Seconds since the data was read from its source.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Cache-Status': { description: 'RFC 9211: where the answer came from.', schema: { type: 'string' } },
  'RateLimit-Policy': {
    description: 'The windows of the limit, as structured fields.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What is left in each window, as structured fields.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: { description: 'The methods of the resource.', schema: { type: 'string' } },
  'WWW-Authenticate': {
    description: 'RFC 6750: what is wrong with the credential.',
    schema: { type: 'string' },
  },
};

/** The headers of answers that use deprecated parts; only for a contract that has such parts. */
export const deprecationHeaders = {
  Deprecation: {
    description: 'RFC 9745: since when clients should not use it any more.',
    required: false,
    schema: { type: 'string', pattern: '^@[0-9]+$' },
  },
  Sunset: { description: 'RFC 8594: when it is removed.', required: false, schema: { type: 'string' } },
};

/** The headers of errors by status, in addition to `X-Request-Id`. */
export const errorHeaders: Readonly<Record<number, readonly (keyof typeof headers)[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
