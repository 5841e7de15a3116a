import type { ServedOperation } from '../pipeline/stages/call.ts';
import type { CallAnswer } from '../pipeline/stages/call.ts';
import { OpenCall, requestFacts } from './listener/open-call.ts';
import type { ReferenceCount } from '../kernel/reference-count.ts';
import type { Responder } from './listener/responder.ts';
import { type Endpoint, READ_METHODS } from './listener/routes.ts';

/**
 * Makes the endpoint of an operation: it opens the call, runs its handler and sends the result. `uses` counts the running
 * requests of the configuration, so that after a reload the old one is closed when its last request has ended. A request
 * that is answered at once, such as a cache hit, is not counted, because nothing can be closed before it has its answer.
 */
export function operationEndpoint(
  served: ServedOperation,
  { responder, trustsProxies, uses }: { responder: Responder; trustsProxies: boolean; uses: ReferenceCount },
): Endpoint {
  const { operation, handler } = served;
  return {
    operation,
    route: served.path.replace(/:id$/, '{id}'),
    methods: READ_METHODS,
    serve(req, context, target, rawId) {
      const call = new OpenCall(
        context,
        requestFacts(req, context, { target, rawId, trustsProxies }),
        served,
      );
      const answer = (reply: CallAnswer) => {
        call.settle();
        responder.sendAnswer(context, reply);
      };
      const refuse = (thrown: unknown) => {
        call.settle();
        context.fail(thrown);
      };
      try {
        const reply = handler(call);
        if (!(reply instanceof Promise)) answer(reply);
        else {
          uses.enter();
          void reply.then(answer, refuse).then(uses.leave);
        }
      } catch (thrown) {
        refuse(thrown);
      }
    },
  };
}
