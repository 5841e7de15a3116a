import type { IncomingMessage } from 'node:http';
import { type Readable, Stream, Transform } from 'node:stream';
import { joinLines } from '../listener/select-headers.ts';
import type { RequestHead } from '../listener/request-head.ts';
import type { AnswerHead, HeaderLines } from './headers.ts';

/** How a request's body is delimited: not at all, by a length in bytes, or in chunks. */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' };

/**
 * The framing of a request, or a text that says what is wrong with it. The parser has refused contradictions already. This
 * refuses framing that the RFC allows but that servers read differently.
 */
export function framingOf(
  req: IncomingMessage,
  { transferEncoding, contentLength }: RequestHead,
  bodyBytesMax: number,
): Framing | string {
  const encoding = joinLines(transferEncoding);
  const bytes = Number(contentLength[0] ?? 0);
  if (encoding === undefined && bytes === 0) return { kind: 'none' };
  // RFC 9110, section 9.3.1: a body here has no meaning, and is a known means of request smuggling.
  if (req.method === 'GET' || req.method === 'HEAD') return 'body on a safe method';
  if (encoding === undefined) return bytes > bodyBytesMax ? 'body too long' : { kind: 'length', bytes };
  // RFC 9112, section 6.1: HTTP/1.0 has no chunks; the gateway would have to decode other codings.
  if (req.httpVersionMinor === 0 || encoding.toLowerCase() !== 'chunked') return 'transfer coding';
  return { kind: 'chunked' };
}

/** Adds the framing header of a request to an upstream. */
export function addFraming(headers: HeaderLines, framing: Framing, method: string): void {
  // Explicit, because for methods that seldom have a body Node's client would send one without framing.
  if (framing.kind === 'chunked') headers['transfer-encoding'] = 'chunked';
  else if (framing.kind === 'length') headers['content-length'] = String(framing.bytes);
  else if (method !== 'GET' && method !== 'HEAD') headers['content-length'] = '0';
}

/** Whether the body of a response can be relayed as it is; the gateway would have to decode other transfer codings. */
export function hasPlainFraming({ transferEncoding }: AnswerHead): boolean {
  const encoding = joinLines(transferEncoding)?.toLowerCase();
  return encoding === undefined || encoding === 'chunked' || encoding === 'identity';
}

/** Whether a response without a body (204) announces one, which may still come and belongs to no request. */
export function announcesMissingBody(
  status: number,
  { transferEncoding, contentLength }: AnswerHead,
): boolean {
  return status === 204 && (transferEncoding.length > 0 || Number(contentLength[0] ?? 0) > 0);
}

/** The body of a request as a stream that stops after `bodyBytesMax` and then calls `onExceeded`. */
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

/** An empty body, for httpxy's option `buffer`: it ends what it is piped into, without the work of a readable stream. */
class EmptyBody extends Stream {
  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    destination.end();
    return destination;
  }
}

/** The body of every request without one. */
export const emptyBody: Stream = new EmptyBody();
