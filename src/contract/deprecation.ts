// Tells clients which parts of the contract they use are deprecated: by headers of answers, and in OpenAPI.

import { readQuery } from './query.ts';
import type { Deprecation, Operation } from './resource.ts';

/** The day of a deprecation without a date, because the header of RFC 9745 must have one. */
const UNDATED = '1970-01-01';

const earliest = (days: readonly (string | undefined)[]) =>
  days
    .filter((day) => day !== undefined)
    .sort()
    .at(0);

/** The headers for the deprecated parts that a request uses, as names and values in turn. The earliest days count. */
function headersOf(used: readonly Deprecation[]): readonly string[] {
  const since = earliest(
    used.map(({ deprecated }) =>
      typeof deprecated === 'string' ? deprecated : deprecated ? UNDATED : undefined,
    ),
  );
  const gone = earliest(used.map(({ sunset }) => sunset));
  return [
    // `Deprecation` is defined by RFC 9745; `Sunset` by RFC 8594, with an HTTP date.
    ...(since === undefined ? [] : ['Deprecation', `@${Date.parse(since) / 1_000}`]),
    ...(gone === undefined ? [] : ['Sunset', new Date(gone).toUTCString()]),
  ];
}

const isMarked = ({ deprecated, sunset }: Deprecation) => deprecated !== false || sunset !== undefined;

/** Finds the deprecation headers of an answer by the raw query of its request: header names and values in turn. */
export type DeprecationHeaders = (rawQuery: string) => readonly string[];

/**
 * Compiles the function that finds the deprecation headers of an operation; `undefined` if nothing of it is deprecated. A
 * deprecated filter counts only in requests that use it.
 */
export function compileDeprecation({ kind, resource }: Operation): DeprecationHeaders | undefined {
  const always = isMarked(resource.deprecation) ? [resource.deprecation] : [];
  const marked = new Map(
    (kind === 'get' ? [] : resource.filters)
      .filter(({ deprecation }) => isMarked(deprecation))
      .map(({ name, deprecation }) => [name, deprecation]),
  );
  const usual = headersOf(always);
  if (marked.size === 0) return usual.length === 0 ? undefined : () => usual;
  const names = new Set(marked.keys());
  return function deprecationHeaders(rawQuery) {
    const used = [...readQuery(rawQuery, names).keys()];
    return used.length === 0
      ? usual
      : headersOf([...always, ...used.flatMap((name) => marked.get(name) ?? [])]);
  };
}

/** The keywords that mark a deprecated part in JSON Schema and OpenAPI. */
export function deprecationMarks({ deprecated, sunset }: Deprecation): Readonly<Record<string, unknown>> {
  return {
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(sunset === undefined ? {} : { 'x-sunset': sunset }),
  };
}

/** Whether answers of an operation can have deprecation headers. */
export function mayBeDeprecated(operation: Operation): boolean {
  return compileDeprecation(operation) !== undefined;
}
