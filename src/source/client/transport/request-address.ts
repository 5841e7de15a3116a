import { type UpstreamHost, upstreamHostOf } from '../../../kernel/upstream-call.ts';

/** An absolute address, and what of it stands in the first line of a request. */
export type RequestAddress = { readonly origin: UpstreamHost; readonly path: string };

/** An address that the parser of URLs leaves as it is, but for its origin. */
const PLAIN =
  /^(https?:\/\/(?:[a-z\d.-]+|\[[\da-f:.]+\])(?::\d+)?)(\/[\w.~!$&()*+,;=:@%/-]*(?:\?[\w.~!$&()*+,;=:@%/?-]+)?)$/;
/** What the parser takes for the step to a folder above. */
const STEP = /\/\.|%2e/i;

/**
 * Creates the function that reads addresses as `URL` does. An upstream has few origins and many paths, which are mostly
 * plain: to parse each of them took a twentieth of the exchange. It throws a TypeError for what is no address.
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
