// Lists the keys of a configuration file from its schema, for the generated reference (config/docs/reference.md).

import * as z from 'zod';
import { notationOf } from '../../config/schema/elements/notation.ts';

/** One configuration key, as the reference prints it. */
export type Key = {
  /** Keys joined by dots; `[]` for the items of a list, `<…>` for names that the author of the file chooses. */
  readonly path: string;
  /** The accepted values, in words. */
  readonly accepts: string;
  readonly required: boolean;
  /** The default, written as in a file. */
  readonly fallback: string | undefined;
  readonly about: string | undefined;
};

/** A schema without its wrappers (optional, default, …), and what those wrappers say. */
type Unwrapped = {
  readonly schema: z.ZodType;
  readonly required: boolean;
  readonly fallback: string | undefined;
  readonly about: string | undefined;
};

/** Names the section of the reference that describes a schema; `undefined` if it has none of its own. */
type SectionOf = (schema: z.ZodType) => string | undefined;

const asType = (schema: unknown) => schema as z.ZodType;

/** The schema of the value in the file, before a transformation. */
function inputSchema(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodPipe && notationOf(schema) === undefined
    ? inputSchema(asType(schema.in))
    : schema;
}

/** Writes a value in YAML's flow style, with scalars in the notation of the file. */
function writeValue(schema: z.ZodType, value: unknown): string {
  const { schema: bare } = unwrap(schema);
  const notation = notationOf(bare);
  if (notation?.write !== undefined) return notation.write(value);
  if (Array.isArray(value)) {
    const element = bare instanceof z.ZodArray ? asType(bare.element) : bare;
    return `[${value.map((item) => writeValue(element, item)).join(', ')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([key, item]) => `${key}: ${writeValue(memberOf(bare, key), item)}`,
    );
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  return typeof value === 'string' && !/^[A-Za-z][\w-]*$/.test(value) ? `'${value}'` : String(value);
}

function memberOf(schema: z.ZodType, key: string): z.ZodType {
  if (schema instanceof z.ZodObject) return asType(schema.shape[key]);
  return schema instanceof z.ZodRecord ? asType(schema.valueType) : schema;
}

/** Unwraps optional and default schemas. If several carry a description, the outermost one counts. */
function unwrap(schema: z.ZodType): Unwrapped {
  const about = schema.description;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) {
    const inner = unwrap(asType(schema.unwrap()));
    return { ...inner, required: false, about: about ?? inner.about };
  }
  if (schema instanceof z.ZodDefault) {
    const inner = unwrap(asType(schema.unwrap()));
    const fallback = writeValue(inner.schema, schema.def.defaultValue);
    return { ...inner, required: false, fallback, about: about ?? inner.about };
  }
  const bare = inputSchema(schema);
  if (bare !== schema) {
    const inner = unwrap(bare);
    return { ...inner, about: about ?? inner.about };
  }
  return { schema, required: true, fallback: undefined, about };
}

const code = (text: string) => `\`${text}\``;

const literalText = (value: unknown) => code(String(value));

/** The object schemas of a value: one, the alternatives of a union, or none. */
function objectsOf(schema: z.ZodType): readonly z.ZodObject[] {
  const { schema: bare } = unwrap(schema);
  if (bare instanceof z.ZodObject) return [bare];
  return bare instanceof z.ZodUnion ? bare.options.flatMap((option) => objectsOf(asType(option))) : [];
}

/** Describes the values that a schema accepts. It throws for an unknown kind of schema. */
function describeAccepted(schema: z.ZodType, sectionOf: SectionOf): string {
  const { schema: bare } = unwrap(schema);
  const section = sectionOf(bare);
  if (section !== undefined) return section;
  const notation = notationOf(bare);
  if (notation !== undefined) return notation.form;
  const inner = (one: unknown) => describeAccepted(asType(one), sectionOf);
  if (bare instanceof z.ZodLiteral) return [...bare.values].map(literalText).join(' or ');
  if (bare instanceof z.ZodEnum) return bare.options.map(literalText).join(', ');
  if (bare instanceof z.ZodArray) return `a list: ${inner(bare.element)}`;
  if (bare instanceof z.ZodRecord) return `a map: ${inner(bare.valueType)}`;
  if (bare instanceof z.ZodUnion) return [...new Set(bare.options.map(inner))].join(', or ');
  if (bare instanceof z.ZodObject) return code(`{ ${Object.keys(bare.shape).join(', ')} }`);
  if (bare instanceof z.ZodNullable) return `${inner(bare.unwrap())}, or \`null\``;
  if (bare instanceof z.ZodString || bare instanceof z.ZodStringFormat) return 'a text';
  if (bare instanceof z.ZodNumber) return 'a number';
  if (bare instanceof z.ZodBoolean) return '`true` or `false`';
  if (bare instanceof z.ZodNull) return '`null`';
  if (bare instanceof z.ZodLazy) return 'any value';
  throw new Error(`the reference cannot describe a ${bare.type}`);
}

/** The keys below a value at `path`; none for a scalar. */
function keysBelow(schema: z.ZodType, path: string, sectionOf: SectionOf): readonly Key[] {
  const { schema: bare } = unwrap(schema);
  if (sectionOf(bare) !== undefined) return [];
  if (bare instanceof z.ZodArray) return keysBelow(asType(bare.element), `${path}[]`, sectionOf);
  if (bare instanceof z.ZodRecord) {
    const name = notationOf(asType(bare.keyType))?.form;
    const placeholder = name !== undefined && /^[\w|-]+$/.test(name) ? name : 'name';
    return keysBelow(asType(bare.valueType), `${path}.<${placeholder}>`, sectionOf);
  }
  if (bare instanceof z.ZodUnion) {
    const keys = bare.options.flatMap((option) => keysBelow(asType(option), path, sectionOf));
    return [...new Map(keys.map((key) => [key.path, key])).values()];
  }
  return bare instanceof z.ZodObject ? keysOf(bare, path, sectionOf) : [];
}

/** All keys of a map, nested ones included. A value that has its own section is not entered. */
function keysOf(schema: z.ZodObject, path: string, sectionOf: SectionOf): readonly Key[] {
  return Object.entries(schema.shape).flatMap(([key, value]) => {
    const here = path === '' ? key : `${path}.${key}`;
    const { schema: bare, ...unwrapped } = unwrap(asType(value));
    const below = keysBelow(bare, here, sectionOf);
    return [{ path: here, accepts: describeAccepted(bare, sectionOf), ...unwrapped }, ...below];
  });
}

/** Keys that are printed together; `title` says which form of the value has them: `kind: page`. */
export type Group = {
  readonly title: string | undefined;
  readonly about: string | undefined;
  readonly keys: readonly Key[];
};

/** Lists a value that is no map, such as the step `trim`, as if it were a key. */
function wordsOf(schema: z.ZodType, sectionOf: SectionOf): readonly Key[] {
  if (schema instanceof z.ZodObject) return [];
  const words = schema instanceof z.ZodEnum ? schema.options.map(String) : undefined;
  return (words ?? [describeAccepted(schema, sectionOf).replaceAll('`', '')]).map((path) => ({
    path,
    accepts: 'the word alone',
    required: false,
    fallback: undefined,
    about: schema.description,
  }));
}

/** The keys of a section, grouped by the forms of its value. */
export function groupsOf(schema: z.ZodType, name: string, sectionOf: SectionOf): readonly Group[] {
  if (schema instanceof z.ZodDiscriminatedUnion) {
    return objectsOf(schema).map((object) => {
      const { kind, ...others } = object.shape as Record<string, z.ZodType>;
      const title = kind instanceof z.ZodLiteral ? `kind: ${String(kind.value)}` : undefined;
      return { title, about: object.description, keys: keysOf(z.object(others), name, sectionOf) };
    });
  }
  if (schema instanceof z.ZodUnion) {
    const keys = schema.options.flatMap((option) => {
      const bare = asType(option);
      return bare instanceof z.ZodObject ? keysOf(bare, '', sectionOf) : wordsOf(bare, sectionOf);
    });
    return [{ title: undefined, about: undefined, keys }];
  }
  return [{ title: undefined, about: undefined, keys: keysBelow(schema, name, sectionOf) }];
}

/** The schema at a path; `[]` enters the items of a list, `<…>` the values of a map. @throws Error */
export function schemaAt(schema: z.ZodType, at: readonly string[]): z.ZodType {
  const { schema: bare } = unwrap(schema);
  const [key, ...rest] = at;
  if (key === undefined) return bare;
  if (bare instanceof z.ZodObject && key in bare.shape) return schemaAt(asType(bare.shape[key]), rest);
  if (bare instanceof z.ZodArray && key === '[]') return schemaAt(asType(bare.element), rest);
  if (bare instanceof z.ZodRecord && key.startsWith('<')) return schemaAt(asType(bare.valueType), rest);
  const found =
    bare instanceof z.ZodUnion ? objectsOf(bare).find((object) => key in object.shape) : undefined;
  if (found === undefined) throw new Error(`the reference has a section for "${key}", which no file has`);
  return schemaAt(found, at);
}
