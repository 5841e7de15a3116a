import Negotiator from 'negotiator';
import type { ContentEncoding } from '../../store/cache/encoded-bodies.ts';

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
