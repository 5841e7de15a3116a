// Remembers how values of a schema are written in a file, for the generated reference of keys.

import * as z from 'zod';

/** How a value is written in a configuration file. */
type Notation = {
  /** The accepted form in words, for the reference, such as "a duration (`5s`)". */
  readonly form: string;
  /** Writes a parsed value, such as a default, as it stands in a file; absent if it needs no conversion. */
  readonly write?: (value: unknown) => string;
};

const notations = z.registry<Notation>();

/** Registers how the values of a schema are written. */
export function withNotation<T extends z.ZodType>(
  schema: T,
  form: string,
  write?: (value: unknown) => string,
): T {
  notations.add(schema, write === undefined ? { form } : { form, write });
  return schema;
}

/** The registered notation of a schema; `undefined` if there is none. */
export function notationOf(schema: z.ZodType): Notation | undefined {
  return notations.get(schema);
}
