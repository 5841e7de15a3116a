import { z } from 'zod';
import { Decimal } from '../kernel/decimal.ts';

/** What a field's canonical value is: an id or text or instant as `string`, a decimal as `Decimal`. */
export type FieldKind = 'id' | 'text' | 'instant' | 'decimal';

/** A canonical value; `null` is unknown. Instants are `YYYY-MM-DDTHH:mm:ss[.sss]Z`. */
export type Value = string | Decimal | null;

/** One field of a view: where it stands and what it is. */
export type Field = { readonly path: readonly string[]; readonly name: string; readonly kind: FieldKind };

const kinds = z.registry<{ kind: FieldKind }>();

function field<T extends z.ZodType>(kind: FieldKind, schema: T): T {
  kinds.add(schema, { kind });
  return schema;
}

/** A public identifier: the resource's prefix, an underscore and one path segment. */
export function id(prefix: string) {
  const schema = z
    .string()
    .regex(new RegExp(`^${prefix}_[A-Za-z0-9_.~-]{1,${127 - prefix.length}}$`))
    .meta({
      description: `Identifier, \`${prefix}_\` and the id of the record.`,
      examples: [`${prefix}_42`],
    });
  return field('id', schema);
}

/** Free text; `null` where the source has none. */
export function text(description: string) {
  return field('text', z.string().nullable().meta({ description }));
}

/** An instant in UTC; `null` where the source has none that can be read. */
export function instant(description: string) {
  const schema = z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/)
    .nullable()
    .meta({ description, examples: ['2020-05-01T00:00:00Z'] });
  return field('instant', schema);
}

/** A decimal number, exact to the digits of the source; `null` where it has none that can be read. */
export function decimal(description: string) {
  const schema = z
    .custom<Decimal | null>((value) => value === null || value instanceof Decimal)
    .meta({ description, type: ['number', 'null'], examples: [19.99] });
  return field('decimal', schema);
}

function isObject(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject;
}

/** The fields of a view, nested objects included, in the order in which they are written out. */
export function fieldsOf(view: z.ZodObject, prefix: readonly string[] = []): readonly Field[] {
  return Object.entries(view.shape).flatMap(([key, schema]) => {
    const path = [...prefix, key];
    if (isObject(schema as z.ZodType)) return fieldsOf(schema as z.ZodObject, path);
    const registered = kinds.get(schema as z.ZodType);
    if (registered === undefined) throw new Error(`the contract's field ${path.join('.')} has no kind`);
    return [{ path, name: path.join('.'), kind: registered.kind }];
  });
}
