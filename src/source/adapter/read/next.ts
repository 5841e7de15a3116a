// Reads from a reply how to ask for the next window of a list, and refuses what a source must not decide.

import type { ListSpec } from '../../../config/schema/source.ts';
import { invalidReply } from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { isList, isObject, scalarText } from '../../../kernel/json/values.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { keysOfPath, type Path, pathAt, pathWith } from '../spec/path.ts';
import { percentEncode } from '../request/text-template.ts';
import { CHECKED, type SpecLocation } from '../spec/spec-location.ts';

/** Reads the cursor, key or target of the next window; `undefined` at the end of the list. */
export type NextReader = (reply: UpstreamReply, body: Json, rows: readonly Json[]) => string | undefined;

/** A text or number as a text; `undefined` for a value that means that there is none. */
function scalar(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '' || value === false) return undefined;
  const text = scalarText(value);
  if (text !== undefined) return text;
  throw invalidReply('next', 'the name of the next window is neither text nor number');
}

/** What services write in place of a boolean. */
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
  // Without a flag and a cursor, the list ends. A flag of any other form is no boolean, so it is refused below.
  const more =
    FLAGS.get(flag) ?? (cursor === undefined && (flag === undefined || flag === null) ? false : flag);
  if (more === false || (more === true && cursor !== undefined)) return more;
  throw invalidReply('next', 'the flag and the cursor of the next window contradict each other');
}

const PARAMETER = String.raw`\s*;\s*([\w!#$&+.^|~*-]*)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s",;]*))?`;
/** One link of the header; a comma within quotes does not end it. */
const LINK = new RegExp(`<([^<>]*)>((?:${PARAMETER})*)`, 'g');

