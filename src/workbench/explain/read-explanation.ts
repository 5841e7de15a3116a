// Explains a request without asking a source, or with a live answer. The command and the action `explain` use it.

import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { Query } from '../../contract/query.ts';
import { GatewayError } from '../../kernel/errors/fault.ts';
import type { CompiledResource } from '../../source/compile-sources.ts';
import { explainLive, type LiveDeps } from './explain-live.ts';
import { type ExplainedRequest, readExplainedRequest } from './explain-request.ts';
import { type ClientMistake, explain, explainMistake, type Explanation } from './explanation.ts';
import { explainPassthrough, type PassthroughExplanation } from './explain-passthrough.ts';

/** A request to an operation with a query that makes sense. */
type AskedQuery = ExplainedRequest & { readonly query: Query };

/** What happens to a request, as far as this is known without a call to the source. */
type ReadExplanation =
  /** The gateway serves nothing at this address. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'passthrough'; readonly explanation: PassthroughExplanation }
  | { readonly kind: 'mistake'; readonly explanation: ClientMistake }
  | {
      readonly kind: 'query';
      readonly explanation: Explanation;
      readonly asked: AskedQuery;
      readonly compiled: CompiledResource;
    };

/** Explains a request that is written like `GET /v1/users?page=2`, without asking a source. */
export function readExplanation(
  request: string,
  served: { readonly gateway: GatewayConfig; readonly compiled: readonly CompiledResource[] },
): ReadExplanation {
  const { gateway } = served;
  const passed = explainPassthrough(request, gateway);
  if (passed !== undefined) return { kind: 'passthrough', explanation: passed };
  const asked = readExplainedRequest(request, gateway);
  if (typeof asked === 'string') return { kind: 'refused', why: asked };
  const { query, operation } = asked;
  if (query instanceof GatewayError)
    return { kind: 'mistake', explanation: explainMistake(asked, query, gateway) };
  const compiled = served.compiled.find(({ resource }) => resource === operation.resource);
  if (compiled === undefined) throw new Error(`${operation.resource.name} has no source`);
  const explanation = explain(asked, query, { gateway, compiled });
  return { kind: 'query', explanation, asked: { ...asked, query }, compiled };
}

/** Explains a query, and sends it to its source. Values of records are `***` unless `showValues` is set. */
export async function explainWithLive(asked: AskedQuery, asking: LiveDeps): Promise<Explanation> {
  const live = await explainLive(asked.query, asking);
  return { ...explain(asked, asked.query, asking), live };
}
