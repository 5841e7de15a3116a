// Finds the field of a GraphQL query that returns the records of a resource.

import type { Resource } from '../../../contract/resource.ts';
import { resourceWords } from '../detect/usual-names.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import { type GraphqlSchema, isLeaf, mustBeGiven, type NamedType, type OutputField } from './schema.ts';
import { listArguments } from './list-arguments.ts';
import { likeness } from './select-fields.ts';

/** A field of the query that returns the records of a resource. */
export type ListField = {
  readonly root: OutputField;
  /** The type of one record. */
  readonly item: NamedType;
  /** What is selected around the fields of a record. */
  readonly wrap: (fields: string) => string;
};

/** Names of fields about a page, such as its total, that a list may have beside its records. */
const PAGE_FIELD =
  /^(?:total\w*|count|totalCount|size|hasMore|hasNext\w*|next\w*|endCursor|cursor|pages?|info|meta|pageInfo|aggregate|pagination)$/i;

/** Selects the fields about a page that stand around a list, one object deep. */
function pageFieldsOf(schema: GraphqlSchema, type: NamedType): readonly string[] {
  return type.fields
    .filter(({ name, args }) => PAGE_FIELD.test(name) && !args.some(mustBeGiven))
    .flatMap((field) => {
      if (field.type.isList) return [];
      if (isLeaf(schema, field.type)) return [field.name];
      const inner = schema.typeOf(field.type)?.fields ?? [];
      const leaves = inner.filter(
        (one) => isLeaf(schema, one.type) && !one.type.isList && !one.args.some(mustBeGiven),
      );
      return leaves.length === 0 ? [] : [`${field.name} { ${leaves.map(({ name }) => name).join(' ')} }`];
    });
}

const objectOf = (schema: GraphqlSchema, field: OutputField): NamedType | undefined => {
  const type = schema.typeOf(field.type);
  return type !== undefined && type.fields.length > 0 ? type : undefined;
};

/** The list in a wrapper: `nodes`, `edges { node }`, `items`, `data` …  */
function wrapped(schema: GraphqlSchema, root: OutputField, wrapper: NamedType): readonly ListField[] {
  const pageFields = pageFieldsOf(schema, wrapper);
  return wrapper.fields
    .filter(({ type, args }) => type.isList && !args.some(mustBeGiven))
    .flatMap((list): readonly ListField[] => {
      const inner = objectOf(schema, list);
      const node = inner?.fields.find(({ name, type }) => name === 'node' && !type.isList);
      const item = node === undefined ? inner : objectOf(schema, node);
      if (item === undefined) return [];
      const wrap = (fields: string) =>
        [...pageFields, `${list.name} { ${node === undefined ? fields : `node { ${fields} }`} }`].join(' ');
      return [{ root, item, wrap }];
    });
}

/** Words around the name of a resource in the name of its list. */
const AROUND =
  /^(?:all|list|get|find|search|fetch|query)|(?:connection|collection|list|all|page|paginated)$/g;

function nameScore(name: string, resource: Resource): number {
  const words = resourceWords(resource).lists;
  const rank = words.indexOf(fold(name).replaceAll(AROUND, ''));
  if (rank >= 0) return 40 - rank;
  return words.some((word) => fold(name).includes(word)) ? 15 : 0;
}

/** Whether a list needs no argument but those of a page. */
function canBeAsked(schema: GraphqlSchema, root: OutputField): boolean {
  const { paging } = listArguments(schema, root);
  return root.args.every((arg) => !mustBeGiven(arg) || paging.includes(arg));
}

/** The lists of a resource, the most probable first. */
export function findLists(schema: GraphqlSchema, resource: Resource): readonly ListField[] {
  const found = schema.roots
    .filter((root) => canBeAsked(schema, root))
    .flatMap((root): readonly ListField[] => {
      const type = objectOf(schema, root);
      if (type === undefined) return [];
      if (root.type.isList) return [{ root, item: type, wrap: (fields) => fields }];
      return wrapped(schema, root, type);
    });
  const scored = found.map((list) => {
    const like = likeness(schema, list.item, resource);
    // A list that states its number of records, or can be paged, is better than a bare one.
    const extras = (list.root.type.isList ? 0 : 3) + Math.min(list.root.args.length, 3);
    return { list, like, score: nameScore(list.root.name, resource) + like * 40 + extras };
  });
  return scored
    .filter(({ list, like }) => like > 0.3 || nameScore(list.root.name, resource) > 20)
    .sort((a, b) => b.score - a.score)
    .map(({ list }) => list);
}
