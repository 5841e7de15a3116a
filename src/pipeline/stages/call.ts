// The types of the pipeline: a call, the handlers that answer it, and the stages around a handler.

import type { IncomingMessage } from 'node:http';
import type { Query } from '../../contract/query.ts';
import type { Priority } from '../../kernel/upstream-call.ts';
import type { UpstreamTrace } from '../../telemetry/request-span.ts';
import type { WindowState } from '../../store/limiter/limiter.ts';
import type { CacheEntry } from '../../store/cache/cache-entry.ts';
import type { Usage } from '../../source/client/guard/exchange.ts';

/** The caller, once the credential is verified. */
export type Principal = {
  readonly kind: 'key' | 'jwt' | 'host' | 'anonymous';
  /** The name of the caller in the log: a key id, `jwt:…`, `host:…`, or `anonymous`. It is not secret. */
  readonly id: string;
  /** Who uses the key, in words for people; absent if nobody wrote it. */
  readonly label?: string | undefined;
  /** The name under which the rate limit counts the caller. Each caller has another one. */
  readonly subject: string;
  readonly permissions: ReadonlySet<string>;
  /** The tier's name in `limits.tiers`. */
  readonly tier: string;
  /** The operations that the caller may use; `undefined`: all that the permissions allow. */
  readonly operations?: ReadonlySet<string> | undefined;
};

/** The parts of an HTTP request that the pipeline uses. Header values are raw and must not be trusted. */
export type RequestParts = {
  /** Every value of `Authorization`, as received. */
  readonly authorization: readonly string[];
  /** Every value of `X-API-Key`, as received. */
  readonly apiKey: readonly string[];
  /** The caller's address, as found by `listen.trustProxy`. */
  readonly address: string;
  /** The raw query string, without the question mark. */
  readonly rawQuery: string;
  /** The raw, still percent-encoded id segment of the path, if the route has one. */
  readonly rawId: string | undefined;
};

/** What is written about a call to its log line, its metrics and its span. */
export type CallSummary = Usage & {
  cache: 'hit' | 'miss' | 'stale' | 'none';
  principalId: string | undefined;
  /** The label of the caller's key. */
  principalLabel?: string | undefined;
  /** The id in a key or a token that could not be checked. Nothing proves that the caller owns it, so it is for the log only. */
  claimedId?: string | undefined;
  /** The tier of the rate limit, and the state of its windows after this call. */
  limitTier: string | undefined;
  limitWindows: readonly WindowState[] | undefined;
  /** The error that the caller would get if its tier were not in a dry run. */
  wouldRefuse?: 'rate_limit_exceeded' | 'limiter_unavailable';
};

/** One request on its way through the pipeline. */
export type Call = {
  /** `users.list`, `users.get`, `products.list` or `passthrough.<name>`. */
  readonly operation: string;
  /** The permission that the caller needs; `null` if the operation is public. */
  readonly permission: string | null;
  readonly request: RequestParts;
  readonly requestId: string;
  /** The message of the request, for the host of the library alone. */
  readonly incoming?: IncomingMessage;
  /** Aborts when the client has gone or the deadline is over. */
  readonly signal: AbortSignal;
  /** Returns the trace that calls to upstreams continue. It is made on first use. */
  openTrace(): UpstreamTrace;
  /** Every value of a header, as received, so it must not be trusted. It reads all header lines, so use it seldom. */
  headerLines(name: string): readonly string[];
  /** Starts the deadline. When it is over, the signal aborts and the caller gets 504. */
  startDeadline(deadlineMs: number): void;
  readonly summary: CallSummary;
  /** Headers of the answer, errors included: names and values in turn. */
  readonly answerHeaders: string[];
  /** Set by the authenticate stage. */
  principal: Principal | undefined;
  /** Set by the parse stage; absent for pass-through calls. */
  query: Query | undefined;
  /** The canonical text of the query, the same for every spelling of it; set by the parse stage. */
  queryKey: string | undefined;
};

/** A finished v1 answer: its body, its entity tag, its age, and whether it came from the cache. */
export type CallAnswer = Pick<CacheEntry, 'body' | 'etag' | 'storedAt' | 'freshSeconds' | 'encodings'> & {
  readonly cache: 'hit' | 'miss' | 'stale';
};

/** Answers a call: with a promise only if it has to wait. It throws or rejects with a `GatewayError`. */
export type Handler<T = CallAnswer> = (call: Call) => T | Promise<T>;

/** Wraps a handler in another one that does something before or after it, such as the check of a permission. */
export type Stage = <T>(next: Handler<T>) => Handler<T>;

/** A call to a source, for one caller or for several with the same query. It has nothing of a caller. */
export type SourceCall = {
  readonly query: Query;
  /** The counters of the upstream calls, for the log line of the caller who caused them. */
  readonly usage: Usage;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** The priority of the upstream calls; absent if a caller waits for the answer. */
  readonly priority?: Priority | undefined;
  /** If false, an answer that needs a scan fails with `scan_limit_exceeded`, unless a scan cache has the rows. */
  readonly mayScan?: boolean | undefined;
};

/** An answer with a body. */
export type FoundAnswer = {
  readonly found: true;
  /** The JSON of the answer, in UTF-8. */
  readonly body: Buffer;
  /** When the data was read, milliseconds since the epoch. */
  readonly storedAt: number;
  readonly freshSeconds: number;
  /** The tags by which it can be purged, such as `users` and `users:42`. One text may have several, with spaces between. */
  readonly tags: readonly string[];
};

/** The answer made from a source: a body, or that there is no such record. */
export type SourceAnswer = FoundAnswer | { readonly found: false; readonly tags: readonly string[] };

/** Makes an answer from a source. */
export type SourceHandler = (call: SourceCall) => Promise<SourceAnswer>;

/** An operation with its path, its permission, and the handler that answers it. */
export type ServedOperation = {
  readonly operation: string;
  readonly path: string;
  /** `null` if the resource is public. */
  readonly permission: string | null;
  readonly handler: Handler;
};
