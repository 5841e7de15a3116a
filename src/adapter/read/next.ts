import type { ListSpec } from '../../config/schema/source.ts';
import { invalidReply } from '../../errors/fault.ts';
import { type Json, NumberText } from '../../kernel/json/json.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { pathAt } from '../path.ts';
import type { SpecLocation } from '../spec-location.ts';

/** Reads the cursor, key or target of the next window; `undefined` at the end. */
export type NextReader = (reply: UpstreamReply, body: Json, rows: readonly Json[]) => string | undefined;

function scalar(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '' || value === false) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (value instanceof NumberText) return value.text;
  throw invalidReply('next', 'the name of the next window is neither text nor number');
}

const FLAGS = new Map<Json | undefined, boolean>([
  [true, true],
  ['true', true],
  [1, true],
  ['1', true],
  [false, false],
  ['false', false],
  [0, false],
  ['0', false],
]);

/** Whether there is a next window. A flag that contradicts the cursor is an error, because rows would be missing. */
function goesOn(flag: Json | undefined, cursor: string | undefined): boolean {
  const more =
    FLAGS.get(flag) ?? (cursor === undefined && (flag === undefined || flag === null) ? false : flag);
  if (more === false || (more === true && cursor !== undefined)) return more;
  throw invalidReply('next', 'the flag and the cursor of the next window contradict each other');
}

const PARAMETER = String.raw`\s*;\s*([\w!#$&+.^|~*-]*)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s",;]*))?`;
/** One link of the header; a comma within quotes does not end it. */
const LINK = new RegExp(`<([^<>]*)>((?:${PARAMETER})*)`, 'g');

/** The URL with rel="next" in a `Link` header (RFC 8288, section 3); of several `rel`, the first counts. */
function linkNext(header: string | undefined): string | undefined {
  for (const [, address, parameters = ''] of (header ?? '').matchAll(LINK)) {
    const rel = [...parameters.matchAll(new RegExp(PARAMETER, 'g'))].find(
      ([, name]) => name?.toLowerCase() === 'rel',
    )?.[2];
    const relations = (rel ?? '').replaceAll('"', '').toLowerCase().split(/\s+/);
    if (relations.includes('next')) return address;
  }
  return undefined;
}

/**
 * The target of the next window's URL, which is relative to that of the list. Only its path and query are used: sources
 * behind proxies name internal hosts, and a reply must never choose the host that Portico calls (SSRF).
 */
function targetWithin(baseUrl: string, path: string, address: string): string {
  if (!URL.canParse(address, baseUrl + path)) {
    throw invalidReply('next', 'the address of the next window cannot be read');
  }
  const { pathname, search } = new URL(address, baseUrl + path);
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  // The next window may be a query on the base URL itself, as FHIR servers do.
  if (!pathname.startsWith(`${base}/`) && !(pathname === base && search !== '')) {
    throw invalidReply('next', 'the address of the next window is outside of net.baseUrl');
  }
  return pathname.slice(base.length) + search;
}

/** Compiles the reader of the next window, by the kind of the window. */
export function compileNext({ window, request }: ListSpec, baseUrl: string, here: SpecLocation): NextReader {
  switch (window.kind) {
    case 'cursor': {
      const next = pathAt(window.next, here.at('next'));
      const more = window.more === undefined ? undefined : pathAt(window.more, here.at('more'));
      return (_reply, body) => {
        const cursor = scalar(next(body));
        return more === undefined || goesOn(more(body), cursor) ? cursor : undefined;
      };
    }
    case 'link': {
      const place = window.next;
      const find = 'at' in place ? pathAt(place.at, here.at('next', 'at')) : undefined;
      return (reply, body) => {
        const address =
          find === undefined && 'header' in place
            ? linkNext(reply.header(place.header.toLowerCase()))
            : scalar(find?.(body));
        return address === undefined ? undefined : targetWithin(baseUrl, request.path, address);
      };
    }
    case 'keyset': {
      const key = pathAt(window.key, here.at('key'));
      return (_reply, _body, rows) => {
        const last = rows.at(-1);
        if (last === undefined) return undefined;
        const value = scalar(key(last));
        if (value === undefined) throw invalidReply('next', `a row has no key at "${window.key}"`);
        return value;
      };
    }
    default:
      return () => undefined;
  }
}
