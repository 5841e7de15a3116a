// Answers the requests of an operation, such as `users.list`, and counts those that still run in a configuration.

import type { ServedOperation, CallAnswer } from '../pipeline/stages/call.ts';
import { OpenCall, requestParts } from './listener/open-call.ts';
import type { Responder } from './listener/responder.ts';
import { type Endpoint, READ_METHODS } from './listener/routes.ts';

/** Counts the running requests of a configuration, which is to be closed after its last one. */
export type ReferenceCount = ReturnType<typeof createReferenceCount>;

/** Creates a count of zero. */
export function createReferenceCount() {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    enter: (): void => {
      count += 1;
    },
    leave: (): void => {
      count -= 1;
      if (count > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    /** Resolves as soon as the count is zero, which may be at once. */
    untilUnused(): Promise<void> {
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

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
    serve(_req, context, target, rawId) {
      const call = new OpenCall(context, requestParts(context, { target, rawId, trustsProxies }), served);
      const answer = (reply: CallAnswer) => {
        call.settle();
        context.body = reply.body;
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
