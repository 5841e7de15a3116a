// Decides which cached answers have compressed forms (br, gzip), and makes these in the background when a client first asks for one.

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { detachedCopy } from '../memory/bounded-map.ts';

/** A content encoding that answers are compressed with (RFC 9110, section 8.4.1). */
export type ContentEncoding = 'br' | 'gzip';

/** A compressed body, with the strong ETag of exactly these bytes. */
export type EncodedBody = { readonly body: Buffer; readonly etag: string };

/** The state of an encoding: ready, in progress, `useless` (not smaller, or failed), or not requested yet. */
type EncodingState = EncodedBody | 'making' | 'useless' | undefined;

/** The compressed forms of one body. */
export type EncodedBodies = {
  readonly br: EncodingState;
  readonly gzip: EncodingState;
  /**
   * Compresses the body in the background, for later requests. It does nothing if that is running or done, if the result
   * was useless, or while too many other bodies are being compressed.
   */
  make(encoding: ContentEncoding): void;
  /** The sum of the lengths of the compressed bodies. */
  readonly bytes: number;
};

/** The result of one compression. `useless`: the result was not smaller than the body; `failed`: zlib gave an error. */
export type Compression = {
  readonly coding: ContentEncoding;
  readonly result: 'made' | 'useless' | 'failed';
  /** 0 if the compression failed. */
  readonly bytesAfter: number;
  readonly bytesBefore: number;
  /** From start to end, including the wait for a thread. */
  readonly seconds: number;
};

/** Called after every compression, for the metrics. */
export type OnCompressed = (compression: Compression) => void;

/** State that all bodies of a process share: the number of running compressions, and the listener for their results. */
type Compressor = { active: number; readonly onCompressed: OnCompressed };

/** The most concurrent compressions. It is low, because DNS look-ups share the process's few threads. */
const ACTIVE_MAX = 2;

/**
 * A list of 50 takes about 0.1 ms of a thread in either encoding. The next level of each costs up to twice as much and
 * saves less than 3 %; a quality of 4 would save a third of br's time and cost 3 to 10 % in size.
 */
const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 5;

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/** The strong ETag of a compressed body, from the ETag of the plain body (RFC 9110, section 8.8.3.3). */
export function encodedEtag(etag: string, encoding: ContentEncoding): string {
  return `${etag.slice(0, -1)}-${encoding}"`;
}

function compress(body: Buffer, encoding: ContentEncoding): Promise<Buffer> {
  if (encoding === 'gzip') return gzipAsync(body, { level: GZIP_LEVEL });
  return brotliAsync(body, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}

/** Creates the compressed forms of a document, which is kept as long as the process runs. */
export function createDocumentEncodings(
  body: Buffer,
  etag: string,
  onCompressed: OnCompressed,
): EncodedBodies {
  return new LazyEncodings({ body, etag }, { active: 0, onCompressed }, () => undefined);
}

/** The compressed forms of a body, made when they are first asked for. It is a class to save memory for each cached body. */
class LazyEncodings implements EncodedBodies {
  br: EncodingState = undefined;
  gzip: EncodingState = undefined;
  bytes = 0;
  readonly #plain: EncodedBody;
  readonly #compressor: Compressor;
  readonly #onGrown: (encodings: EncodedBodies) => void;

  /** `onGrown` is called after each compressed body that was added. */
  constructor(
    { body, etag }: EncodedBody,
    compressor: Compressor,
    onGrown: (encodings: EncodedBodies) => void,
  ) {
    this.#plain = { body, etag };
    this.#compressor = compressor;
    this.#onGrown = onGrown;
  }

  make(encoding: ContentEncoding): void {
    if (this[encoding] !== undefined || this.#compressor.active >= ACTIVE_MAX) return;
    this.#compressor.active += 1;
    this[encoding] = 'making';
    void this.#add(encoding).finally(() => (this.#compressor.active -= 1));
  }

  async #add(coding: ContentEncoding): Promise<void> {
    const { body, etag } = this.#plain;
    const start = performance.now();
    const encoded = await compress(body, coding).catch(() => undefined);
    const isSmaller = encoded !== undefined && encoded.length < body.length;
    this.#compressor.onCompressed({
      coding,
      result: isSmaller ? 'made' : encoded === undefined ? 'failed' : 'useless',
      bytesBefore: body.length,
      bytesAfter: encoded?.length ?? 0,
      seconds: (performance.now() - start) / 1_000,
    });
    // A body that could not be compressed is served as it is.
    this[coding] = isSmaller ? { body: detachedCopy(encoded), etag: encodedEtag(etag, coding) } : 'useless';
    if (!isSmaller) return;
    this.bytes += encoded.length;
    this.#onGrown(this);
  }
}

/** An entry of the cache, as far as its compressed forms go. */
type Compressible = EncodedBody & { readonly encodings?: EncodedBodies | undefined };

/**
 * Attaches compressed forms to an entry before the cache keeps it. `before` is the entry that it replaces: an equal body
 * is not compressed again. `onGrown` is called after each compressed body that was added.
 */
export type AttachEncodings = <Entry extends Compressible>(
  entry: Entry,
  before: Entry | undefined,
  onGrown: (encodings: EncodedBodies) => void,
) => Entry;

/** Smaller bodies are not compressed, because the headers of the answer weigh more than compression would save. */
const BODY_BYTES_MIN = 1_024;

/**
 * Creates the content encodings for a cache of `localBytes`.
 *
 * On BREACH: this attack reads a secret from the lengths of compressed answers, if a page can make a browser fetch them
 * with text of its choice beside that secret. It does not apply here. A v1 body holds no secret of its caller and no
 * text of the request (of the parameters only the numbers `page` and `limit` come back; a `category` appears only as
 * the label of found records), and browsers attach no credential of the gateway to requests of other pages. Errors,
 * which name parameters, are never compressed. If callers may write text into records beside text that others must not
 * learn, set `cache.compression: off`.
 */
export function createContentEncodings(
  localBytes: number,
  onCompressed: OnCompressed = () => undefined,
): AttachEncodings {
  // All three forms of a body must fit into the cache at once.
  const bodyBytesMax = localBytes / 4;
  const compressor: Compressor = { active: 0, onCompressed };

  return function attachEncodings(entry, before, onGrown) {
    if (entry.body.length < BODY_BYTES_MIN || entry.body.length > bodyBytesMax) return entry;
    // The ETag is a digest of the body, so equal ETags mean equal bodies, and one copy is enough.
    if (before?.encodings !== undefined && before.etag === entry.etag)
      return { ...entry, body: before.body, encodings: before.encodings };
    return { ...entry, encodings: new LazyEncodings(entry, compressor, onGrown) };
  };
}
