import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { detachedCopy } from '../../kernel/detached-copy.ts';
import type { CacheEntry } from './cache-entry.ts';

/** A content coding that answers are compressed with. */
export type ContentEncoding = 'br' | 'gzip';

/** A body in a coding, with the strong tag of these very bytes. */
export type EncodedBody = { readonly body: Buffer; readonly etag: string };

/** The state of a coding: ready, in the making, no smaller than the body itself, or not asked for yet. */
type EncodingState = EncodedBody | 'making' | 'useless' | undefined;

/** What there is of an entry's body in codings. */
export type EncodedBodies = {
  readonly br: EncodingState;
  readonly gzip: EncodingState;
  /**
   * Has the body compressed, behind the caller's back: once at a time, not again where it was no use, and not at all
   * while too many others are. Who asks later may find it.
   */
  make(coding: ContentEncoding): void;
  /** What the bodies in codings weigh. */
  readonly bytes: number;
};

/**
 * Gives an entry that is kept the place for its encodings. `before` is what was kept under the same key: an equal body
 * needs no compressing again. `onGrown` is called with each body that was made.
 */
export type AttachEncodings = (
  entry: CacheEntry,
  before: CacheEntry | undefined,
  onGrown: (encodings: EncodedBodies) => void,
) => CacheEntry;

/** How a body became another: `useless` where it was no smaller, `failed` for want of memory. */
export type Compression = {
  readonly coding: ContentEncoding;
  readonly result: 'made' | 'useless' | 'failed';
  /** 0 where it failed. */
  readonly bytesAfter: number;
  readonly bytesBefore: number;
  /** From its beginning to its end, with the time in which it waited for a thread. */
  readonly seconds: number;
};

/** Told of every body that was compressed, for the metrics. */
export type OnCompressed = (compression: Compression) => void;

/** What the encodings of a process share. */
type Making = { count: number; readonly onCompressed: OnCompressed };

/** Below, the headers weigh more than what compressing saves. */
const BODY_BYTES_MIN = 1_024;
/** At once in a process: name look-ups share its few threads. */
const MAKING_MAX = 2;

/**
 * A list of 50 takes about 0.1 ms of a thread in either coding. The next level of each costs up to twice as much and
 * saves less than 3 %; a quality of 4 would save a third of br's time and cost 3 to 10 % in size.
 */
const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 5;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** The strong tag of a body in a coding; `etag` is the tag of the body as it is (RFC 9110, section 8.8.3.3). */
export function encodedEtag(etag: string, coding: ContentEncoding): string {
  return `${etag.slice(0, -1)}-${coding}"`;
}

function compress(body: Buffer, coding: ContentEncoding): Promise<Buffer> {
  if (coding === 'gzip') return gzipped(body, { level: GZIP_LEVEL });
  return brotlied(body, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}

/** Creates the place for the encodings of one body that is kept for ever, such as a document. */
export function createDocumentEncodings(
  body: Buffer,
  etag: string,
  onCompressed: OnCompressed,
): EncodedBodies {
  return new BodyVariants({ body, etag }, { count: 0, onCompressed }, () => undefined);
}

/**
 * Creates the maker of encodings for a cache of `localBytes`.
 *
 * On BREACH, which reads a secret from the lengths of compressed answers when a page can make a browser fetch them
 * with text of its choice beside that secret: a v1 body holds no credential, token or other secret of its caller, no
 * text of the request stands in it (of the parameters only the numbers `page` and `limit` come back; a `category`
 * stands in a body only as the label of records found), and browsers attach no credential of the gateway's to
 * requests of other pages on their own. Errors, which name parameters, are never compressed. Where callers
 * may write texts into the records that stand beside what others must not learn, `cache.compression: off` ends it.
 */
export function createContentEncodings(
  localBytes: number,
  onCompressed: OnCompressed = () => undefined,
): AttachEncodings {
  // All three forms of a body have to fit into the cache at once.
  const bodyBytesMax = localBytes / 4;
  const making: Making = { count: 0, onCompressed };

  return function attachEncodings(entry, before, onGrown) {
    if (entry.body.length < BODY_BYTES_MIN || entry.body.length > bodyBytesMax) return entry;
    // The tag is a digest of the body; one copy of equal bodies is enough, too.
    if (before?.encodings !== undefined && before.etag === entry.etag)
      return { ...entry, body: before.body, encodings: before.encodings };
    return { ...entry, encodings: new BodyVariants(entry, making, onGrown) };
  };
}

/** A class, for there are as many as there are bodies kept. */
class BodyVariants implements EncodedBodies {
  br: EncodingState = undefined;
  gzip: EncodingState = undefined;
  bytes = 0;
  readonly #body: Buffer;
  readonly #etag: string;
  readonly #making: Making;
  readonly #onGrown: (encodings: EncodedBodies) => void;

  constructor(
    { body, etag }: Pick<CacheEntry, 'body' | 'etag'>,
    making: Making,
    onGrown: (encodings: EncodedBodies) => void,
  ) {
    this.#body = body;
    this.#etag = etag;
    this.#making = making;
    this.#onGrown = onGrown;
  }

  make(coding: ContentEncoding): void {
    if (this[coding] !== undefined || this.#making.count >= MAKING_MAX) return;
    this.#making.count += 1;
    this[coding] = 'making';
    void this.#add(coding).finally(() => (this.#making.count -= 1));
  }

  async #add(coding: ContentEncoding): Promise<void> {
    const start = performance.now();
    const coded = await compress(this.#body, coding).catch(() => undefined);
    const isSmaller = coded !== undefined && coded.length < this.#body.length;
    this.#making.onCompressed({
      coding,
      result: isSmaller ? 'made' : coded === undefined ? 'failed' : 'useless',
      bytesBefore: this.#body.length,
      bytesAfter: coded?.length ?? 0,
      seconds: (performance.now() - start) / 1_000,
    });
    // What cannot be compressed, for want of memory, is served as it is, too.
    this[coding] = isSmaller
      ? { body: detachedCopy(coded), etag: encodedEtag(this.#etag, coding) }
      : 'useless';
    if (!isSmaller) return;
    this.bytes += coded.length;
    this.#onGrown(this);
  }
}
