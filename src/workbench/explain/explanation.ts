// Puts together what `portico explain` says of one request: the plan of its query with masked calls, or the mistake in it.

import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { SourceSpec } from '../../config/schema/source.ts';
import { queryKey, type Query } from '../../contract/query.ts';
import { errorBody, fault, type GatewayError, publicStatus } from '../../kernel/errors/fault.ts';
import type { CompiledResource } from '../../source/compile-sources.ts';
import { type ExplainedPlan, explainPlan, filterText, sortText } from './explain-plan.ts';
import type { ExplainedRequest } from './explain-request.ts';
import { compileMasked, callToDisplay, type DisplayedCall } from '../doctor/session/masked-source.ts';
import type { DisplayedLive } from './display-live.ts';

/** Everything that is known about a query before it is answered, fit to be shown and to be written as JSON. */
export type Explanation = {
  readonly request: string;
  readonly operation: string;
  /** `null` if the resource is public. */
  readonly permission: string | null;
  readonly source: { readonly name: string; readonly file: string; readonly credential: string };
  /** What is asked, in words. */
  readonly question: string;
  readonly plan: Omit<ExplainedPlan, 'calls'> & { readonly calls: readonly DisplayedCall[] };
  /** What a scan may cost, and the error that a more expensive one gets. */
  readonly budget: {
    readonly rows: number;
    readonly calls: number;
    readonly timeMs: number;
    readonly beyond: string;
  };
  /** How long the answer is served from the cache, in seconds. */
  readonly freshSeconds: number;
  /** The parts of the key under which the answer is cached; `cacheKeyOf` of the pipeline joins them. */
  readonly cacheKey: { readonly operation: string; readonly digest: string; readonly query: string };
  readonly live?: DisplayedLive;
};

/** A request that is refused, with the answer that the client gets. */
export type ClientMistake = {
  readonly request: string;
  readonly operation: string;
  readonly mistake: { readonly status: number; readonly body: string };
};

function credentialText({ auth, net }: SourceSpec): string {
  switch (auth.kind) {
    case 'oauth2':
      return `OAuth 2.0, obtained first from ${auth.tokenUrl}`;
    case 'session':
      return `session, obtained first by a login at ${net.baseUrl}${auth.login.path}`;
    default:
      return auth.kind;
  }
}

function questionText(query: Query): string {
  if (query.kind === 'get') return `the record ${query.id}`;
  return [
    `page ${query.page} of ${query.limit} records`,
    ...(query.sort === null ? [] : [`by ${sortText(query.sort)}`]),
    ...query.filters.map((filter) => `with ${filterText(filter)}`),
  ].join(', ');
}

function freshSeconds(plan: ExplainedPlan, query: Query, { config, source }: CompiledResource): number {
  if (plan.kind === 'scan') return source.spec.budget.snapshot;
  return plan.kind === 'nothing' && query.kind === 'get' ? config.cache.notFound : config.cache.fresh;
}

/** Explains a request that is refused. */
export function explainMistake(
  asked: ExplainedRequest,
  error: GatewayError,
  gateway: GatewayConfig,
): ClientMistake {
  const status = publicStatus(error, gateway.errors.serverStatus);
  return {
    request: asked.line,
    operation: asked.operation.name,
    mistake: { status, body: errorBody(error, 'req_…') },
  };
}

/** Explains a query without asking the source anything. */
export function explain(
  asked: ExplainedRequest,
  query: Query,
  { gateway, compiled }: { readonly gateway: GatewayConfig; readonly compiled: CompiledResource },
): Explanation {
  const { source, resource, config } = compiled;
  const masked = compileMasked(compiled);
  const plan = explainPlan(query, masked.adapter, source, resource);
  const { rows, calls, time } = source.spec.budget;
  const over = fault('scan_limit_exceeded');
  return {
    request: asked.line,
    operation: asked.operation.name,
    permission: config.public ? null : resource.permission,
    source: { name: source.spec.name, file: source.yaml.file, credential: credentialText(source.spec) },
    question: questionText(query),
    plan: { ...plan, calls: plan.calls.map((request) => callToDisplay(masked.spec, request)) },
    budget: {
      rows,
      calls,
      timeMs: time,
      beyond: `${publicStatus(over, gateway.errors.serverStatus)} ${over.code}`,
    },
    freshSeconds: freshSeconds(plan, query, compiled),
    cacheKey: { operation: asked.operation.name, digest: compiled.digest, query: queryKey(query) },
  };
}
