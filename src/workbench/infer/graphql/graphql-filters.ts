// Finds the arguments of a GraphQL list that may filter its records.

import type { RequestSpec } from '../../../config/schema/source.ts';
import type { DialectFilter, PlainFilter } from '../dialects/dialect.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import { mapLeaves, setIn } from '../../../kernel/json/json-tree.ts';
import type { ListArguments } from './list-arguments.ts';
import { type GraphqlListQuery, withArgument } from './query-text.ts';
import { type GraphqlSchema, type InputField, isLeaf, type NamedType } from './schema.ts';

type Op = DialectFilter['op'];

/** The names of a comparison within the object of a column, folded. */
const COMPARISONS: Readonly<Record<Op, readonly string[]>> = {
  eq: ['eq', 'equals', 'equalto', 'is', 'exact'],
  ge: ['gte', 'ge', 'greaterthanorequalto', 'greaterthanorequal', 'greaterorequal', 'min', 'from'],
  le: ['lte', 'le', 'lessthanorequalto', 'lessthanorequal', 'lessorequal', 'max', 'to'],
};

/** The names of a filter that holds column and comparison, folded. */
function joinedNames(column: string, op: Op): readonly string[] {
  const name = fold(column);
  const suffixed = COMPARISONS[op].map((word) => name + word);
  if (op === 'eq') return [name, ...suffixed, `${name}name`];
  return [...suffixed, ...COMPARISONS[op].map((word) => word + name)];
}

/** The paths below an input type at which a condition on a column may stand, best first. */
function conditionPaths(
  schema: GraphqlSchema,
  fields: readonly InputField[],
  keys: readonly string[],
  op: Op,
): readonly (readonly string[])[] {
  const [column = '', ...rest] = keys;
  const joined = joinedNames(column, op);
  const direct = fields.filter(
    ({ name, type }) => isLeaf(schema, type) && !type.isList && joined.includes(fold(name)),
  );
  const nested = fields
    .filter(({ name, type }) => fold(name) === fold(column) && !isLeaf(schema, type) && !type.isList)
    .flatMap(({ name, type }) => {
      const inner = schema.typeOf(type)?.inputFields ?? [];
      const below =
        rest.length > 0
          ? conditionPaths(schema, inner, rest, op)
          : inner
              .filter((one) => COMPARISONS[op].includes(fold(one.name)) && !one.type.isList)
              .sort((a, b) => COMPARISONS[op].indexOf(fold(a.name)) - COMPARISONS[op].indexOf(fold(b.name)))
              .map((one) => [one.name]);
      return below.map((path) => [name, ...path]);
    });
  return [...nested, ...direct.map(({ name }) => [name])];
}

/** The field of an input type that takes several conditions of the same type: `_and`, `AND`. */
function conjunction({ name, inputFields }: NamedType): string | undefined {
  return inputFields.find(({ name: key, type }) => fold(key) === 'and' && type.isList && type.name === name)
    ?.name;
}

const NAMES: Readonly<Record<Op, (field: string) => string>> = {
  eq: (field) => field,
  ge: (field) => `min_${field}`,
  le: (field) => `max_${field}`,
};

/** Whether a service compares as JavaScript does, which takes null for 0: json-graphql-server, by the name of its count. */
const takesNullForZero = ({ counts }: GraphqlListQuery): boolean =>
  counts.some(({ name }) => /^_all\w+Meta$/.test(name));

/** A condition below one argument, in the form that a source file has for it. */
function filterBelow(
  query: GraphqlListQuery,
  arg: InputField,
  type: NamedType | undefined,
  path: readonly string[],
  { field, op }: Pick<DialectFilter, 'field' | 'op'>,
): DialectFilter {
  const isNumber = op !== 'eq';
  const typed = (value: string) => (isNumber ? Number(value) : value);
  const escape = isNumber
    ? { escape: 'number' as const, ...(takesNullForZero(query) && { superset: true }) }
    : {};
  const and = type === undefined || path.length < 2 ? undefined : conjunction(type);
  const put = (request: RequestSpec, at: readonly string[], value: unknown) =>
    withArgument(query, request, arg, at, value);
  if (and !== undefined) {
    // Conditions are elements of a list, so that a filter that a caller does not use leaves nothing in the query.
    const item = setIn({}, path, '{value}') as NonNullable<DialectFilter['item']>;
    const filled = (value: string) => mapLeaves(item, (leaf) => (leaf === '{value}' ? typed(value) : leaf));
    return {
      ...{ field, op, item, ...escape },
      body: {
        with: (request, value) => put(request, [], value === undefined ? {} : { [and]: [filled(value)] }),
        template: (request) => put(request, [], { [and]: '{filters}' }),
      },
    };
  }
  const name = NAMES[op](field);
  const without = (request: RequestSpec) =>
    path.length === 0 ? request : put(request, path.slice(0, -1), {});
  return {
    ...{ field, op, name, ...escape },
    body: {
      with: (request, value) => (value === undefined ? without(request) : put(request, path, typed(value))),
      template: (request) => put(request, path, `{${name}}`),
    },
  };
}

/** The filters of the contract that the arguments of a list may offer. `wanted` names the columns in the records. */
export function graphqlFilters(
  schema: GraphqlSchema,
  query: GraphqlListQuery,
  { filters }: ListArguments,
  wanted: readonly PlainFilter[],
): readonly DialectFilter[] {
  return wanted.flatMap(({ column: own, ...one }) => {
    const keys = own.split('.').filter((key) => key !== 'node' && key !== '');
    if (keys.length === 0) return [];
    const within = filters.flatMap((arg) => {
      const type = isLeaf(schema, arg.type) ? undefined : schema.typeOf(arg.type);
      const paths =
        type === undefined
          ? conditionPaths(schema, [arg], keys, one.op).map(() => [] as readonly string[])
          : conditionPaths(schema, type.inputFields, keys, one.op);
      return paths.map((path) => filterBelow(query, arg, type, path, one));
    });
    return within.slice(0, 4);
  });
}
