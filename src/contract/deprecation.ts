import { readQuery } from './raw-query.ts';
import type { Deprecation, Operation } from './resource.ts';

/** A deprecation that the contract does not date counts from the beginning of time, because RFC 9745 has no other. */
const UNDATED = '1970-01-01';

const earliest = (days: readonly (string | undefined)[]) =>
  days
    .filter((day) => day !== undefined)
    .sort()
    .at(0);

/** The headers of an answer that uses what is going, names and values in turn: the earliest days count. */
function headersOf(used: readonly Deprecation[]): readonly string[] {
  const since = earliest(
    used.map(({ deprecated }) =>
      typeof deprecated === 'string' ? deprecated : deprecated ? UNDATED : undefined,
    ),
  );
  const gone = earliest(used.map(({ sunset }) => sunset));
  return [
    // RFC 9745, and RFC 8594 with the date of HTTP.
    ...(since === undefined ? [] : ['Deprecation', `@${Date.parse(since) / 1_000}`]),
    ...(gone === undefined ? [] : ['Sunset', new Date(gone).toUTCString()]),
  ];
}

/** Whether something is marked as going. */
const isMarked = ({ deprecated, sunset }: Deprecation) => deprecated !== false || sunset !== undefined;

/** Finds the headers that tell a caller what it uses and is going, by its raw query. */
export type DeprecationHeaders = (rawQuery: string) => readonly string[];

/**
 * Compiles the headers of an operation's answers that tell what of it is going; `undefined` if nothing is. A filter counts
 * where it is used.
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

/** How JSON Schema and OpenAPI mark what is going. */
export function deprecationMarks({ deprecated, sunset }: Deprecation): Readonly<Record<string, unknown>> {
  return {
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(sunset === undefined ? {} : { 'x-sunset': sunset }),
  };
}

/** Whether answers of an operation may tell that something is going. */
export function mayBeDeprecated(operation: Operation): boolean {
  return compileDeprecation(operation) !== undefined;
}
