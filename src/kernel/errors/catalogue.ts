// The catalogue of errors: each code that a client can get, with its HTTP status, its sentence, and who must act.

/** Who must act on an error of this kind. */
export type Owner = 'client' | 'gateway' | 'upstream';

type Entry = {
  readonly status: number;
  readonly owner: Owner;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** The sentence for clients. It never holds a text, host, stack or secret of an upstream. */
  readonly sentence: string;
  /** Whether a call site may replace the sentence, to name the parameter or permission. */
  readonly named?: true;
};

/**
 * Every error that a client can get: code → status, owner and public sentence, as `config/docs/contract.md` promises them. The
 * OpenAPI document is generated from this table.
 */
export const catalogue = {
  invalid_parameter: {
    status: 400,
    owner: 'client',
    retryable: false,
    sentence: 'A parameter of the request is invalid.',
    named: true,
  },
  bad_request: {
    status: 400,
    owner: 'client',
    retryable: false,
    sentence: 'The request cannot be read.',
  },
  authentication_required: {
    status: 401,
    owner: 'client',
    retryable: false,
    sentence: 'A valid credential is required.',
  },
  insufficient_permissions: {
    status: 403,
    owner: 'client',
    retryable: false,
    sentence: 'The credential lacks a permission that this resource requires.',
    named: true,
  },
  not_found: {
    status: 404,
    owner: 'client',
    retryable: false,
    sentence: 'The requested resource does not exist.',
  },
  method_not_allowed: {
    status: 405,
    owner: 'client',
    retryable: false,
    sentence: 'This resource does not support the request method. The Allow header lists those it does.',
  },
  rate_limit_exceeded: {
    status: 429,
    owner: 'client',
    retryable: true,
    sentence: 'The rate limit is exceeded. The Retry-After header says when to try again.',
  },
  server_error: {
    status: 500,
    owner: 'gateway',
    retryable: true,
    sentence: 'The gateway failed to answer the request.',
  },
  upstream_error: {
    status: 502,
    owner: 'upstream',
    retryable: true,
    sentence: 'The service behind this resource failed to answer.',
  },
  upstream_invalid_response: {
    status: 502,
    owner: 'upstream',
    retryable: true,
    sentence: 'The service behind this resource gave an answer that cannot be used.',
  },
  upstream_unavailable: {
    status: 503,
    owner: 'upstream',
    retryable: true,
    sentence: 'A service behind this resource cannot be reached at the moment.',
  },
  overloaded: {
    status: 503,
    owner: 'gateway',
    retryable: true,
    sentence: 'The gateway has more work than it can do at the moment.',
  },
  limiter_unavailable: {
    status: 503,
    owner: 'gateway',
    retryable: true,
    sentence: 'The rate limit cannot be checked at the moment.',
  },
  scan_limit_exceeded: {
    status: 503,
    owner: 'upstream',
    retryable: false,
    sentence: 'An exact answer needs more records than may be read from the service behind this resource.',
  },
  upstream_timeout: {
    status: 504,
    owner: 'upstream',
    retryable: true,
    sentence: 'The service behind this resource did not answer in time.',
  },
} as const satisfies Record<string, Entry>;

/** A public error code of the contract. */
export type ErrorCode = keyof typeof catalogue;

/** All codes, in the order of the catalogue. */
export const errorCodes = Object.keys(catalogue) as ErrorCode[];

/** The catalogue's row for a code. */
export function entryOf(code: ErrorCode): Entry {
  return catalogue[code];
}
