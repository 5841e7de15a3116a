// Finds the list of a resource in a GraphQL service, when the operator gave only the address.

import type { RequestSpec } from '../../../config/schema/source.ts';
import type { Resource } from '../../../contract/resource.ts';
import { type AskService, type FirstResponse, readFirstResponse } from '../detect/first-response.ts';
import type { Dialect, SortForm } from '../dialects/dialect.ts';
import { InferError, notesAt, sure } from '../notes/note.ts';
import { findCounts } from './find-counts.ts';
import { graphqlFilters } from './graphql-filters.ts';
import { findLists, type ListField } from './find-lists.ts';
import { graphqlRecord } from './graphql-record.ts';
import { graphqlSort } from './graphql-sort.ts';
import { firstError, graphqlRequest, introspect } from './introspect.ts';
import { listArguments } from './list-arguments.ts';
import { type GraphqlListQuery, writeListQuery } from './query-text.ts';
import type { GraphqlSchema } from './schema.ts';
import { selectFields } from './select-fields.ts';

const LISTS_MAX = 3;

const BY_HAND =
  'give the query for the list with --body <file>: {"query": "query List($limit: Int, $offset: Int) { … }", "variables": {…}}; and for one record with --one-body <file>';

/** The request for a list of a schema, and the dialect with what the schema says of that list. */
function describe(
  schema: GraphqlSchema,
  found: ListField,
  resource: Resource,
  address: RequestSpec,
  graphql: Dialect,
): { readonly request: RequestSpec; readonly dialect: Dialect } {
  const { root, item, wrap } = found;
  const args = listArguments(schema, root);
  const query: GraphqlListQuery = {
    list: { name: root.name, args: args.paging, selection: wrap(selectFields(schema, item, resource)) },
    counts: findCounts(schema, found, args.filters),
    known: [...args.sorts, ...args.filters],
  };
  const sort: SortForm = { of: (column) => graphqlSort(schema, query, args, column) };
  const request = graphqlRequest(address, writeListQuery(query, []), args.variables);
  const dialect: Dialect = {
    ...graphql,
    ...(args.window !== undefined && { paging: args.window }),
    ...(args.sorts.length > 0 && { sort }),
    filters: (wanted) => graphqlFilters(schema, query, args, wanted),
    ...graphqlRecord(schema, item, resource),
  };
  return { request, dialect };
}

/** The names of a schema's lists, for the operator. */
const namesOf = ({ roots }: GraphqlSchema) =>
  roots
    .slice(0, 20)
    .map(({ name }) => name)
    .join(', ');

/**
 * Finds the list of a resource at the address of a GraphQL service, by the types that the service describes. Several
 * lists are tried, until one gives records.
 * @throws InferError if the service does not describe itself, or no list of it gives records
 */
export async function readGraphqlList(
  resource: Resource,
  address: RequestSpec,
  dialects: readonly Dialect[],
  ask: AskService,
): Promise<FirstResponse> {
  const graphql = dialects.find(({ key }) => key === 'graphql');
  if (graphql === undefined) throw new Error('no example shows GraphQL');
  const schema = await introspect(address, ask);
  if (schema === undefined)
    throw new InferError('this is a GraphQL service that does not describe itself (introspection)', BY_HAND);
  const lists = findLists(schema, resource).slice(0, LISTS_MAX);
  if (lists.length === 0)
    throw new InferError(
      `the GraphQL service has no list of ${resource.name} among: ${namesOf(schema)}`,
      BY_HAND,
    );
  const problems: string[] = [];
  for (const found of lists) {
    const { request, dialect } = describe(schema, found, resource, address, graphql);
    const reply = await ask(request);
    try {
      const response = await readFirstResponse(resource, request, reply, dialects);
      const at = ['resources', resource.name, 'list', 'request'];
      const text = `${found.root.name} was found by introspection; it gives records of type ${found.item.name}`;
      return { ...response, dialect, notes: [...response.notes, ...notesAt(at, sure(text))] };
    } catch (error) {
      if (!(error instanceof InferError)) throw error;
      problems.push(`${found.root.name}: ${firstError(reply) ?? error.message}`);
    }
  }
  throw new InferError(`no list of ${resource.name} gave records: ${problems.join('; ')}`, BY_HAND);
}

/**
 * Finds the request for one record of a GraphQL service by introspection, if the operator gave only the query of the list
 * (`asked`).
 */
export async function withGraphqlRecord(
  response: FirstResponse,
  resource: Resource,
  asked: RequestSpec,
  ask: AskService,
): Promise<FirstResponse> {
  const { dialect } = response;
  if (dialect?.key !== 'graphql' || asked.body === undefined) return response;
  const schema = await introspect(asked, ask);
  const [found] = schema === undefined ? [] : findLists(schema, resource);
  if (schema === undefined || found === undefined) return response;
  return { ...response, dialect: { ...dialect, ...graphqlRecord(schema, found.item, resource) } };
}
