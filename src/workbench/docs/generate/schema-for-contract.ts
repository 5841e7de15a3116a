// Makes the JSON Schema of a configuration file for a contract that is not the built-in one, for `portico schema`.

import type { Field } from '../../../contract/fields.ts';
import type { Contract, Resource } from '../../../contract/resource.ts';
import { configJsonSchema, type ConfigFileKind } from './documents.ts';

type JsonSchemaObject = { readonly [key: string]: unknown };

/** A schema with these keys only, so that an editor offers them and shows a mistake at any other key. */
function keysOf(fields: readonly Pick<Field, 'name' | 'schema'>[]): JsonSchemaObject {
  return {
    properties: Object.fromEntries(
      fields.map(({ name, schema: { description } }) => [
        name,
        description === undefined ? {} : { description },
      ]),
    ),
    propertyNames: fields.length === 0 ? false : { enum: fields.map(({ name }) => name) },
  };
}

/** What the names of a resource's fields add to the schema that all resources of a source file share. */
function fieldNames({ itemFields, detailFields, sorts, filters }: Resource): JsonSchemaObject {
  const among = (names: readonly string[]) => keysOf(itemFields.filter(({ name }) => names.includes(name)));
  const list = {
    map: keysOf(itemFields),
    sort: { properties: { columns: among(sorts) } },
    filters: among(filters.map(({ field }) => field)),
  };
  return {
    properties: { list: { properties: list }, get: { properties: { map: keysOf(detailFields) } } },
  };
}

/**
 * The JSON Schema of one kind of configuration file for one contract. An editor completes its resources, and in source files
 * the fields of each. The schema has once what all resources share.
 */
export function contractJsonSchema(kind: ConfigFileKind, { resources }: Contract): unknown {
  const schema = configJsonSchema(kind, [...resources.keys()]) as JsonSchemaObject & {
    readonly properties: { readonly resources: JsonSchemaObject };
  };
  if (kind !== 'source') return schema;
  const shared = { $ref: '#/$defs/resource' };
  const properties = Object.fromEntries(
    [...resources].map(([name, one]) => [name, { allOf: [shared, fieldNames(one)] }]),
  );
  return {
    ...schema,
    properties: { ...schema.properties, resources: { ...schema.properties.resources, properties } },
  };
}
