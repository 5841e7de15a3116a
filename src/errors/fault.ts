import { type ErrorCode, entryOf } from './catalogue.ts';

/** In what way a reply cannot be used; a label of the metrics. */
export type InvalidReason =
  | 'too_large'
  | 'content_type'
  | 'encoding'
  | 'syntax'
  | 'outcome'
  | 'rows'
  | 'id'
  | 'total'
  | 'next'
  | 'window'
  | 'claims'
  | 'contract';

/** What a failure shows of the source that was asked. */
export type SourceSign = {
  /** Another request may well be answered: it says nothing against the source. */
  readonly isWell?: true;
  /** The same request may be sent again at once, as far as it only reads. */
  readonly isRepeatable?: true;
  /** The source asked not to be asked again for so many seconds. */
  readonly pauseSeconds?: number;
};

/** What a call site may add to a fault. */
export type FaultOptions = {
  /** What went wrong, for the log only. It must hold no secret and no value of a record. */
  readonly detail?: string;
  readonly cause?: unknown;
  /** A sentence in place of the catalogue's; only for codes whose entry is `named`. */
  readonly message?: string;
  /** Extra answer headers, such as `Allow` or `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whole seconds after which a retry makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Whether an upstream refused Portico's own credential, so that another may help. */
  readonly credentialRefused?: boolean;
  /** Of an `upstream_invalid_response`: what about the reply it is. */
  readonly reason?: InvalidReason;
  /** Of the codes `upstream_…`. */
  readonly sign?: SourceSign | undefined;
};

/** The one error class of the gateway. Its `message` is public; its `detail` and `cause` are for the log. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
  readonly credentialRefused: boolean;
  readonly reason: InvalidReason | undefined;
  readonly sign: SourceSign | undefined;

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
    this.sign = options.sign;
    this.credentialRefused = options.credentialRefused ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds ?? (entry.status === 503 ? 1 : undefined);
  }

  /** The precise HTTP status of the code. */
  get status(): number {
    return entryOf(this.code).status;
  }
}

/** Makes an error of the catalogue, to be thrown: `throw fault('not_found')`. */
export function fault(code: ErrorCode, options?: FaultOptions): GatewayError {
  return new GatewayError(code, options);
}

/** A reply that does not read as the source says. `detail` names the place, never a value. */
export function invalidReply(reason: InvalidReason, detail: string, cause?: unknown): GatewayError {
  return new GatewayError('upstream_invalid_response', { reason, detail, cause });
}

/** Any thrown value as a `GatewayError`; what is not one yet is a fault of our own. */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError ? thrown : new GatewayError('server_error', { cause: thrown });
}
