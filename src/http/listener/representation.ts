import { encodedEtag, type EncodedBodies } from '../../store/cache/encoded-bodies.ts';
import type { AcceptedCodings } from './accepted-codings.ts';

const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** A body that can be sent, with its strong tag, and its compressed forms if they are kept. */
export type Representable = {
  readonly body: Buffer;
  readonly etag: string;
  readonly encodings?: EncodedBodies | undefined;
};

/** What a caller gets of a body: nothing new (304), or one of its forms. */
export type Representation =
  | { readonly kind: 'known'; readonly etag: string }
  | { readonly kind: 'encoded' | 'plain'; readonly etag: string; readonly body: Buffer };

/** Negotiates the form of a body: the best coding that is ready, or else the body as it is. */
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
 * The tag that makes a 304: one of `If-None-Match` that fits what the caller would get now (`current`), the body as it
 * is (`etag`), or the body in any coding that it accepts. A 304 with a tag that the caller does not hold would refresh
 * nothing (RFC 9111, section 4.3.4).
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
 * Whether `If-None-Match` names a representation by its `etag`, which is strong and quoted. The header is `*` or a list
 * of entity tags, which are compared weakly (RFC 9110, section 13.1.2).
 * @internal
 */
export function matchesEtag(ifNoneMatch: readonly string[], etag: string): boolean {
  if (ifNoneMatch.length === 0) return false;
  const list = ifNoneMatch.join();
  if (list === etag || list.trim() === '*') return true;
  return [...list.matchAll(ENTITY_TAG)].some(([, opaque]) => opaque === etag);
}
