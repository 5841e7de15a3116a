import type { CacheEntry } from './cache-entry.ts';
import { type Compressor, type EncodedBodies, LazyEncodings, type OnCompressed } from './encoded-bodies.ts';

/**
 * Attaches compressed forms to an entry before the cache keeps it. `before` is the entry that it replaces: an equal body
 * is not compressed again. `onGrown` is called after each compressed body that was added.
 */
export type AttachEncodings = (
  entry: CacheEntry,
  before: CacheEntry | undefined,
  onGrown: (encodings: EncodedBodies) => void,
) => CacheEntry;

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
