import type { Request } from 'express';
import type { GatewayError } from '../errors/fault.ts';
import type { Call, Handler, Reply, RequestFacts } from '../policy/call.ts';
import type { Responder, PublicDocument } from './responder.ts';
import { CallSignal } from './listener/call-signal.ts';
import { clientAddress } from './listener/client-address.ts';
import type { Endpoint } from './listener/endpoint.ts';
import type { RequestContext } from './listener/request-context.ts';
import type { RequestTarget } from './listener/request-head.ts';

/** An operation of the v1 contract, as the composition root puts it together. */
export type Operation = {
  readonly operation: string;
  /** A plain path; `/:id` at its end stands for one more segment. */
  readonly path: string;
  /** The permission the caller needs, or `null` where the resource is public. */
  readonly permission: string | null;
  readonly handler: Handler;
};

/** The methods of everything that can only be read. */
export const READ_METHODS: readonly string[] = ['GET', 'HEAD'];

/** The endpoint of an operation: makes the call, runs its handler and answers with what comes of it. */
export function operationEndpoint(deps: {
  operation: Operation;
  responder: Responder;
  trustsProxies: boolean;
}): Endpoint {
  const { operation, responder, trustsProxies } = deps;
  return {
    operation: operation.operation,
    methods: READ_METHODS,
    serve(req, context, target, rawId) {
      const request = factsOf(req, context, { target, rawId, trustsProxies });
      const { call, signal } = openCall(context, request, operation);
      const answer = (reply: Reply) => {
        signal.settle();
        responder.sendReply(context, reply);
      };
      const refuse = (thrown: unknown) => {
        signal.settle();
        context.fail(thrown);
      };
      try {
        const reply = operation.handler(call);
        if (reply instanceof Promise) reply.then(answer, refuse);
        else answer(reply);
      } catch (thrown) {
        refuse(thrown);
      }
    },
  };
}

/** The endpoint of a public document. */
export function documentEndpoint(name: string, document: PublicDocument, responder: Responder): Endpoint {
  return {
    operation: name,
    methods: READ_METHODS,
    serve: (_req, context) => responder.sendDocument(context, document),
  };
}

/** What the pipeline may know of a request. */
export function factsOf(
  req: Request,
  { head }: RequestContext,
  {
    target,
    rawId,
    trustsProxies,
  }: { target: RequestTarget; rawId: string | undefined; trustsProxies: boolean },
): RequestFacts {
  return {
    authorization: head.authorization,
    apiKey: head.apiKey,
    address: clientAddress(req, trustsProxies),
    rawQuery: target.query,
    rawId,
  };
}

/** A call whose signal is made when it is first asked for; a class for the reason that `CallSignal` is one. */
class OpenCall implements Call {
  readonly operation: string;
  readonly permission: string | null;
  readonly request: RequestFacts;
  readonly requestId: string;
  readonly trace: Call['trace'];
  readonly answerHeaders: string[];
  principal: Call['principal'] = undefined;
  query: Call['query'] = undefined;
  readonly #signal: CallSignal;

  constructor(
    { requestId, trace, answerHeaders }: RequestContext,
    request: RequestFacts,
    signal: CallSignal,
    { operation, permission }: { operation: string; permission: string | null },
  ) {
    this.operation = operation;
    this.permission = permission;
    this.request = request;
    this.requestId = requestId;
    this.trace = trace;
    this.answerHeaders = answerHeaders;
    this.#signal = signal;
  }

  get signal(): AbortSignal {
    return this.#signal.signal;
  }

  startDeadline(deadlineMs: number): void {
    this.#signal.start(deadlineMs);
  }
}

/** What a call is. */
type CallSpec = {
  readonly operation: string;
  readonly permission: string | null;
  /** What a spent deadline is called where it is not the upstream that is late. */
  readonly lateness?: () => GatewayError | undefined;
};

/** Makes the call of an context; its deadline, once started and spent, answers the context. */
export function openCall(
  context: RequestContext,
  request: RequestFacts,
  { operation, permission, lateness }: CallSpec,
): { call: Call; signal: CallSignal } {
  const signal = new CallSignal(context.fail, lateness);
  context.work = signal;
  const call = new OpenCall(context, request, signal, { operation, permission });
  return { call, signal };
}
