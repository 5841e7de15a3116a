/** The host of an upstream, as a connection is opened to it. */
export type UpstreamHost = {
  readonly isTls: boolean;
  /** An IPv6 address stands without its brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The value of the `Host` header. */
  readonly host: string;
};

/** The host of an http or https address. Without a port, it is the default port of the scheme. */
export function upstreamHostOf({ protocol, hostname, port, host }: URL): UpstreamHost {
  const isTls = protocol === 'https:';
  return {
    isTls,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isTls ? 443 : 80)),
    host,
  };
}
