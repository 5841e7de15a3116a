// Reads and sets parameters of the requests that `infer` tries, wherever they are: in the path, the query or the body.

import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import { compileRequest } from '../../../source/adapter/request/request.ts';
import { escapeXml } from '../../../kernel/escape-xml.ts';
import { escapedText } from '../../../source/adapter/spec/pattern.ts';
import type { RequestSpec } from '../../../config/schema/source.ts';
import { leavesOf, setIn } from '../../../kernel/json/json-tree.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';

/** The place of a value in a request. */
export type Parameter =
  | { readonly in: 'query'; readonly name: string }
  /** A segment of the path, counted from 0. */
  | { readonly in: 'path'; readonly segment: number }
  | { readonly in: 'json'; readonly path: readonly (string | number)[] }
  | { readonly in: 'xml'; readonly element: string }
  /** A part of a range of rows that two parameters bound, such as `from=1&upto=25`: its first row, or how many rows it has. */
  | {
      readonly in: 'range';
      readonly part: 'first' | 'count';
      readonly first: Parameter;
      readonly last: Parameter;
      /** Whether the second parameter names the row behind the last one. */
      readonly isBehind: boolean;
    };

type RangePart = Extract<Parameter, { in: 'range' }>;

/** The name of a parameter for messages. */
export function parameterName(place: Parameter): string {
  if (place.in === 'query') return place.name;
  if (place.in === 'path') return `segment ${place.segment} of the path`;
  if (place.in === 'range') return parameterName(place.part === 'first' ? place.first : place.last);
  return place.in === 'xml' ? place.element : place.path.join('.');
}

/** Matches the text of the first element with a name. */
function elementPattern(element: string): RegExp {
  const name = escapedText(element);
  return new RegExp(String.raw`(<${name}(?:\s[^<>]*)?>)([^<]*)(</${name}>)`);
}

/** Sets a parameter of a request. A variable such as `{limit}` is a value, too. */
export function withValue(request: RequestSpec, place: Parameter, value: unknown): RequestSpec {
  const { body } = request;
  if (place.in === 'range') return withRange(request, place, value);
  if (place.in === 'query') return { ...request, query: { ...request.query, [place.name]: String(value) } };
  if (place.in === 'path') {
    const segments = request.path.split('/').map((one, at) => (at === place.segment ? String(value) : one));
    return { ...request, path: segments.join('/') };
  }
  if (place.in === 'json' && body !== undefined && 'json' in body)
    return { ...request, body: { json: setIn(body.json, place.path, value) as typeof body.json } };
  if (place.in === 'xml' && body !== undefined && 'xml' in body) {
    const text = typeof value === 'string' && /^\{\w+\}$/.test(value) ? value : escapeXml(String(value));
    const xml = body.xml.replace(
      elementPattern(place.element),
      (_all, open: string, _old, close: string) => open + text + close,
    );
    return { ...request, body: { ...body, xml } };
  }
  return request;
}

/** The number that a parameter of a request has. */
export function numberAt(request: RequestSpec, wanted: Parameter): number | undefined {
  const key = JSON.stringify(wanted);
  const found = requestParameters(request).find(({ place }) => JSON.stringify(place) === key);
  return found === undefined ? undefined : Number(found.value);
}

/** Moves a range of rows, whose size stays the same, or changes its size. */
function withRange(request: RequestSpec, { part, first, last, isBehind }: RangePart, value: unknown) {
  const from = numberAt(request, first) ?? 1;
  const start = withValue(request, first, part === 'first' ? value : from);
  if (part === 'count' && typeof value === 'number')
    return withValue(start, last, from + value - (isBehind ? 0 : 1));
  if (part === 'count') return withValue(start, last, isBehind ? '{endRow}' : '{lastRow}');
  const span = (numberAt(request, last) ?? from) - from;
  return typeof value === 'number' ? withValue(start, last, value + span) : start;
}

/** Adds constants to the query of a request. */
export function withQuery(request: RequestSpec, query: Readonly<Record<string, string>>): RequestSpec {
  return { ...request, query: { ...request.query, ...query } };
}

/** The parameters of a body: the numbers and texts of JSON or XML, and the declared variables of a GraphQL query. */
export function bodyParameters({
  body,
}: RequestSpec): readonly { place: Parameter; name: string; value: unknown }[] {
  if (body === undefined) return [];
  if ('xml' in body) {
    const elements = body.xml.matchAll(/<([\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?>([^<]*)<\/\1?\2>/g);
    return [...elements].map(([, prefix = '', name = '', value]) => ({
      place: { in: 'xml', element: prefix + name },
      name,
      value,
    }));
  }
  if (!('json' in body)) return [];
  const places = leavesOf(body.json).map(({ path, value }) => ({
    ...{ place: { in: 'json' as const, path }, name: String(path.at(-1) ?? ''), value },
  }));
  const { query } = (body.json ?? {}) as { readonly query?: unknown };
  if (typeof query !== 'string') return places;
  const known = new Set(places.map(({ place }) => parameterName(place)));
  const declared = [...query.matchAll(/\$(\w+)\s*:/g)].map(([, name = '']) => ({
    ...{ place: { in: 'json' as const, path: ['variables', name] }, name, value: undefined },
  }));
  return [...places, ...declared.filter(({ place }) => !known.has(parameterName(place)))];
}

/** The parameters of a request: those of its query, the segments of its path, and those of its body. */
export function requestParameters(request: RequestSpec): ReturnType<typeof bodyParameters> {
  const inQuery = Object.entries(request.query).map(([name, value]) => ({
    ...{ place: { in: 'query' as const, name }, name, value },
  }));
  const inPath = request.path.split('/').map((value, segment) => ({
    ...{ place: { in: 'path' as const, segment }, name: '', value },
  }));
  return [...inQuery, ...inPath, ...bodyParameters(request)];
}

/** Compiles a request without variables. The gateway's own code does it. */
export function literalRequest(request: RequestSpec): UpstreamRequest {
  return compileRequest(request, [], CHECKED)({}, []);
}

const VARIABLE = /\{[A-Za-z][\w-]*\}/;

/** A text in a request that a source file would read as a variable; `undefined` if there is none. */
export function findVariable(request: RequestSpec): string | undefined {
  const { body, path, query, headers } = request;
  const text = JSON.stringify([path, query, headers, body]);
  return VARIABLE.exec(text.replaceAll(/\$\{[A-Za-z_]\w*\}/g, ''))?.[0];
}

/** The `request` section of a source file, without defaults. */
export function requestSection(request: RequestSpec): Readonly<Record<string, unknown>> {
  const { method, path, query, headers, body } = request;
  return {
    ...(method === 'POST' && { method }),
    path,
    ...(Object.keys(query).length > 0 && { query }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== undefined && { body }),
  };
}
