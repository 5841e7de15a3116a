/** The priorities of upstream calls, the most urgent first, because background work yields to callers. */
export const PRIORITIES = ['caller', 'refresh', 'scan', 'shadow'] as const;

/**
 * `caller`: a client waits for the answer. `refresh`: a stale answer is renewed. `scan`: a call of a scan, even if a client
 * waits for it. `shadow`: a comparison of a migration, which gives way to all others.
 */
export type Priority = (typeof PRIORITIES)[number];

/** Which source serves a call of a resource that moves: the legacy one, or the one that it moves to. */
export type Origin = 'legacy' | 'new';

/** One value for each of the two sources of a migration. */
export type ByOrigin<T> = Readonly<Record<Origin, T>>;

/**
 * Why the legacy source served a call for which the new one was chosen. `odd`: the new source failed, but the legacy one has no
 * record for the question either, so this says nothing about the records of the new source.
 */
export type FallbackCause = 'failed' | 'timeout' | 'invalid' | 'missing' | 'odd';

/** A request to an upstream. */
export type UpstreamRequest = {
  readonly method: 'GET' | 'POST';
  /** Path and query, appended to the source's base URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly contentType: string; readonly text: string } | undefined;
  /** The rows that are asked for, if they are a window; recorded only if a check needs it. */
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

/** Where the requests to one origin go. */
export type UpstreamOrigin = {
  readonly isTls: boolean;
  /** An IPv6 address stands without its brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The value of the `Host` header. */
  readonly host: string;
};

/** The origin of an http or https address. Without a port, it is the default port of the scheme. */
export function originOf({ protocol, hostname, port, host }: URL): UpstreamOrigin {
  const isTls = protocol === 'https:';
  return {
    isTls,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isTls ? 443 : 80)),
    host,
  };
}
