// Chooses which fields of a GraphQL type the query of a draft asks for.

import type { Resource } from '../../../contract/resource.ts';
import { resourceWords } from '../detect/usual-names.ts';
import { columnWords } from '../map/choose-columns.ts';
import { isSecretColumn } from '../map/columns.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import { type GraphqlSchema, isLeaf, mustBeGiven, type NamedType, type OutputField } from './schema.ts';

const DEPTH_MAX = 3;
const FIELDS_MAX = 60;
/** A price means nothing without its currency, and a time may have any name. */
const ALWAYS = /currency|^(?:date_?time|timestamp|timestamptz|date|time)$/i;

type Words = { readonly names: ReadonlySet<string>; readonly parents: ReadonlySet<string> };

/** The names that fields of a resource have, and the names of objects that hold them. */
function wordsOf(resource: Resource): Words {
  const all = [...resourceWords(resource).ids, ...Object.values(columnWords(resource)).flat()];
  const parents = all.flatMap((word) => (word.includes('.') ? [word.split('.')[0] ?? ''] : []));
  return { names: new Set(all), parents: new Set([...all, ...parents]) };
}

/** The share of the contract's fields whose names a type has, from 0 to 1. */
export function likeness(schema: GraphqlSchema, type: NamedType, resource: Resource): number {
  const names = new Set(
    type.fields.flatMap((field) => {
      const inner = isLeaf(schema, field.type) ? [] : (schema.typeOf(field.type)?.fields ?? []);
      return [fold(field.name), ...inner.map((one) => `${fold(field.name)}.${fold(one.name)}`)];
    }),
  );
  const groups = Object.entries(columnWords(resource)).filter(([name]) => !name.includes('.'));
  return groups.filter(([, words]) => words.some((word) => names.has(word))).length / groups.length;
}

const isPlain = (field: OutputField) => !isSecretColumn(field.name) && !field.args.some(mustBeGiven);

function selectIn(
  schema: GraphqlSchema,
  type: NamedType,
  words: Words,
  place: { readonly parent: string; readonly depth: number; readonly all: boolean },
): readonly string[] {
  const { parent, depth, all } = place;
  return type.fields
    .filter(isPlain)
    .flatMap((field) => {
      const name = fold(field.name);
      const isNamed = words.names.has(name) || words.names.has(`${parent}.${name}`);
      if (isLeaf(schema, field.type))
        return all || isNamed || ALWAYS.test(field.name) || ALWAYS.test(field.type.name) ? [field.name] : [];
      const inner = schema.typeOf(field.type);
      const isHolder = words.parents.has(name) || depth > 0;
      if (inner === undefined || !isHolder || depth >= DEPTH_MAX || inner.kind !== 'OBJECT') return [];
      if (inner.fields.some((one) => one.name === 'pageInfo' || one.name === 'edges')) return [];
      const selected = selectIn(schema, inner, words, { parent: name, depth: depth + 1, all: false });
      return selected.length === 0 ? [] : [`${field.name} { ${selected.join(' ')} }`];
    })
    .slice(0, FIELDS_MAX);
}

/**
 * The fields to ask for of a record: those with names that the contract's fields usually have. If one of these has no
 * such name, all fields that are values, so that the operator sees what there is.
 */
export function selectFields(schema: GraphqlSchema, type: NamedType, resource: Resource): string {
  const all = likeness(schema, type, resource) < 1;
  return selectIn(schema, type, wordsOf(resource), { parent: '', depth: 0, all }).join(' ');
}
