// Answers the requests that the application of a host hands on, such as Express.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { fault } from '../kernel/errors/fault.ts';
import { resultWithin } from '../kernel/result-within.ts';
import { createReadMount } from './listener/mount.ts';
import type { createOpenContext } from './listener/open-context.ts';
import type { RequestContext } from './listener/request-context.ts';
import type { RequestTarget } from './listener/request-head.ts';
import { createReferenceCount } from './operation-endpoint.ts';
import type { Routing } from './routing.ts';

type HostHandlerDeps = {
  /** The application whose settings say how the address of a caller is found. */
  readonly app: Express;
  readonly openContext: ReturnType<typeof createOpenContext>;
  readonly routing: () => Routing;
  /** Answers a request, or throws. */
  readonly answer: (context: RequestContext, target: RequestTarget | undefined, routing: Routing) => void;
};

/** How long the running requests of a host may take to end when the gateway closes. */
const LEAVE_MS_MAX = 6_000;

/** Creates the handler for a host. Express is not asked, because it would change the prototypes of the host's objects. */
export function createHostHandler({ app, openContext, routing: inForce, answer }: HostHandlerDeps) {
  const readMount = createReadMount(app);
  const running = createReferenceCount();
  let isEnding = false;
  return {
    /** Answers a request if it is for the gateway, else calls `next`. Without `next`, it answers every request. */
    handler: (req: IncomingMessage, res: ServerResponse, next?: () => void): void => {
      const routing = inForce();
      const { mount, asked } = readMount(req);
      if (next !== undefined && (asked === undefined || !routing.owns(asked.path))) {
        next();
        return;
      }
      running.enter();
      res.once('close', running.leave);
      const context = openContext(req, res, routing, mount);
      try {
        if (isEnding) throw fault('overloaded', { detail: 'the gateway is closed', retryAfterSeconds: 1 });
        if (routing.shedder.admits(context)) answer(context, asked, routing);
      } catch (thrown) {
        context.fail(thrown);
      }
    },
    /** Answers no new request of a host. Resolves once the running ones are answered, or after a bounded time. */
    leaveHost: (): Promise<unknown> => {
      isEnding = true;
      return resultWithin(LEAVE_MS_MAX, running.untilUnused());
    },
  };
}
