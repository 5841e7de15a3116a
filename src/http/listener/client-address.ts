// Finds the caller's address, protocol and host, with or without proxies in front of the gateway (`listen.trustProxy`).

import { isIP } from 'node:net';
import type { Request } from 'express';
import type { RequestContext } from './request-context.ts';
import { isHost } from './request-head.ts';

/** Writes an IPv4 address in IPv6 form as IPv4, so that one client has only one address. */
function normaliseIp(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** An address with a port, as some proxies (Azure's) forward it: `192.0.2.1:1234`, `[2001:db8::1]:1234`. */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}|\[([\da-f:.]{2,45})\](?::\d{1,5})?)$/i;

function withoutPort(text: string): string {
  const [, dotted, bracketed] = WITH_PORT.exec(text) ?? [];
  return dotted ?? bracketed ?? text;
}

/**
 * The caller's address according to `listen.trustProxy`. If a trusted proxy forwarded something that is no address, it is
 * the proxy's own address. Empty if the connection has closed already.
 */
export function clientAddress(req: Request, trustsProxies: boolean): string {
  const forwarded = trustsProxies ? withoutPort(req.ip ?? '') : '';
  return normaliseIp(isIP(forwarded) !== 0 ? forwarded : (req.socket.remoteAddress ?? ''));
}

/** The protocol that the caller used. Without trusted proxies, it is always http. */
export function clientProtocol(req: Request, trustsProxies: boolean): 'http' | 'https' {
  return trustsProxies && req.protocol === 'https' ? 'https' : 'http';
}

/** The host that the caller asked for; `undefined` if the request has no valid host. */
export function clientHost(
  req: Request,
  { head, target }: Pick<RequestContext, 'head' | 'target'>,
  trustsProxies: boolean,
): string | undefined {
  // `req.host` is right for a target in absolute form, too, but it makes Node parse all headers.
  const isPlain = !trustsProxies && target.startsWith('/');
  // The type promises a host, but a request of HTTP/1.0 may have none.
  const host = isPlain ? head.host[0] : (req.host as string | undefined);
  return host !== undefined && host !== '' && isHost(host) ? host : undefined;
}
