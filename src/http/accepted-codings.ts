import Negotiator from 'negotiator';
import type { ContentEncoding } from '../store/cache/encoded-bodies.ts';

/** What a caller takes of the codings that there are. */
export type AcceptedCodings = {
  /** What it takes best; `undefined` for a body as it is. */
  readonly best: ContentEncoding | undefined;
  /** All that it takes, best first. */
  readonly all: readonly ContentEncoding[];
};

/** Of equals, the smaller. */
const AVAILABLE = ['br', 'gzip', 'identity'];

/** Of a caller that says nothing. */
export const NO_CODINGS: AcceptedCodings = { best: undefined, all: [] };

/** Clients of a kind send the same text, so few texts cover nearly all requests. */
const TEXTS_MAX = 256;
/** Browsers send less than 30 characters; longer texts are no usual ones. */
const TEXT_LENGTH_MAX = 128;

/**
 * Reads `Accept-Encoding` (RFC 9110, section 12.5.3). There is always an answer: who refuses everything, even the
 * body as it is, gets that all the same, as section 12.1 allows, rather than an error that the contract does not know.
 * @internal
 */
export function readAcceptEncoding(text: string): AcceptedCodings {
  const request = { headers: { 'accept-encoding': text } };
  const taken = new Negotiator(request).encodings(AVAILABLE, { preferred: AVAILABLE });
  const all = taken.filter((coding) => coding === 'br' || coding === 'gzip');
  return { best: taken[0] === all[0] ? all[0] : undefined, all };
}

/** `readAcceptEncoding` with a memory for the usual texts; without the header it costs nothing. */
export function createAcceptedCodings(): (lines: readonly string[]) => AcceptedCodings {
  const known = new Map<string, AcceptedCodings>();

  function learn(text: string): AcceptedCodings {
    const accepted = readAcceptEncoding(text);
    if (text.length > TEXT_LENGTH_MAX) return accepted;
    // Texts that nobody else sends may fill it; the usual ones are back at once.
    if (known.size >= TEXTS_MAX) known.clear();
    known.set(text, accepted);
    return accepted;
  }

  return function acceptedCodings(lines) {
    if (lines.length === 0) return NO_CODINGS;
    const text = lines.length === 1 ? (lines[0] ?? '') : lines.join();
    return known.get(text) ?? learn(text);
  };
}
