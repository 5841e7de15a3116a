import { isIP } from 'node:net';
import type { Request } from 'express';
import { isHost } from './request-head.ts';

/** One address in one spelling: an IPv4 address that arrived over IPv6 is told as IPv4. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** Some proxies forward the port too (Azure's does): `192.0.2.1:1234`, `[2001:db8::1]:1234`. */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}|\[([\da-f:.]{2,45})\](?::\d{1,5})?)$/i;

function withoutPort(text: string): string {
  const [, dotted, bracketed] = WITH_PORT.exec(text) ?? [];
  return dotted ?? bracketed ?? text;
}

/**
 * The caller's address as `trust proxy` lets it be told. What a trusted proxy forwarded is used only if it is an
 * address; otherwise the proxy's own stands in for it. Empty for a connection that is gone already.
 */
export function clientAddress(req: Request, trustsProxies: boolean): string {
  const forwarded = trustsProxies ? withoutPort(req.ip ?? '') : '';
  return plain(isIP(forwarded) !== 0 ? forwarded : (req.socket.remoteAddress ?? ''));
}

/** `http` or `https`, as the caller spoke it. */
export function clientProtocol(req: Request): 'http' | 'https' {
  return req.protocol === 'https' ? 'https' : 'http';
}

/** The host that the caller asked for, or `undefined` where it named none or something else. */
export function clientHost(req: Request): string | undefined {
  // Without a Host line the typing is too sure of itself: HTTP/1.0 needs none.
  const host = req.host as string | undefined;
  return host !== undefined && host !== '' && isHost(host) ? host : undefined;
}
