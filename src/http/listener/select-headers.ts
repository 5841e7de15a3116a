/** The lower-case names of the headers that are read, and what they are called in a head. */
type Fields = Readonly<Record<string, string>>;

/** Every value of each header that is read, as received; none for a header that is absent. */
export type SelectHeaders<F extends Fields> = Record<F[keyof F], readonly string[]>;

const NONE: readonly string[] = Object.freeze([]);

/** The value of a header whose lines are one list (RFC 9110, section 5.3); `undefined` if it is absent. */
export function joinLines(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(', ');
}

/**
 * Compiles what reads the header lines of a message in one pass. Its `headers` would cost more, and they hide repeated
 * lines: Node joins their values, and keeps only the first of some, such as `Authorization` and `Location`.
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
      // The length rules out most names before they are turned to lower case.
      const field = lengths.has(name.length) ? fieldOf.get(name.toLowerCase()) : undefined;
      if (field === undefined) continue;
      const value = rawHeaders[i + 1] ?? '';
      head[field] = head[field] === NONE ? [value] : [...head[field], value];
    }
    return head;
  };
}
