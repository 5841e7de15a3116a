// The errors that all layers throw: a public code and sentence for the client, and details for the log.

import { entryOf, type ErrorCode } from './catalogue.ts';

/** Every reason why the reply of a source cannot be used. */
export const invalidReasons = [
  'too_large',
  'content_type',
  'encoding',
  'syntax',
  'outcome',
  'rows',
  'id',
  'other_record',
  'total',
  'next',
  'window',
  'claims',
  'contract',
] as const;

/** Why the reply of a source cannot be used; a label of metrics. */
export type InvalidReason = (typeof invalidReasons)[number];

/** What a failed call says about its source; the breaker, the retries and the pause read it. */
export type SourceHealth = {
  /** The failure says nothing against the source: other requests may succeed. */
  readonly isHealthy?: true;
  /** The source itself replied with the failure, so it was reached. */
  readonly hasReplied?: true;
  /** The same request may be retried at once, if it only reads. */
  readonly isRetryable?: true;
  /** The source asked for a pause of this many seconds. */
  readonly pauseSeconds?: number;
};

/** The upstream that an error is about. `host` is absent if none was called. */
export type FailedUpstream = { readonly source: string; readonly host?: string | undefined };

/** The details that a call site may add to an error. */
export type FaultOptions = {
  /** What went wrong, for the log only. It must hold no secret and no value of a record. */
  readonly detail?: string;
  readonly cause?: unknown;
  /** A sentence in place of the catalogue's; only for codes whose entry is `named`. */
  readonly message?: string;
  /** Extra headers of the answer, such as `Allow` or `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whole seconds after which a retry makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Whether an upstream refused Portico's own credential, so that another credential may work. */
  readonly credentialRefused?: boolean;
  /** For `upstream_invalid_response`: why the reply cannot be used. */
  readonly reason?: InvalidReason;
  /** What the failure says about the source; only for codes that begin with `upstream_`. */
  readonly sourceHealth?: SourceHealth | undefined;
};

/** The one error class of the gateway. Its `message` is public; its `detail` and `cause` are for the log. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
  readonly credentialRefused: boolean;
  readonly reason: InvalidReason | undefined;
  readonly sourceHealth: SourceHealth | undefined;
  #upstream: FailedUpstream | undefined;

  constructor(code: ErrorCode, options: FaultOptions = {}) {
    const entry = entryOf(code);
    super(entry.named === true ? (options.message ?? entry.sentence) : entry.sentence, {
      cause: options.cause,
    });
    this.name = 'GatewayError';
    this.code = code;
    this.detail = options.detail;
    this.headers = options.headers ?? {};
    this.reason = options.reason;
    this.sourceHealth = options.sourceHealth;
    this.credentialRefused = options.credentialRefused ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds ?? (entry.status === 503 ? 1 : undefined);
  }

  /** The upstream that has failed, for the log. */
  get upstream(): FailedUpstream | undefined {
    return this.#upstream;
  }

  /** Names the upstream that has failed. The first name stays, because it comes from the closest place. */
  blame(upstream: FailedUpstream): void {
    this.#upstream ??= upstream;
  }

  /** The precise HTTP status of the code. */
  get status(): number {
    return entryOf(this.code).status;
  }
}

/** Creates an error of the catalogue, to be thrown: `throw fault('not_found')`. */
export function fault(code: ErrorCode, options?: FaultOptions): GatewayError {
  return new GatewayError(code, options);
}

/** The error for a reply that does not match its source file. `detail` names the place, never a value. */
export function invalidReply(reason: InvalidReason, detail: string, cause?: unknown): GatewayError {
  return new GatewayError('upstream_invalid_response', { reason, detail, cause });
}

/** The error if a source refuses Portico's credential. A call with another credential may succeed. */
export function refusedCredential(detail: string): GatewayError {
  return fault('upstream_error', { detail, credentialRefused: true, sourceHealth: { isHealthy: true } });
}

/** Names the upstream that a thrown `GatewayError` is about, unless it has one. `base` is the address that was called. */
export function blameUpstream(thrown: unknown, source: string, base?: string): void {
  if (!(thrown instanceof GatewayError) || thrown.upstream !== undefined) return;
  thrown.blame({ source, host: base === undefined ? undefined : URL.parse(base)?.host });
}

/** Converts any thrown value to a `GatewayError`; an unknown one becomes `server_error` with the value as its cause. */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError ? thrown : new GatewayError('server_error', { cause: thrown });
}

/** The status of server-side errors: the precise one, or 500 for all (`errors.serverStatus`). */
export type ServerStatus = 'precise' | 'contract';

/** The HTTP status a client sees for an error. */
export function publicStatus(error: GatewayError, mode: ServerStatus): number {
  return mode === 'contract' && error.status > 500 ? 500 : error.status;
}

/** The one error body of the contract. */
export function errorBody(error: GatewayError, requestId: string): string {
  return JSON.stringify({ error: { code: error.code, message: error.message, request_id: requestId } });
}
