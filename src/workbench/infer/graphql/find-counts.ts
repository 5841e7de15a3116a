// Finds the field of a GraphQL query that states how many records a list has, for the `total` of a draft.

import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import { type GraphqlSchema, type InputField, isLeaf, mustBeGiven, type OutputField } from './schema.ts';
import type { ListField } from './find-lists.ts';
import type { GraphqlListQuery } from './query-text.ts';

const COUNT = /^(?:count|total|totalcount|totalitems|total_count)$/i;
const HOLDER = /^(?:aggregate|meta|pageinfo|info)$/i;

/** The selection that gets the number of records of a field; `undefined` if it has none, '' if the field is the number. */
function countIn(schema: GraphqlSchema, field: OutputField, depth = 0): string | undefined {
  if (field.type.isList || field.args.some(mustBeGiven)) return undefined;
  if (isLeaf(schema, field.type)) return /^(?:Int|BigInt|Long)$/.test(field.type.name) ? '' : undefined;
  const inner = schema.typeOf(field.type)?.fields ?? [];
  for (const one of inner) {
    const isCount = COUNT.test(one.name) && isLeaf(schema, one.type) && !one.args.some(mustBeGiven);
    if (isCount) return one.name;
    const below = depth < 1 && HOLDER.test(one.name) ? countIn(schema, one, depth + 1) : undefined;
    if (below !== undefined && below !== '') return `${one.name} { ${below} }`;
  }
  return undefined;
}

/** The fields beside a list that state its number of records: `_allProductsMeta`, `products_aggregate`, `productsCount`. */
export function findCounts(
  schema: GraphqlSchema,
  { root }: ListField,
  filters: readonly InputField[],
): GraphqlListQuery['counts'] {
  const plural = fold(root.name);
  const names = [plural, plural.replace(/s$/, '')];
  const isOf = (name: string) =>
    names.some((one) =>
      [`${one}meta`, `${one}aggregate`, `${one}count`, `count${one}`, `total${one}`, `${one}total`].includes(
        fold(name),
      ),
    );
  return schema.roots
    .filter((field) => field !== root && isOf(field.name))
    .flatMap((field) => {
      const selection = countIn(schema, field);
      if (selection === undefined) return [];
      const takes = field.args
        .filter((arg) => filters.some(({ name, type }) => name === arg.name && type.text === arg.type.text))
        .map(({ name }) => name);
      return [{ name: field.name, selection, takes }];
    })
    .slice(0, 1);
}