/** An address as it stands alone in a header or a body: absolute, or from the root, or a query. */
const ADDRESS = /^(?:https?:\/\/|[/?])[^\s<>"]*$/i;

/**
 * The URL with rel="next" in a list of links (RFC 8288, section 3); of several `rel`, the first counts. A list without one
 * is the end, but only if all of it can be read as links.
 */
function linkNext(links: string): string | undefined {
  for (const [, address, parameters = ''] of links.matchAll(LINK)) {
    const rel = [...parameters.matchAll(new RegExp(PARAMETER, 'g'))].find(
      ([, name]) => name?.toLowerCase() === 'rel',
    )?.[2];
    const relations = (rel ?? '').replaceAll('"', '').toLowerCase().split(/\s+/);
    if (relations.includes('next')) return address;
  }
  if (/^[\s,]*$/.test(links.replaceAll(LINK, ''))) return undefined;
  throw invalidReply('next', 'the header is neither an address nor a list of links (RFC 8288)');
}

/** The address of the next window in a header: a list of links, or the address itself. An absent or blank header is the end. */
export function addressInHeader(header: string | undefined): string | undefined {
  const text = header?.trim() ?? '';
  return text === '' || ADDRESS.test(text) ? text || undefined : linkNext(text);
}

/** The address of the next window in a body. An address relative to the list must have a query or a path of its own. */
function addressInBody(value: Json | undefined): string | undefined {
  const text = scalar(value)?.trim() ?? '';
  if (text === '' || ADDRESS.test(text) || /^[^\s<>"]+[/?]/.test(text)) return text || undefined;
  throw invalidReply('next', 'the name of the next window is no address');
}

/**
 * The target of the next window's URL, which is relative to that of the list. A reply must never choose the host that
 * Portico calls (SSRF), so only path and query are used. Another origin is an error unless the file expects it, because
 * its path may mean something else there.
 */
function targetWithin(
  baseUrl: string,
  path: string,
  address: string,
  origins: ReadonlySet<string> | undefined,
): string {
  if (!URL.canParse(address, baseUrl + path)) {
    throw invalidReply('next', 'the address of the next window cannot be read');
  }
  const { origin, pathname, search } = new URL(address, baseUrl + path);
  if (origins?.has(origin) === false)
    throw invalidReply('next', 'the address of the next window is at another origin than net.baseUrl');
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  // The next window may be a query on the base URL itself, as FHIR servers do.
  if (!pathname.startsWith(`${base}/`) && !(pathname === base && search !== '')) {
    throw invalidReply('next', 'the address of the next window is outside of net.baseUrl');
  }
  return pathname.slice(base.length) + search;
}

/** The limits for parameters that a reply may add to the next request. */
const PARAMETERS_MAX = 20;
const CONTINUATION_LENGTH_MAX = 4_000;

/** The parameters of a continuation as query parts; `undefined` if there are none. */
function parametersOf(value: Json | undefined, taken: ReadonlySet<string>): string | undefined {
  if (value === undefined || value === null || value === false || value === '') return undefined;
  if (!isObject(value)) throw invalidReply('next', 'the continuation is no object of parameters');
  const entries = Object.entries(value);
  if (entries.length === 0) return undefined;
  const twice = entries.find(([name]) => taken.has(name.toLowerCase()));
  if (twice !== undefined)
    throw invalidReply('next', 'the continuation names a parameter that the request has already');
  const parts = entries.map(([name, one]) => `${percentEncode(name)}=${percentEncode(scalar(one) ?? '')}`);
  const text = parts.join('&');
  if (entries.length > PARAMETERS_MAX || text.length > CONTINUATION_LENGTH_MAX)
    throw invalidReply('next', 'the continuation is too long to be sent back');
  return text;
}

/** The parameters that a list sends itself, in lower case. A continuation may not send them again. */
function parametersTaken({ request, filters, sort }: ListSpec): ReadonlySet<string> {
  const queries = [request.query, sort?.query ?? {}];
  const own = Object.values(filters).flatMap((operators) =>
    Object.values(operators).map(({ query }) => query),
  );
  return new Set(
    [...queries, ...own].flatMap((query) => Object.keys(query)).map((name) => name.toLowerCase()),
  );
}

/** Compiles the test if there is another window. A flag that contradicts the continuation is an error. */
function compileMore(
  more: Extract<ListSpec['window'], { kind: 'cursor' }>['more'],
  here: SpecLocation,
): (body: Json, next: string | undefined) => boolean {
  if (more === undefined) return (_body, next) => next !== undefined;
  if (typeof more === 'string') {
    const flag = pathAt(more, here);
    return (body, next) => goesOn(flag(body), next);
  }
  const find = pathAt(more.at, here.at('at'));
  return (body, next) => goesOn(((find(body) ?? null) !== null) === more.present, next);
}

/**
 * The path of the object around the value at `path`; `undefined` if this is the document, or if it also contains the rows,
 * because then missing rows show that the object is missing.
 */
export function pathAbove(path: string, { items }: Pick<ListSpec, 'items'>): string | undefined {
  const above = keysOfPath(path)?.slice(0, -1) ?? [];
  const rows = typeof items === 'string' ? (keysOfPath(items) ?? []) : [];
  return above.every((key, index) => key === rows[index]) ? undefined : above.reduce(pathWith, '');
}

/**
 * Compiles the path of the name of the next window. A list or a text in place of the object around it is an error, because the
 * name may then stand elsewhere.
 */
function compileNextPath(path: string, list: ListSpec, here: SpecLocation): Path {
  const find = pathAt(path, here);
  const above = pathAbove(path, list);
  if (above === undefined) return find;
  const findAbove = pathAt(above, CHECKED);
  return (body) => {
    const around = findAbove(body) ?? false;
    if (isObject(around) || around === false || around === '' || (isList(around) && around.length === 0))
      return find(body);
    throw invalidReply('next', `no object stands at "${above}", where the next window is named`);
  };
}

/** The base URLs of a source. Addresses of the next window must have one of their origins. */
export type Origins = { readonly baseUrl: string; readonly otherUrls?: readonly string[] };

/** Compiles the reader of the next window, by the kind of the window; `undefined` if no reply names the next one. */
export function compileNext(
  list: ListSpec,
  { baseUrl, otherUrls = [] }: Origins,
  here: SpecLocation,
): NextReader | undefined {
  const { window, request } = list;
  switch (window.kind) {
    case 'cursor':
    case 'continue': {
      const find = compileNextPath(window.next, list, here.at('next'));
      const more = compileMore(window.more, here.at('more'));
      const taken = window.kind === 'continue' ? parametersTaken(list) : undefined;
      return (_reply, body) => {
        const next = taken === undefined ? scalar(find(body)) : parametersOf(find(body), taken);
        return more(body, next) ? next : undefined;
      };
    }
    case 'link': {
      const place = window.next;
      const find = 'at' in place ? compileNextPath(place.at, list, here.at('next', 'at')) : undefined;
      const own = new Set([baseUrl, ...otherUrls].map((url) => new URL(url).origin));
      const origins = window.origin === 'any' ? undefined : own;
      return (reply, body) => {
        const address =
          find === undefined && 'header' in place
            ? addressInHeader(reply.header(place.header.toLowerCase()))
            : addressInBody(find?.(body));
        return address === undefined ? undefined : targetWithin(baseUrl, request.path, address, origins);
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
      return undefined;
  }
}
