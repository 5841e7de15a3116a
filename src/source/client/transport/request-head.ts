// The head of a request to an upstream: its address, and its headers as a flat list of names and values, because Node writes such
// a list faster than an object.

import { AxiosHeaders } from 'axios';
import { type UpstreamHost, upstreamHostOf } from '../../../kernel/upstream-call.ts';

/** Header names and values in turn, as Node writes them. No name comes twice, whatever its case. */
export type RawHeaders = readonly string[];

/** A value that is sent as it is: printable ASCII, with spaces only inside. */
const PLAIN_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

/** A value without the characters that could end its line, as axios cleans it. */
function cleanValue(value: string): string {
  return PLAIN_VALUE.test(value) ? value : String(new AxiosHeaders({ X: value }).get('X'));
}

/** The index of a name, whatever its case; -1 if it is absent. */
function indexOfName(lines: RawHeaders, name: string): number {
  const wanted = name.toLowerCase();
  for (let at = 0; at < lines.length; at += 2) if (lines[at]?.toLowerCase() === wanted) return at;
  return -1;
}

/** Whether the lines have a header, by its name in lower case. */
export function hasHeader(lines: RawHeaders, name: string): boolean {
  return indexOfName(lines, name) !== -1;
}

function setLine(lines: string[], name: string, value: string): void {
  const at = indexOfName(lines, name);
  if (at === -1) lines.push(name, cleanValue(value));
  else lines[at + 1] = cleanValue(value);
}

/** Adds headers to lines. If a name comes twice, the later value counts, in the place and spelling of the first. */
export function withHeaders(lines: RawHeaders, headers: Readonly<Record<string, string>>): string[] {
  const all = [...lines];
  for (const name of Object.keys(headers)) setLine(all, name, headers[name] ?? '');
  return all;
}

/** The lines with a `Host` header in front. It is that of the lines, or else `host`. */
export function withHost(lines: RawHeaders, host: string): string[] {
  const at = indexOfName(lines, 'host');
  if (at === -1) return ['Host', host, ...lines];
  return ['Host', lines[at + 1] ?? host, ...lines.slice(0, at), ...lines.slice(at + 2)];
}

/** An absolute address, split into its origin and the path (with query) that the first line of a request has. */
export type RequestAddress = { readonly origin: UpstreamHost; readonly path: string };

/** Addresses whose path and query the URL parser leaves as they are. */
const PLAIN_ADDRESS =
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
    const [, text, path] = PLAIN_ADDRESS.exec(url) ?? [];
    if (text !== undefined && path !== undefined && !STEP.test(path)) return { origin: originAt(text), path };
    const parsed = new URL(url);
    return { origin: originAt(parsed.origin), path: parsed.pathname + parsed.search };
  };
}
