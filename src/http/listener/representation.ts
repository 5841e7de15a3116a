// Chooses what a caller gets of a body: 304, a compressed form, or the body itself.

import { encodedEtag, type EncodedBodies } from '../../store/cache/encoded-bodies.ts';
import type { AcceptedCodings } from './accepted-codings.ts';

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
