import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../kernel/clock.ts';
import { newRequestId } from './request-id.ts';
import type { Trace } from '../../policy/call.ts';
import type { Responder } from '../responder.ts';
import { clientClosedRequest } from './call-signal.ts';
import { attachContext, type RequestContext, detachContext } from './request-context.ts';
import { readHead } from './request-head.ts';

/** Told of every context that is over: `status` is 499 where the client left before its answer. */
export type OnFinish = (operation: string, status: number, trace: Trace, seconds: number) => void;

/** An answer that goes wrong on its way ends like one whose client has left: with `close`. */
const ignore = () => undefined;

/**
 * How many requests of a connection may wait behind its answers that were not read yet, and how many of all connections.
 * Node makes requests of all it has read, 64 KiB at a time, and each takes some KiB until its answer is out.
 */
const PIPELINED_MAX = 128;
const WAITING_MAX = 10_000;
const PIPELINED = Symbol('pipelined');

type Pipeline = Socket & { [PIPELINED]?: number };

/** Makes the count of responses that wait behind others on their connections: false where there are too many. */
function createPipelines(): (socket: Pipeline, res: ServerResponse) => boolean {
  let waiting = 0;
  return function mayWait(socket, res) {
    const count = (socket[PIPELINED] ?? 0) + 1;
    socket[PIPELINED] = count;
    waiting += 1;
    res.once('close', () => {
      socket[PIPELINED] = (socket[PIPELINED] ?? 1) - 1;
      waiting -= 1;
    });
    return count <= PIPELINED_MAX && waiting <= WAITING_MAX;
  };
}

/**
 * Makes the function that opens the context of a request and sees to its end: the log line, the metrics, and the
 * work that nobody waits for any more.
 */
export function createOpenContext(deps: {
  responder: Responder;
  logRequest: (context: RequestContext) => void;
  clock: Clock;
  /** Told of every context that begins. */
  onOpen: () => void;
  /** Told of every context that is over, before the log is. */
  onClose: (context: RequestContext) => void;
  onFinish: OnFinish;
}): (req: IncomingMessage, res: ServerResponse) => RequestContext {
  const { responder, logRequest, clock, onOpen, onClose, onFinish } = deps;
  const mayWait = createPipelines();

  function finish(context: RequestContext) {
    const { res, operation, trace, startedAt } = context;
    const answered = res.writableFinished;
    if (!answered) context.work?.abort(clientClosedRequest());
    detachContext(context);
    onClose(context);
    logRequest(context);
    onFinish(operation, answered ? res.statusCode : 499, trace, (clock.monotonic() - startedAt) / 1_000);
  }

  return function open(req, res) {
    const context: RequestContext = {
      req,
      res,
      requestId: newRequestId(),
      head: readHead(req.rawHeaders),
      target: req.url ?? '',
      trace: { cache: 'none', upstreamCalls: 0, upstreamMs: 0, principalId: undefined },
      answerHeaders: [],
      startedAt: clock.monotonic(),
      operation: 'none',
      counted: undefined,
      error: undefined,
      work: undefined,
      fail: (thrown) => responder.sendError(context, thrown),
    };
    attachContext(context);
    onOpen();
    res.on('error', ignore);
    res.once('close', () => finish(context));
    // Behind another answer on a pipelined connection, a response has no socket yet whose end it could notice.
    if (res.socket === null) {
      req.once('close', () => req.socket.destroyed && !res.closed && res.emit('close'));
      if (!mayWait(req.socket, res)) req.socket.destroy();
    }
    return context;
  };
}
