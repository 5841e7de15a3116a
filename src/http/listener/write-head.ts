// Writes the head of a response, which in the application of a host may have headers and wrappers of other middlewares.

import type { ServerResponse } from 'node:http';
import type { RequestContext } from './request-context.ts';

/** The position of the value of a header in a flat list; 0 if the list does not have it. */
const valueIndex = (headers: readonly string[], name: string) =>
  headers.findIndex((line, i) => i % 2 === 0 && line.toLowerCase() === name) + 1;

/** Adds to `Vary` what the host's middlewares have written there, such as `Origin` of `cors`. */
function keepVary(res: ServerResponse, headers: string[]): void {
  const hosts = res.getHeader('vary');
  if (hosts === undefined) return;
  const at = valueIndex(headers, 'vary');
  if (at > 0) headers[at] = `${headers[at] ?? ''}, ${String(hosts)}`;
}

/**
 * Has no middleware change a body that has an entity tag (RFC 9110, section 7.7), because the tag would then name another
 * body. `compression` obeys this; Portico compresses its answers itself.
 */
function keepBody(headers: string[]): void {
  if (valueIndex(headers, 'etag') === 0) return;
  const at = valueIndex(headers, 'cache-control');
  if (at > 0) headers[at] = `${headers[at] ?? ''}, no-transform`;
  else headers.push('Cache-Control', 'no-transform');
}

/**
 * Writes a head by one `writeHead` with a flat list, if nothing else has written to it. A wrapper of `writeHead` may not know
 * flat lists (on-headers 1.0, below `compression` and `express-session`). If the host has set a header, such as
 * `X-Powered-By`, Node would first remove each name of a list, which makes the head cost twice as much.
 * @throws TypeError if a header has a character that HTTP forbids
 */
export function writeHead({ res, mount }: RequestContext, status: number, headers: string[]): void {
  const isWrapped = mount !== undefined && Object.hasOwn(res, 'writeHead');
  if (mount === undefined || (!isWrapped && res.getHeaderNames().length === 0)) {
    res.writeHead(status, headers);
    return;
  }
  keepVary(res, headers);
  if (isWrapped) keepBody(headers);
  const set = new Set<string>();
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    const value = headers[i + 1] ?? '';
    if (set.has(name.toLowerCase())) res.appendHeader(name, value);
    else res.setHeader(name, value);
    set.add(name.toLowerCase());
  }
  res.writeHead(status);
}
