// The context of one request: everything that its log line, its metrics and its response need.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import type { CallSummary } from '../../pipeline/stages/call.ts';
import type { RequestSpan } from '../../telemetry/request-span.ts';
import type { RequestHead } from './request-head.ts';

/** What Express finds out about a caller. */
export type Caller = Pick<Request, 'ip' | 'protocol' | 'host'>;

/** A request to the application of a host: `path` is that below which the gateway is mounted, such as `/api`, or empty. */
export type Mount = { readonly path: string; readonly target: string; readonly caller: Caller };

/** One request and its response, from the head of the request to the log line. */
export type RequestContext = {
  readonly req: IncomingMessage;
  /** The response. `res.err` is the error that was sent. */
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly head: RequestHead;
  /** The request target as received; in a host, without the path below which the gateway is mounted. */
  readonly target: string;
  /** Where the application of a host has mounted the gateway; absent: the request came to the gateway's own listener. */
  readonly mount: Mount | undefined;
  /** The caller by `listen.trustProxy`. Its properties are read only if it is needed, because Node then parses all headers. */
  readonly caller: Caller;
  readonly summary: CallSummary;
  /** Headers that are added to every response to this request, as names and values in turn. */
  readonly answerHeaders: string[];
  /** When the request came, in milliseconds of the monotonic clock. */
  readonly startedAt: number;
  /** The endpoint's name, or `none` as long as it has none. */
  operation: string;
  /** The path of the endpoint's route, such as `/v1/users/{id}`. */
  route: string | undefined;
  readonly traces: { open(context: RequestContext): RequestSpan };
  /** The span of the request. `none`: it is not recorded, and no upstream was called. `undefined`: not decided yet. */
  requestTrace: RequestSpan | 'none' | undefined;
  /** Whether the client waits for the status 100 before it sends the request body (RFC 9110, section 10.1.1). */
  awaitsContinue: boolean;
  /** The body of the answer to the call, before it is encoded. */
  body: Buffer | undefined;
  /** Whether the load shedder counts the request as one in flight. */
  isCounted: boolean;
  /** The call that makes the response, if there is one. */
  call: { abort(reason: Error): void } | undefined;
  /** Answers with an error, unless the head of a response was sent already. */
  readonly fail: (thrown: unknown) => void;
};

const CONTEXT = Symbol('request context');

type ContextCarrier = { [CONTEXT]?: RequestContext | undefined };

/** Makes a context available by its response (`contextOf`) and by its socket (`latestContext`). */
export function attachContext(context: RequestContext): void {
  (context.res as ContextCarrier)[CONTEXT] = context;
  (context.req.socket as ContextCarrier)[CONTEXT] = context;
}

/** Removes a finished context from its socket, unless a part of the request body is still to come. */
export function detachContext(context: RequestContext): void {
  const socket = context.req.socket as ContextCarrier;
  if (socket[CONTEXT] === context && context.req.complete) socket[CONTEXT] = undefined;
}

/** The context of a response. @throws Error if the response has none */
export function contextOf(res: ServerResponse): RequestContext {
  const context = (res as ContextCarrier)[CONTEXT];
  if (context === undefined) throw new Error('this response has no request context');
  return context;
}

/** The latest context of a connection whose request or response is not complete; `undefined` if there is none. */
export function latestContext(socket: Duplex): RequestContext | undefined {
  return (socket as ContextCarrier)[CONTEXT];
}

const CHUNK = 16;
let pool = Buffer.alloc(0);
let used = 0;

/** Makes a random request id: `req_` and 22 characters of base64url (128 bits). */
export function newRequestId(): string {
  // One call of the random source gives bytes for many requests.
  if (used + CHUNK > pool.length) {
    pool = randomBytes(CHUNK * 256);
    used = 0;
  }
  used += CHUNK;
  return `req_${pool.toString('base64url', used - CHUNK, used)}`;
}
