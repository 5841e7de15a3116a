import type { ServedOperation } from '../pipeline/create-operations.ts';
import type { Reply } from '../policy/call.ts';
import { OpenCall, requestFacts } from './open-call.ts';
import type { Responder } from './responder.ts';
import { type Endpoint, READ_METHODS } from './routes.ts';

/** Makes the endpoint of an operation: opens the call, runs its handler and sends the result. */
export function operationEndpoint(
  served: ServedOperation,
  { responder, trustsProxies }: { responder: Responder; trustsProxies: boolean },
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
      const answer = (reply: Reply) => {
        call.settle();
        responder.sendReply(context, reply);
      };
      const refuse = (thrown: unknown) => {
        call.settle();
        context.fail(thrown);
      };
      try {
        const reply = handler(call);
        if (reply instanceof Promise) reply.then(answer, refuse);
        else answer(reply);
      } catch (thrown) {
        refuse(thrown);
      }
    },
  };
}
