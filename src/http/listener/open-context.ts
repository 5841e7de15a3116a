// Opens the context of each request, and closes it with the response: log line, metrics, span, load shedder.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Request } from 'express';
import { GatewayError } from '../../kernel/errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Responder } from './responder.ts';
import type { createAccessLog } from './access-log.ts';
import { clientClosedRequest } from './open-call.ts';
import {
  attachContext,
  detachContext,
  type Mount,
  newRequestId,
  type RequestContext,
} from './request-context.ts';
import { readHead } from './request-head.ts';
import type { RequestTraces } from './open-traces.ts';

/** Metrics of requests. */
export type RequestMetrics = {
  /** Counts a finished request. `status` is 499 if the client left before its response was complete. */
  request(operation: string, status: number, cache: string, seconds: number): void;
  inFlight(change: 1 | -1): void;
};

/** The precise status of a response. The client may have got 500 instead (`errors.serverStatus`). */
function statusOf({ err, statusCode }: RequestContext['res']): number {
  return err instanceof GatewayError ? err.status : statusCode;
}

/** The parts of a configuration that a request uses from its beginning to its end, even if a reload comes meanwhile. */
type Answering = {
  readonly responder: Responder;
  readonly shedder: { leave(context: RequestContext): void };
};

/** The error is ignored, because a response that fails while it is sent also emits `close`, as if its client had left. */
const ignoreError = () => undefined;

/**
 * Limits for pipelining (RFC 9112, section 9.3.2): how many responses of one connection, and of all connections, may wait
 * because the client has not read earlier responses. They are needed because Node parses all that it reads, 64 KiB at a
 * time, and each request takes some KiB of memory until its response is sent.
 */
const PIPELINED_MAX = 128;
const PIPELINED_MAX_OF_ALL = 10_000;
const PIPELINED = Symbol('pipelined responses');

type PipeliningSocket = Socket & { [PIPELINED]?: Set<ServerResponse> };

/**
 * The responses of a connection that wait for earlier ones. They have no socket yet, so they would not notice the end of the
 * connection; therefore this emits `close` for them.
 */
function pipelinedOn(socket: PipeliningSocket): Set<ServerResponse> {
  const known = socket[PIPELINED];
  if (known !== undefined) return known;
  const waiting = new Set<ServerResponse>();
  socket[PIPELINED] = waiting;
  socket.once('close', () => {
    for (const res of waiting) if (!res.closed) res.emit('close');
  });
  return waiting;
}

/** Creates the counter of waiting responses. It returns false if a response is one too many. */
function createPipeliningLimit(): (socket: Socket, res: ServerResponse) => boolean {
  let total = 0;
  return function mayWait(socket, res) {
    const waiting = pipelinedOn(socket);
    waiting.add(res);
    total += 1;
    res.once('close', () => {
      waiting.delete(res);
      total -= 1;
    });
    return waiting.size <= PIPELINED_MAX && total <= PIPELINED_MAX_OF_ALL;
  };
}

/**
 * Makes the function that opens the context of a request. When the response closes, the request is written to the access
 * log and the metrics, and leaves the load shedder. If the client has gone before, its call is aborted.
 */
export function createOpenContext(deps: {
  readonly traces: RequestTraces;
  readonly accessLog: ReturnType<typeof createAccessLog>;
  readonly clock: Clock;
  readonly metrics: RequestMetrics;
}): (req: IncomingMessage, res: ServerResponse, answering: Answering, mount?: Mount) => RequestContext {
  const { traces, accessLog, clock, metrics } = deps;
  const mayWait = createPipeliningLimit();

  function finish(context: RequestContext, { shedder }: Answering) {
    const { res, operation, summary, startedAt } = context;
    const isAnswered = res.writableFinished;
    const status = isAnswered ? statusOf(res) : 499;
    accessLog.write(context, status);
    if (!isAnswered) context.call?.abort(clientClosedRequest());
    detachContext(context);
    shedder.leave(context);
    metrics.inFlight(-1);
    const seconds = (clock.monotonic() - startedAt) / 1_000;
    metrics.request(operation, status, summary.cache, seconds);
    traces.end(context, isAnswered ? res.statusCode : status, seconds);
  }

  return function openContext(req, res, answering, mount) {
    const { responder } = answering;
    const head = readHead(req.rawHeaders);
    const context: RequestContext = {
      req,
      res,
      requestId: newRequestId(),
      head,
      target: mount?.target ?? req.url ?? '',
      mount,
      caller: mount?.caller ?? (req as Request),
      summary: {
        cache: 'none',
        upstreamCalls: 0,
        upstreamMs: 0,
        principalId: undefined,
        principalLabel: undefined,
        limitTier: undefined,
        limitWindows: undefined,
        plan: undefined,
        principal: undefined,
        query: undefined,
        spans: undefined,
        timings: undefined,
      },
      answerHeaders: [],
      startedAt: clock.monotonic(),
      operation: 'none',
      route: undefined,
      traces,
      requestTrace: undefined,
      // HTTP/1.0 does not have the status 100. The server of a host has sent it already.
      awaitsContinue: head.expect.length > 0 && req.httpVersionMinor > 0 && mount === undefined,
      body: undefined,
      isCounted: false,
      call: undefined,
      fail: (thrown) => responder.sendError(context, thrown),
    };
    attachContext(context);
    // A request of a host keeps the logger that the host has given it.
    if (mount === undefined) accessLog.open(req, res);
    metrics.inFlight(1);
    res.on('error', ignoreError);
    res.once('close', () => finish(context, answering));
    if (res.socket === null && !mayWait(req.socket, res)) req.socket.destroy();
    return context;
  };
}
