// Finds the arguments of a GraphQL list that sort its records.

import type { DialectSort } from '../dialects/dialect.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import type { ListArguments } from './list-arguments.ts';
import { type GraphqlListQuery, withArgument } from './query-text.ts';
import { type GraphqlSchema, type InputField, isLeaf, type NamedType } from './schema.ts';

type Direction = 'asc' | 'desc';

/** The word of a type for a direction; any text is one, unless it is an enumeration. */
const wordFor = (type: NamedType | undefined, direction: Direction) =>
  type?.kind === 'ENUM' ? type.enumValues.find((value) => fold(value).startsWith(direction)) : direction;

/** The word of a type for a column. */
const columnFor = (type: NamedType | undefined, column: string) =>
  type?.kind === 'ENUM' ? type.enumValues.find((value) => fold(value) === fold(column)) : column;

/** The word of an enumeration for a column in a direction: `ID_ASC`, `id_DESC`. */
const columnWord = ({ enumValues }: NamedType, column: string, direction: Direction) =>
  enumValues.find((value) => fold(value) === `${fold(column)}${direction}`);

/** The value of an input object that sorts by a column: `{ id: asc }`, or `{ field: ID, direction: ASC }`. */
function sortObject(
  schema: GraphqlSchema,
  type: NamedType,
  column: string,
  direction: Direction,
): Readonly<Record<string, string>> | undefined {
  const own = type.inputFields.find(({ name }) => name === column);
  const ownType = own && schema.typeOf(own.type);
  if (own !== undefined && ownType?.kind === 'ENUM') {
    const word = wordFor(ownType, direction);
    return word === undefined ? undefined : { [column]: word };
  }
  const field = type.inputFields.find(({ name }) =>
    /^(?:field|by|column|key|sortby|orderby)$/.test(fold(name)),
  );
  const order = type.inputFields.find(({ name }) =>
    /^(?:order|direction|dir|sort|sortorder)$/.test(fold(name)),
  );
  if (field === undefined || order === undefined) return undefined;
  const [fields, orders] = [schema.typeOf(field.type), schema.typeOf(order.type)];
  const [by, word] = [columnFor(fields, column), wordFor(orders, direction)];
  return by === undefined || word === undefined ? undefined : { [field.name]: by, [order.name]: word };
}

/** The values of the sorting arguments for a column in a direction, by argument; `undefined` if they cannot sort by it. */
function valuesFor(
  schema: GraphqlSchema,
  sorts: readonly InputField[],
  column: string,
  direction: Direction,
): readonly (readonly [InputField, unknown])[] | undefined {
  const [arg, ...others] = sorts.filter(
    ({ name }) => !/direction|order$|^reverse|^asc|^desc/i.test(name) || sorts.length === 1,
  );
  if (arg === undefined) return undefined;
  const listed = (value: unknown) => (arg.type.isList ? [value] : value);
  const type = schema.typeOf(arg.type);
  if (type?.kind === 'INPUT_OBJECT') {
    const value = sortObject(schema, type, column, direction);
    return value && [[arg, listed(value)]];
  }
  if (!isLeaf(schema, arg.type) || others.length > 1) return undefined;
  const both = type?.kind === 'ENUM' ? columnWord(type, column, direction) : undefined;
  if (both !== undefined) return [[arg, listed(both)]];
  const by = columnFor(type, column);
  if (by === undefined) return undefined;
  const towards = sorts.find((one) => one !== arg);
  if (towards === undefined)
    return [[arg, arg.type.isList ? [`${by}:${direction}`] : direction === 'asc' ? by : `-${by}`]];
  const word = wordFor(schema.typeOf(towards.type), direction);
  return word === undefined
    ? undefined
    : [
        [arg, by],
        [towards, word],
      ];
}

/** How a list is asked for an order; `undefined` if its arguments do not sort by that column. */
export function graphqlSort(
  schema: GraphqlSchema,
  query: GraphqlListQuery,
  { sorts }: ListArguments,
  column: string,
): DialectSort | undefined {
  const up = valuesFor(schema, sorts, column, 'asc');
  const down = valuesFor(schema, sorts, column, 'desc');
  if (up === undefined || down === undefined) return undefined;
  const sorted =
    (values: NonNullable<typeof up>): DialectSort['ascending'] =>
    (request) =>
      values.reduce((made, [arg, value]) => withArgument(query, made, arg, [], value), request);
  return {
    by: up.map(([{ name }]) => name).join(' and '),
    ascending: sorted(up),
    descending: sorted(down),
  };
}
