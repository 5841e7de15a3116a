import Negotiator from 'negotiator';
import type { ContentEncoding } from '../../store/cache/encoded-bodies.ts';

/** Which of the codings a caller accepts. */
export type AcceptedCodings = {
  /** The one it prefers; `undefined` for a body as it is. */
  readonly best: ContentEncoding | undefined;
  /** All that it accepts, best first. */
  readonly all: readonly ContentEncoding[];
};

/** Between equals, the one that compresses better comes first. */
const AVAILABLE = ['br', 'gzip', 'identity'];

/** For a caller without the header. */
export const NO_CODINGS: AcceptedCodings = { best: undefined, all: [] };

/** Clients of one kind send the same text, so a few texts cover nearly all requests. */
const TEXTS_MAX = 256;
/** Browsers send fewer than 30 characters; longer texts are not memoised. */
const TEXT_LENGTH_MAX = 128;

/**
 * Parses `Accept-Encoding` (RFC 9110, section 12.5.3). A caller that refuses everything, even the body as it is, gets
 * that body, as section 12.1 allows, because the contract has no error for it.
 * @internal
 */
export function readAcceptEncoding(text: string): AcceptedCodings {
  const request = { headers: { 'accept-encoding': text } };
  const taken = new Negotiator(request).encodings(AVAILABLE, { preferred: AVAILABLE });
  const all = taken.filter((coding) => coding === 'br' || coding === 'gzip');
  return { best: taken[0] === all[0] ? all[0] : undefined, all };
}

/** Makes a memoised `readAcceptEncoding`, which costs nothing for a request without the header. */
export function createAcceptedCodings(): (lines: readonly string[]) => AcceptedCodings {
  const known = new Map<string, AcceptedCodings>();

  function remember(text: string): AcceptedCodings {
    const accepted = readAcceptEncoding(text);
    if (text.length > TEXT_LENGTH_MAX) return accepted;
    // Unusual texts may fill the memo; the usual ones are back at once.
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
