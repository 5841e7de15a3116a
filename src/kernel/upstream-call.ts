// A call to an upstream: its priority, its request, its reply, and the host that it goes to.

/** The priorities of upstream calls, the most urgent first, because background work yields to callers. */
export const PRIORITIES = ['caller', 'refresh', 'scan', 'shadow'] as const;

/**
 * `caller`: a client waits for the answer. `refresh`: a stale answer is renewed. `scan`: a call of a scan, even if a client
 * waits for it. `shadow`: a comparison of a migration, which gives way to all others.
 */
export type Priority = (typeof PRIORITIES)[number];

/** A request to an upstream. */
export type UpstreamRequest = {
  readonly method: 'GET' | 'POST';
  /** Path and query, appended to the source's base URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly contentType: string; readonly text: string } | undefined;
  /** The range of rows that is asked for, if the request is for one; set only if a check needs it. */
  readonly window?: { readonly firstRow: number; readonly size: number } | undefined;
};

/** A reply of an upstream, its body decompressed and complete. */
export type UpstreamReply = {
  readonly status: number;
  /** The value of a header by its lower-case name. */
  header(name: string): string | undefined;
  /** All headers by lower-case name; absent if only some were kept. */
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
};

/** The host of an upstream, as a connection is opened to it. */
export type UpstreamHost = Readonly<ReturnType<typeof upstreamHostOf>>;

/** The host of an http or https address. If the address names no port, it is the default port of the scheme. */
export function upstreamHostOf({ protocol, hostname, port, host }: URL) {
  const isTls = protocol === 'https:';
  return {
    isTls,
    /** An IPv6 address is written without its brackets. */
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isTls ? 443 : 80)),
    /** The value of the `Host` header. */
    host,
  };
}
