// Asks a GraphQL service to describe its types (introspection), so that `infer` needs only its address.

import type { RequestSpec } from '../../../config/schema/source.ts';
import { isList, isObject, scalarText } from '../../../kernel/json/values.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { documentIn } from '../detect/detect-format.ts';
import type { AskService } from '../detect/first-response.ts';
import { type GraphqlSchema, readSchema } from './schema.ts';

/** Asks for all types with their arguments. References are nested four deep at most: `[Product!]!`. */
const INTROSPECTION = `query Introspection { __schema { queryType { name } types { kind name
  fields { name args { name defaultValue type { ...Ref } } type { ...Ref } }
  inputFields { name defaultValue type { ...Ref } } enumValues { name } } } }
  fragment Ref on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`;

/** The request for a query at an address. */
export function graphqlRequest(
  { path, headers }: RequestSpec,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): RequestSpec {
  const json = { query: query.replaceAll(/\s+/g, ' ').trim(), variables };
  return { method: 'POST', path, query: {}, headers, body: { json: json as never } };
}

const ADDRESS = /(?:^|\/)(?:graphql|graph|gql|graphiql)(?:\/|\.json$|$)/i;

/** Whether a request without a body went to a GraphQL service: by its address, or by a refusal that speaks of queries. */
export function isGraphqlAddress(request: RequestSpec, reply: UpstreamReply): boolean {
  if (request.body !== undefined) return false;
  if (ADDRESS.test(request.path)) return true;
  const text = reply.body.toString('latin1', 0, 2_000);
  return reply.status >= 400 && /graphql|(?:must provide|missing|no) (?:a )?query|query missing/i.test(text);
}

/** Asks a service to describe itself; `undefined` if it does not. */
export async function introspect(request: RequestSpec, ask: AskService): Promise<GraphqlSchema | undefined> {
  const reply = await ask(graphqlRequest(request, INTROSPECTION, {}));
  return readSchema(documentIn(reply));
}

/** The first message of a reply with errors, for the operator. It may quote the query, and holds no record. */
export function firstError(reply: UpstreamReply): string | undefined {
  const document = documentIn(reply);
  const errors = isObject(document) ? document['errors'] : undefined;
  const [first] = errors !== undefined && isList(errors) ? errors : [];
  return isObject(first)
    ? scalarText(first['message'])
        ?.replaceAll(/[\p{C}\s]+/gu, ' ')
        .slice(0, 200)
    : undefined;
}
