import type { IncomingMessage } from 'node:http';
import { Readable, Transform } from 'node:stream';

/** How a request's body is delimited: not at all, by a length in bytes, or in chunks. */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' };

/**
 * The framing of a request, or what is wrong with it. The parser has refused contradictions already; refused here
 * is what is lawful and still read differently by different servers.
 */
export function framingOf(req: IncomingMessage, bodyBytesMax: number): Framing | string {
  const encoding = req.headers['transfer-encoding'];
  const bytes = Number(req.headers['content-length'] ?? 0);
  if (encoding === undefined && bytes === 0) return { kind: 'none' };
  // RFC 9110, section 9.3.1: a body here has no meaning, and is a known means of request smuggling.
  if (req.method === 'GET' || req.method === 'HEAD') return 'body on a safe method';
  if (encoding === undefined) return bytes > bodyBytesMax ? 'body too long' : { kind: 'length', bytes };
  // RFC 9112, section 6.1: chunks are unknown to HTTP/1.0; other codings would have to be undone by us.
  if (req.httpVersionMinor === 0 || encoding.toLowerCase() !== 'chunked') return 'transfer coding';
  return { kind: 'chunked' };
}

/** The headers that tell an upstream of the framing. */
export function framingHeaders(framing: Framing, method: string): Record<string, string> {
  // Said explicitly: for methods that seldom have a body, Node's client would send one without any framing.
  if (framing.kind === 'chunked') return { 'transfer-encoding': 'chunked' };
  if (framing.kind === 'length') return { 'content-length': String(framing.bytes) };
  return method === 'GET' || method === 'HEAD' ? {} : { 'content-length': '0' };
}

/** The body of a request as a stream that ends after `bodyBytesMax`: it then tells `onExceeded` and gives no more. */
export function limitedBody(req: IncomingMessage, bodyBytesMax: number, onExceeded: () => void): Readable {
  let seen = 0;
  return req.pipe(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        seen += chunk.length;
        if (seen > bodyBytesMax) onExceeded();
        else done(null, chunk);
      },
    }),
  );
}

/** A body of nothing. */
export function noBody(): Readable {
  return Readable.from([]);
}
