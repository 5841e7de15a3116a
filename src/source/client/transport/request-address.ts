import { type UpstreamHost, upstreamHostOf } from '../../../kernel/upstream-call.ts';

/** An absolute address, split into its origin and the path (with query) that the first line of a request has. */
export type RequestAddress = { readonly origin: UpstreamHost; readonly path: string };

/** Addresses whose path and query the URL parser leaves as they are. */
const PLAIN =
  /^(https?:\/\/(?:[a-z\d.-]+|\[[\da-f:.]+\])(?::\d+)?)(\/[\w.~!$&()*+,;=:@%/-]*(?:\?[\w.~!$&()*+,;=:@%/?-]+)?)$/;
/** Texts in a path that the parser may read as `.` or `..`. */
const STEP = /\/\.|%2e/i;

/**
 * Creates the function that reads addresses as `URL` does, but faster: an upstream has few origins and many paths, most of them
 * plain, and parsing each takes a twentieth of the exchange. It throws a TypeError for a text that is no address.
 */
export function createAddressReader(): (url: string) => RequestAddress {
  const origins = new Map<string, UpstreamHost>();

  function originAt(text: string): UpstreamHost {
    const known = origins.get(text);
    if (known !== undefined) return known;
    const origin = upstreamHostOf(new URL(text));
    origins.set(text, origin);
    return origin;
  }

  return function readAddress(url) {
    const [, text, path] = PLAIN.exec(url) ?? [];
    if (text !== undefined && path !== undefined && !STEP.test(path)) return { origin: originAt(text), path };
    const parsed = new URL(url);
    return { origin: originAt(parsed.origin), path: parsed.pathname + parsed.search };
  };
}
