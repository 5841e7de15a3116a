// Chooses what a caller gets of a body, by its `Accept-Encoding` and `If-None-Match`: 304, a compressed form, or the body itself.

import { encodedEtag, type EncodedBodies, type ContentEncoding } from '../../store/cache/encoded-bodies.ts';
import Negotiator from 'negotiator';

/** The content codings (br, gzip) that a caller accepts. */
export type AcceptedCodings = {
  /** The preferred coding; `undefined` if the caller prefers the body without a coding. */
  readonly best: ContentEncoding | undefined;
  /** All accepted codings, the best first. */
  readonly all: readonly ContentEncoding[];
};

/** The codings that the gateway has. If a caller likes two equally, the first in this list is used. */
const AVAILABLE = ['br', 'gzip', 'identity'];

/** The result for a caller without the header. */
export const NO_CODINGS: AcceptedCodings = { best: undefined, all: [] };

/** The most texts that are memoised. Clients of one kind send the same text, so a few cover nearly all requests. */
const TEXTS_MAX = 256;
/** Longer texts are not memoised. Browsers send fewer than 30 characters. */
const TEXT_LENGTH_MAX = 128;

/**
 * Parses `Accept-Encoding` (RFC 9110, section 12.5.3). A caller that refuses every coding, even none, gets the body without
 * a coding, as section 12.1 allows, because the contract has no error for this case.
 * @internal
 */
export function readAcceptEncoding(text: string): AcceptedCodings {
  const request = { headers: { 'accept-encoding': text } };
  const taken = new Negotiator(request).encodings(AVAILABLE, { preferred: AVAILABLE });
  const all = taken.filter((coding) => coding === 'br' || coding === 'gzip');
  return { best: taken[0] === all[0] ? all[0] : undefined, all };
}

/** Makes a memoised `readAcceptEncoding` for the lines of the header. Without the header, it does nothing. */
export function createAcceptedCodings(): (lines: readonly string[]) => AcceptedCodings {
  const known = new Map<string, AcceptedCodings>();

  function remember(text: string): AcceptedCodings {
    const accepted = readAcceptEncoding(text);
    if (text.length > TEXT_LENGTH_MAX) return accepted;
    // If unusual texts fill the memo, it is cleared. The usual texts are soon back.
    if (known.size >= TEXTS_MAX) known.clear();
    known.set(text, accepted);
    return accepted;
  }

  return function acceptedCodings(lines) {
    if (lines.length === 0) return NO_CODINGS;
    const text = lines.length === 1 ? (lines[0] ?? '') : lines.join();
    return known.get(text) ?? remember(text);
  };
}

const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** A body that can be sent, with its strong entity tag, and its compressed forms if there are any. */
export type Representable = {
  readonly body: Buffer;
  readonly etag: string;
  readonly encodings?: EncodedBodies | undefined;
};

/** The choice. `known`: the caller has the body already (304). `encoded`, `plain`: the compressed or plain body. */
export type Representation =
  | { readonly kind: 'known'; readonly etag: string }
  | { readonly kind: 'encoded' | 'plain'; readonly etag: string; readonly body: Buffer };

/** Chooses the form of a body: the caller's preferred coding if that is ready, or else the plain body. */
export function representationOf(
  { body, etag, encodings }: Representable,
  ifNoneMatch: readonly string[],
  accepted: AcceptedCodings,
): Representation {
  const encoded = accepted.best && encodings?.[accepted.best];
  const current = typeof encoded === 'object' ? encoded : undefined;
  const known = ifNoneMatch.length > 0 && knownTag(ifNoneMatch, current?.etag ?? etag, etag, accepted);
  if (known) return { kind: 'known', etag: known };
  return current === undefined
    ? { kind: 'plain', etag, body }
    : { kind: 'encoded', etag: current.etag, body: current.body };
}

/**
 * The tag of a 304: the first of these that is in `If-None-Match`: the tag of the form that the caller would get now
 * (`current`), of the plain body (`etag`), or of the body in any coding that the caller accepts. It must be a tag that the
 * caller has, because another one would not refresh the caller's copy (RFC 9111, section 4.3.4).
 */
function knownTag(
  ifNoneMatch: readonly string[],
  current: string,
  etag: string,
  { all }: AcceptedCodings,
): string | undefined {
  const tags = [current, etag, ...all.map((coding) => encodedEtag(etag, coding))];
  return tags.find((tag) => matchesEtag(ifNoneMatch, tag));
}

/**
 * Whether `If-None-Match` has `etag`, which is strong and quoted. The header is `*` or a list of entity tags, which are
 * compared weakly (RFC 9110, section 13.1.2).
 * @internal
 */
export function matchesEtag(ifNoneMatch: readonly string[], etag: string): boolean {
  if (ifNoneMatch.length === 0) return false;
  const list = ifNoneMatch.join();
  if (list === etag || list.trim() === '*') return true;
  return [...list.matchAll(ENTITY_TAG)].some(([, opaque]) => opaque === etag);
}
