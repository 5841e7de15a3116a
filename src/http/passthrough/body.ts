import type { IncomingMessage } from 'node:http';
import { type Readable, Stream, Transform } from 'node:stream';
import type { HeaderLines } from './headers.ts';

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

/** Adds the header that tells an upstream of the framing. */
export function addFraming(headers: HeaderLines, framing: Framing, method: string): void {
  // Said explicitly: for methods that seldom have a body, Node's client would send one without any framing.
  if (framing.kind === 'chunked') headers['transfer-encoding'] = 'chunked';
  else if (framing.kind === 'length') headers['content-length'] = String(framing.bytes);
  else if (method !== 'GET' && method !== 'HEAD') headers['content-length'] = '0';
}

/** Whether the body of an answer is what it seems: a coding below the chunks would have to be undone by us. */
export function isPlainlyFramed({ headers }: IncomingMessage): boolean {
  const encoding = headers['transfer-encoding']?.toLowerCase();
  return encoding === undefined || encoding === 'chunked' || encoding === 'identity';
}

/** Whether an answer that has no body told of one all the same, which may come yet and is then for nobody. */
export function mayBeFollowed({ statusCode, headers }: IncomingMessage): boolean {
  if (statusCode !== 204) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
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

/** A body of nothing: ends what it is piped into, and needs no stream's machinery for it. */
class NoBody extends Stream {
  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    destination.end();
    return destination;
  }
}

/** The body of every request that has none. */
export const noBody: Stream = new NoBody();
