// The bodies of passed-through requests and responses: how they are delimited, and how large they may be.

import type { IncomingMessage } from 'node:http';
import { type Readable, Stream, Transform } from 'node:stream';
import { joinLines, type RequestHead } from '../listener/request-head.ts';
import type { AnswerHead, HeaderLines } from './headers.ts';

/** How a request's body is delimited: not at all, by a length in bytes, or in chunks. */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' };

/**
 * The framing of a request, or a text that says what is wrong with it. Node's parser has already refused contradictions.
 * This also refuses framing that the RFC allows but that servers interpret differently.
 */
export function framingOf(
  req: IncomingMessage,
  { transferEncoding, contentLength }: RequestHead,
  bodyBytesMax: number,
): Framing | string {
  const encoding = joinLines(transferEncoding);
  const bytes = Number(contentLength[0] ?? 0);
  if (encoding === undefined && bytes === 0) return { kind: 'none' };
  // A body has no meaning here (RFC 9110, section 9.3.1), and is a known way of request smuggling.
  if (req.method === 'GET' || req.method === 'HEAD') return 'body on a safe method';
  if (encoding === undefined) return bytes > bodyBytesMax ? 'body too long' : { kind: 'length', bytes };
  // HTTP/1.0 has no chunks (RFC 9112, section 6.1), and the gateway would have to decode other codings.
  if (req.httpVersionMinor === 0 || encoding.toLowerCase() !== 'chunked') return 'transfer coding';
  return { kind: 'chunked' };
}

/** Adds the header that delimits the body of a request to an upstream. */
export function addFraming(headers: HeaderLines, framing: Framing, method: string): void {
  // The header is always set, because Node's client sets none for methods that seldom have a body.
  if (framing.kind === 'chunked') headers['transfer-encoding'] = 'chunked';
  else if (framing.kind === 'length') headers['content-length'] = String(framing.bytes);
  else if (method !== 'GET' && method !== 'HEAD') headers['content-length'] = '0';
}

/** Whether the body of a response can be relayed unchanged. False for transfer codings that had to be decoded. */
export function hasPlainFraming({ transferEncoding }: AnswerHead): boolean {
  const encoding = joinLines(transferEncoding)?.toLowerCase();
  return encoding === undefined || encoding === 'chunked' || encoding === 'identity';
}

/** Whether a 204 response, which has no body, announces one. Such bytes could be taken for the next response. */
export function announcesMissingBody(
  status: number,
  { transferEncoding, contentLength }: AnswerHead,
): boolean {
  return status === 204 && (transferEncoding.length > 0 || Number(contentLength[0] ?? 0) > 0);
}

/** The body of a request as a stream that stops after `bodyBytesMax` bytes and then calls `onExceeded`. */
export function limitedBody(req: IncomingMessage, bodyBytesMax: number, onExceeded: () => void): Readable {
  let bytes = 0;
  return req.pipe(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        if (bytes > bodyBytesMax) onExceeded();
        else done(null, chunk);
      },
    }),
  );
}

/**
 * An empty body for the option `buffer` of httpxy, which http-proxy-middleware is built on. It ends its destination at once, which
 * costs less than a real stream.
 */
class EmptyBody extends Stream {
  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    destination.end();
    return destination;
  }
}

/** The body of every request that has none. */
export const emptyBody: Stream = new EmptyBody();
