// Reads the types of a GraphQL service from its answer to introspection.

import type { Json } from '../../../kernel/json/json.ts';
import { isList, isObject } from '../../../kernel/json/values.ts';

/** A reference to a type, such as `[Product!]!`. */
export type TypeRef = {
  /** As it stands in a query: `[ProductsOrderBy!]`. */
  readonly text: string;
  readonly name: string;
  readonly isList: boolean;
  readonly isRequired: boolean;
};

/** An argument of a field, or a field of an input type. */
export type InputField = { readonly name: string; readonly type: TypeRef; readonly hasDefault: boolean };

/** A field of an object type. */
export type OutputField = {
  readonly name: string;
  readonly type: TypeRef;
  readonly args: readonly InputField[];
};

/** A named type of a schema. Lists that the type does not have are empty. */
export type NamedType = {
  readonly kind: string;
  readonly name: string;
  readonly fields: readonly OutputField[];
  readonly inputFields: readonly InputField[];
  readonly enumValues: readonly string[];
};

/** The types and the query fields of a GraphQL service. */
export type GraphqlSchema = {
  /** The fields that a query can begin with. */
  readonly roots: readonly OutputField[];
  typeOf(ref: TypeRef): NamedType | undefined;
};

const NAME = /^[_A-Za-z]\w{0,99}$/;
const TYPES_MAX = 5_000;
const MEMBERS_MAX = 500;

const nameOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && NAME.test(value) ? value : undefined;

/** Reads the members of a list, without those that cannot be read. Names go into queries, so odd ones are dropped. */
function membersOf<T>(value: Json | undefined, read: (member: Json) => T | undefined): readonly T[] {
  const members = value !== undefined && isList(value) ? value.slice(0, MEMBERS_MAX) : [];
  return members.map(read).filter((member) => member !== undefined);
}

function readTypeRef(value: Json | undefined, depth = 0): TypeRef | undefined {
  if (!isObject(value) || depth > 6) return undefined;
  const kind = value['kind'];
  if (kind !== 'NON_NULL' && kind !== 'LIST') {
    const name = nameOf(value['name']);
    return name === undefined ? undefined : { text: name, name, isList: false, isRequired: false };
  }
  const inner = readTypeRef(value['ofType'], depth + 1);
  if (inner === undefined) return undefined;
  return kind === 'LIST'
    ? { text: `[${inner.text}]`, name: inner.name, isList: true, isRequired: false }
    : { ...inner, text: `${inner.text}!`, isRequired: true };
}

function readInput(value: Json): InputField | undefined {
  if (!isObject(value)) return undefined;
  const [name, type] = [nameOf(value['name']), readTypeRef(value['type'])];
  return name === undefined || type === undefined
    ? undefined
    : { name, type, hasDefault: typeof value['defaultValue'] === 'string' };
}

function readField(value: Json): OutputField | undefined {
  if (!isObject(value)) return undefined;
  const [name, type] = [nameOf(value['name']), readTypeRef(value['type'])];
  return name === undefined || type === undefined
    ? undefined
    : { name, type, args: membersOf(value['args'], readInput) };
}

function readType(value: Json): NamedType | undefined {
  const name = isObject(value) ? nameOf(value['name']) : undefined;
  if (!isObject(value) || name === undefined || typeof value['kind'] !== 'string') return undefined;
  return {
    kind: value['kind'],
    name,
    fields: membersOf(value['fields'], readField),
    inputFields: membersOf(value['inputFields'], readInput),
    enumValues: membersOf(value['enumValues'], (one) => (isObject(one) ? nameOf(one['name']) : undefined)),
  };
}

/** Reads the reply to an introspection query; `undefined` if it does not describe a service. */
export function readSchema(document: Json | undefined): GraphqlSchema | undefined {
  const data = isObject(document) ? document['data'] : undefined;
  const schema = isObject(data) ? data['__schema'] : undefined;
  if (!isObject(schema) || !isList(schema['types'])) return undefined;
  const types = new Map<string, NamedType>();
  for (const value of schema['types'].slice(0, TYPES_MAX)) {
    const type = readType(value);
    if (type !== undefined) types.set(type.name, type);
  }
  const query = isObject(schema['queryType']) ? nameOf(schema['queryType']['name']) : undefined;
  const root = query === undefined ? undefined : types.get(query);
  return root && { roots: root.fields, typeOf: ({ name }) => types.get(name) };
}

/** Whether an argument must be given. */
export function mustBeGiven({ type, hasDefault }: InputField): boolean {
  return type.isRequired && !hasDefault;
}

/** Whether a type has no fields, as a number, a text or an enumeration. */
export function isLeaf(schema: GraphqlSchema, ref: TypeRef): boolean {
  const kind = schema.typeOf(ref)?.kind;
  return kind === undefined || kind === 'SCALAR' || kind === 'ENUM';
}
