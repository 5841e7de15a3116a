import { z } from 'zod';

/** How a scalar is written in a file. */
type Notation = {
  /** What it takes, as the reference says it: "a duration such as `5s`". */
  readonly form: string;
  /** Writes a value, such as a default, the way a file would; absent where the value is written as it is. */
  readonly write?: (value: unknown) => string;
};

const notations = z.registry<Notation>();

/** Says how the values of a schema are written. */
export function withNotation<T extends z.ZodType>(
  schema: T,
  form: string,
  write?: (value: unknown) => string,
): T {
  notations.add(schema, write === undefined ? { form } : { form, write });
  return schema;
}

/** How the values of a schema are written, where that was said. */
export function notationOf(schema: z.ZodType): Notation | undefined {
  return notations.get(schema);
}
