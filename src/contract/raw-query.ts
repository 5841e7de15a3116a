import { fault } from '../kernel/errors/fault.ts';

/** One decoded component of a query string; `+` is a space (form encoding). */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw fault('bad_request', { detail: 'malformed percent-encoding in the query', cause });
  }
}

/**
 * Reads a raw query string: the decoded values of the parameters in `known`, in order of appearance. Names are compared
 * after decoding; unknown parameters are dropped.
 * @throws GatewayError `bad_request` if the percent-encoding is malformed, even in unknown parameters
 */
export function readQuery(raw: string, known: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  if (raw === '') return values;
  for (const part of raw.split('&')) {
    if (part === '') continue;
    const cut = part.indexOf('=');
    const name = decode(cut < 0 ? part : part.slice(0, cut));
    const value = cut < 0 ? '' : decode(part.slice(cut + 1));
    if (!known.has(name)) continue;
    const earlier = values.get(name);
    if (earlier === undefined) values.set(name, [value]);
    else earlier.push(value);
  }
  return values;
}
