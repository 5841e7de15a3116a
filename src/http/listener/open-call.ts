import type { Request } from 'express';
import type { GatewayError } from '../../kernel/errors/fault.ts';
import type { Call, RequestFacts } from '../../pipeline/stages/call.ts';
import type { UpstreamTrace } from '../../telemetry/request-span.ts';
import { CallSignal } from './call-signal.ts';
import { clientAddress } from './client-address.ts';
import type { RequestContext } from './request-context.ts';
import type { RequestTarget } from './request-head.ts';

/** Collects the parts of an HTTP request that the pipeline uses. */
export function requestFacts(
  req: Request,
  { head }: RequestContext,
  {
    target,
    rawId,
    trustsProxies,
  }: { target: RequestTarget; rawId?: string | undefined; trustsProxies: boolean },
): RequestFacts {
  return {
    authorization: head.authorization,
    apiKey: head.apiKey,
    address: clientAddress(req, trustsProxies),
    rawQuery: target.query,
    rawId,
  };
}

type CallSpec = {
  readonly operation: string;
  readonly permission: string | null;
  /** The error in place of `upstream_timeout` if Portico was still waiting for the client; `undefined`: it was not. */
  readonly lateClient?: () => GatewayError | undefined;
};

/** The call of a request, with its deadline. When the deadline is over, the request is answered with its error. */
export class OpenCall extends CallSignal implements Call {
  readonly operation: string;
  readonly permission: string | null;
  readonly request: RequestFacts;
  readonly requestId: string;
  readonly summary: Call['summary'];
  readonly answerHeaders: string[];
  readonly #context: RequestContext;
  principal: Call['principal'] = undefined;
  query: Call['query'] = undefined;
  queryKey: Call['queryKey'] = undefined;

  constructor(context: RequestContext, request: RequestFacts, spec: CallSpec) {
    super(context.fail, spec.lateClient);
    this.operation = spec.operation;
    this.permission = spec.permission;
    this.request = request;
    this.requestId = context.requestId;
    this.summary = context.summary;
    this.answerHeaders = context.answerHeaders;
    this.#context = context;
    context.call = this;
  }

  openTrace(): UpstreamTrace {
    return this.#context.traces.open(this.#context);
  }

  headerLines(name: string): readonly string[] {
    const { rawHeaders } = this.#context.req;
    const wanted = name.toLowerCase();
    return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === wanted);
  }
}
