import * as z from 'zod';
import { type Field, fieldsOf, id } from './fields.ts';

/** A query parameter that narrows a list. */
export type FilterParameter = {
  readonly name: string;
  readonly field: string;
  readonly op: 'eq' | 'ge' | 'le';
  readonly description: string;
};

/** The names of the fields of a view, nested ones in the form `profile.bio`. */
type NamesOf<Shape> = {
  [Key in keyof Shape & string]: Shape[Key] extends z.ZodObject<infer Inner>
    ? `${Key}.${NamesOf<Inner>}`
    : Key;
}[keyof Shape & string];

/** The contract of one resource. */
export type ResourceContract<Name extends string = string, FieldName extends string = string> = {
  readonly name: Name;
  /** The names of all fields after the id, those of the single-record view included. */
  readonly fieldNames: readonly FieldName[];
  /** The name of one record, in the singular. */
  readonly title: string;
  readonly idPrefix: string;
  /** The permission to read it: `<name>:read`. */
  readonly permission: string;
  /** The schema of its ids. */
  readonly id: z.ZodType;
  /** One item of a list. */
  readonly item: z.ZodObject;
  readonly itemFields: readonly Field[];
  /** The single-record view; `null` if the contract has none. */
  readonly detail: z.ZodObject | null;
  readonly detailFields: readonly Field[];
  /** Fields that `sort` may name; empty if the contract has no `sort`. */
  readonly sorts: readonly string[];
  readonly filters: readonly FilterParameter[];
};

/** A resource as its file in this folder declares it; `Key` are the names of its top-level fields. */
type Definition<Name extends string, Item, Detail> = {
  readonly name: Name;
  readonly title: string;
  readonly idPrefix: string;
  /** The fields of an item after its id. */
  readonly item: Item & Readonly<Record<string, z.ZodType>>;
  /** The additional fields of the single-record view; `null` if the contract has no such view. */
  readonly detail: (Detail & Readonly<Record<string, z.ZodType>>) | null;
  readonly sorts: readonly ('id' | NoInfer<keyof Item & string>)[];
  readonly filters: readonly (FilterParameter & { readonly field: NoInfer<keyof Item & string> })[];
};

/** Completes the definition of a resource with what follows from it: schemas, their fields, the permission. */
export function defineResource<Name extends string, Item, Detail = object>({
  item: fields,
  detail: more,
  ...definition
}: Definition<Name, Item, Detail>): ResourceContract<Name, NamesOf<Item> | NamesOf<Detail>> {
  const { name, title, idPrefix } = definition;
  const schemaTitle = title.charAt(0).toUpperCase() + title.slice(1);
  const isLabel = (one: string) => definition.filters.some(({ op, field }) => op === 'eq' && field === one);
  const marked = (schema: Parameters<typeof fieldsOf>[0]) =>
    fieldsOf(schema).map((one) => ({ ...one, isLabel: isLabel(one.name) }));
  const shape = { id: id(idPrefix), ...fields };
  const item = z.strictObject(shape).meta({ title: schemaTitle });
  const detail = more && z.strictObject({ ...shape, ...more }).meta({ title: `${schemaTitle}Detail` });
  const names = fieldsOf(detail ?? item).flatMap(({ kind, name: field }) => (kind === 'id' ? [] : [field]));
  return {
    ...definition,
    fieldNames: names as (NamesOf<Item> | NamesOf<Detail>)[],
    permission: `${name}:read`,
    id: shape.id,
    item,
    itemFields: marked(item),
    detail,
    detailFields: detail === null ? [] : marked(detail),
  };
}
