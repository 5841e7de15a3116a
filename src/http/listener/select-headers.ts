// Reads some headers of a message from its raw lines, with all their values and in one pass.

/** By lower-case name: the headers that are read, with their names in the result. */
type Fields = Readonly<Record<string, string>>;

/** Every value of each of these headers, as received; an empty list for an absent header. */
export type SelectHeaders<F extends Fields> = Record<F[keyof F], readonly string[]>;

const NONE: readonly string[] = Object.freeze([]);

/** Joins the lines of a header to one list (RFC 9110, section 5.3); `undefined` if the header is absent. */
export function joinLines(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(', ');
}

/**
 * Compiles the function that reads headers. Node's `headers` are not used, because they cost more and hide repeated lines:
 * Node joins their values, and of some headers, such as `Authorization` and `Location`, it keeps only the first.
 */
export function compileSelectHeaders<const F extends Fields>(
  fields: F,
): (rawHeaders: readonly string[]) => SelectHeaders<F> {
  type Field = F[keyof F];
  const fieldOf = new Map(Object.entries(fields) as [string, Field][]);
  const lengths = new Set(Object.keys(fields).map((name) => name.length));
  const emptyHead = Object.fromEntries(
    Object.values(fields).map((field) => [field, NONE]),
  ) as SelectHeaders<F>;

  return function readHead(rawHeaders) {
    const head = { ...emptyHead };
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] ?? '';
      // The length excludes most names before they are converted to lower case.
      const field = lengths.has(name.length) ? fieldOf.get(name.toLowerCase()) : undefined;
      if (field === undefined) continue;
      const value = rawHeaders[i + 1] ?? '';
      head[field] = head[field] === NONE ? [value] : [...head[field], value];
    }
    return head;
  };
}
