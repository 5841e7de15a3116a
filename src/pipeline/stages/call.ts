import type { Query } from '../../contract/query.ts';
import type { Priority } from '../../kernel/upstream-call.ts';
import type { UpstreamTrace } from '../../telemetry/request-span.ts';
import type { WindowState } from '../../store/limiter/limiter.ts';
import type { CacheEntry } from '../../store/cache/cache-entry.ts';
import type { Usage } from '../../source/client/guard/exchange.ts';

/** The caller, once the credential is verified. */
export type Principal = {
  readonly kind: 'key' | 'jwt' | 'anonymous';
  /** Safe for the log: a key id, `jwt:…`, or `anonymous`. */
  readonly id: string;
  /** Who uses a key, for people; absent: nobody has said so. */
  readonly label?: string | undefined;
  /** What the rate limit is counted under. Unique per caller. */
  readonly subject: string;
  readonly permissions: ReadonlySet<string>;
  /** Name of the tier in `limits.tiers`. */
  readonly tier: string;
  /** The operations that the caller may use; `undefined`: all that the permissions allow. */
  readonly operations?: ReadonlySet<string> | undefined;
};

/** What the pipeline may know of the HTTP request. Header values are raw and not to be trusted. */
export type RequestFacts = {
  /** Every value of `Authorization`, as received. */
  readonly authorization: readonly string[];
  /** Every value of `X-API-Key`, as received. */
  readonly apiKey: readonly string[];
  /** The caller's address, after `listen.trustProxy`. */
  readonly address: string;
  /** The raw query string, without the question mark. */
  readonly rawQuery: string;
  /** The raw, still percent-encoded id segment of the path, if the route has one. */
  readonly rawId: string | undefined;
};

/** What a call gathers for its log line, its metrics and its span. */
export type CallSummary = Usage & {
  cache: 'hit' | 'miss' | 'stale' | 'none';
  principalId: string | undefined;
  /** The label of its key. */
  principalLabel?: string | undefined;
  /** The tier of the rate limit, and what its decision told the caller of the windows. */
  limitTier: string | undefined;
  limitWindows: readonly WindowState[] | undefined;
  /** The error that the caller would have got without the dry run of its tier. */
  wouldRefuse?: 'rate_limit_exceeded' | 'limiter_unavailable';
};

/** One request on its way through the pipeline. */
export type Call = {
  /** `users.list`, `users.get`, `products.list` or `passthrough.<name>`. */
  readonly operation: string;
  /** The permission the caller needs, or `null` if the resource is public. */
  readonly permission: string | null;
  readonly request: RequestFacts;
  readonly requestId: string;
  /** Aborts when the client has gone or the deadline is spent. */
  readonly signal: AbortSignal;
  /** The trace that calls to upstreams continue; made on first use. */
  openTrace(): UpstreamTrace;
  /** Every value of a header, as received: hostile texts. It looks at all lines, so few should ask. */
  headerLines(name: string): readonly string[];
  /** Starts the time that the caller waits: once it is spent, the signal aborts and the caller gets 504. */
  startDeadline(deadlineMs: number): void;
  readonly summary: CallSummary;
  /** Headers of the answer, errors included: names and values in turn. */
  readonly answerHeaders: string[];
  /** Set by the authenticate stage. */
  principal: Principal | undefined;
  /** Set by the parse stage; absent for pass-through calls. */
  query: Query | undefined;
  /** Its canonical text: equal for every spelling of one query. */
  queryKey: string | undefined;
};

/** A finished v1 answer: bytes and what is known about them. */
export type CallAnswer = Pick<CacheEntry, 'body' | 'etag' | 'storedAt' | 'freshSeconds' | 'encodings'> & {
  readonly cache: 'hit' | 'miss' | 'stale';
};

/** Answers a call: at once if nothing has to be waited for. It throws or rejects with a `GatewayError`. */
export type Handler<T = CallAnswer> = (call: Call) => T | Promise<T>;

/** Something that happens around a handler. */
export type Stage = <T>(next: Handler<T>) => Handler<T>;

/** What a source is asked, for one caller or for several who ask the same. Nothing of a caller is in it. */
export type SourceCall = {
  readonly query: Query;
  /** What the calls to the source cost, for the log line of the caller who pays. */
  readonly usage: Usage;
  /** Aborts once nobody waits any more. */
  readonly signal: AbortSignal;
  /** Absent: somebody waits for the answer. */
  readonly priority?: Priority | undefined;
  /** False: an answer that takes a scan is refused with `scan_limit_exceeded`, unless the rows of one are there. */
  readonly mayScan?: boolean | undefined;
};

/** A finished body of a source. */
export type FoundAnswer = {
  readonly found: true;
  /** JSON bytes. */
  readonly body: Buffer;
  /** When the data was read, milliseconds since the epoch. */
  readonly storedAt: number;
  readonly freshSeconds: number;
  /** What it is about, such as `users` and `users:42`; one text may hold several, with spaces between. */
  readonly tags: readonly string[];
};

/** What a source answers: a finished body, or that there is no such record. */
export type SourceAnswer = FoundAnswer | { readonly found: false; readonly tags: readonly string[] };

/** Makes an answer from the source. */
export type SourceHandler = (call: SourceCall) => Promise<SourceAnswer>;

/** An operation that can be served. */
export type ServedOperation = {
  readonly operation: string;
  readonly path: string;
  /** `null` if the resource is public. */
  readonly permission: string | null;
  readonly handler: Handler;
};
