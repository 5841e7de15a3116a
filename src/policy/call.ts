import type { Query } from '../contract/query.ts';
import type { EncodedBodies } from '../store/cache/content-encodings.ts';

/** Who calls, as known once the credential was verified. */
export type Principal = {
  readonly kind: 'key' | 'jwt' | 'anonymous';
  /** Safe for the log: a key id, `jwt:…`, or `anonymous`. */
  readonly id: string;
  /** What the rate limit is counted under. Unique per caller. */
  readonly subject: string;
  readonly permissions: ReadonlySet<string>;
  /** Name of the tier in `limits.tiers`. */
  readonly tier: string;
};

/** What the pipeline may know of the HTTP request. Header values are raw and hostile. */
export type RequestFacts = {
  /** Every value of `Authorization`, as received. */
  readonly authorization: readonly string[];
  /** Every value of `X-API-Key`, as received. */
  readonly apiKey: readonly string[];
  /** The caller's address, after `listen.trustProxy`. */
  readonly address: string;
  /** The raw query string, without the question mark. */
  readonly rawQuery: string;
  /** The raw, still percent-encoded id segment of the path, where the route has one. */
  readonly rawId: string | undefined;
};

/** Counters a call gathers for its log line and metrics. */
export type Trace = {
  cache: 'hit' | 'miss' | 'stale' | 'none';
  upstreamCalls: number;
  upstreamMs: number;
  principalId: string | undefined;
  /** What the caller would have been answered but for its tier's dry run. */
  wouldRefuse?: 'rate_limit_exceeded' | 'limiter_unavailable';
};

/** One request on its way through the pipeline. */
export type Call = {
  /** `users.list`, `users.get`, `products.list` or `passthrough.<name>`. */
  readonly operation: string;
  /** The permission the caller needs, or `null` where the resource is public. */
  readonly permission: string | null;
  readonly request: RequestFacts;
  readonly requestId: string;
  /** Aborts when the client has gone or the deadline is spent. */
  readonly signal: AbortSignal;
  readonly trace: Trace;
  /** Headers that the answer carries whatever becomes of the call, errors included: names and values in turn. */
  readonly answerHeaders: string[];
  /** Set by the authenticate stage. */
  principal: Principal | undefined;
  /** Set by the parse stage; absent for pass-through calls. */
  query: Query | undefined;
};

/** A finished v1 answer: bytes and what is known about them. */
export type Reply = {
  readonly body: Buffer;
  /** Strong and quoted. */
  readonly etag: string;
  /** When the body was made, milliseconds since the epoch. */
  readonly storedAt: number;
  readonly freshSeconds: number;
  readonly cache: 'hit' | 'miss' | 'stale';
  /** The body in codings, where it is kept. */
  readonly encodings?: EncodedBodies | undefined;
};

/** Answers a call, at once where nothing has to be waited for; throws or rejects with a `GatewayError`. */
export type Handler<T = Reply> = (call: Call) => T | Promise<T>;

/** Something that happens around a handler. */
export type Stage = <T>(next: Handler<T>) => Handler<T>;

/** Wraps a handler in stages; the first stage is the outermost. */
export function assemble<T>(stages: readonly Stage[], handler: Handler<T>): Handler<T> {
  return stages.reduceRight((next, stage) => stage(next), handler);
}
