import type { ListSpec } from '../../config/schema/source.ts';
import { invalidReply } from '../../errors/fault.ts';
import { type Json, NumberText } from '../../kernel/json/json.ts';
import { isObject } from '../../kernel/json/values.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { pathAt } from '../path.ts';
import { percentEncode } from '../request/template.ts';
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

/** A reply must not choose more of a request than this. */
const PARAMETERS_MAX = 20;
const CONTINUATION_LENGTH_MAX = 4_000;

/** The parameters of a continuation as query parts; `undefined` where there are none. */
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

/** Compiles what says whether there is another window. A flag that contradicts the continuation is an error. */
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

/** Compiles the reader of the next window, by the kind of the window. */
export function compileNext(list: ListSpec, baseUrl: string, here: SpecLocation): NextReader {
  const { window, request } = list;
  switch (window.kind) {
    case 'cursor':
    case 'continue': {
      const find = pathAt(window.next, here.at('next'));
      const more = compileMore(window.more, here.at('more'));
      const taken = window.kind === 'continue' ? parametersTaken(list) : undefined;
      return (_reply, body) => {
        const next = taken === undefined ? scalar(find(body)) : parametersOf(find(body), taken);
        return more(body, next) ? next : undefined;
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
