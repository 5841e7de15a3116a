import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CallSummary } from '../../pipeline/stages/call.ts';
import type { RequestSpan } from '../../telemetry/request-span.ts';
import type { RequestHead } from './request-head.ts';

/** One request and its response, from the first byte to the log line. */
export type RequestContext = {
  readonly req: IncomingMessage;
  /** `res.err` is the error that was sent. */
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly head: RequestHead;
  /** The request target as received. */
  readonly target: string;
  readonly summary: CallSummary;
  /** Headers that every response to this request carries: names and values in turn. */
  readonly answerHeaders: string[];
  /** On the monotonic clock, milliseconds. */
  readonly startedAt: number;
  /** The endpoint's name, or `none`. */
  operation: string;
  /** The path of the endpoint's route, such as `/v1/users/{id}`. */
  route: string | undefined;
  readonly traces: { open(context: RequestContext): RequestSpan };
  /** `none`: not recorded, and nobody needed it. */
  requestTrace: RequestSpan | 'none' | undefined;
  /** Whether the client waits for a 100 before it sends the request body (RFC 9110, section 10.1.1). */
  awaitsContinue: boolean;
  /** Whether the load shedder counts the request to those in flight of its operation. */
  isCounted: boolean;
  /** The call that computes the response, if there is one. */
  call: { abort(reason: Error): void } | undefined;
  /** Answers with an error, unless the head of a response is sent already. */
  readonly fail: (thrown: unknown) => void;
};

const CONTEXT = Symbol('request context');

type ContextCarrier = { [CONTEXT]?: RequestContext | undefined };

/** Makes a context available from its response, and from its socket as the latest one there. */
export function attachContext(context: RequestContext): void {
  (context.res as ContextCarrier)[CONTEXT] = context;
  (context.req.socket as ContextCarrier)[CONTEXT] = context;
}

/** Takes a finished context off its socket, unless the rest of the request body is still to come. */
export function detachContext(context: RequestContext): void {
  const socket = context.req.socket as ContextCarrier;
  if (socket[CONTEXT] === context && context.req.complete) socket[CONTEXT] = undefined;
}

/** The context of a response. @throws Error for a response without one */
export function contextOf(res: ServerResponse): RequestContext {
  const context = (res as ContextCarrier)[CONTEXT];
  if (context === undefined) throw new Error('this response has no request context');
  return context;
}

/** The latest context of a connection that has not finished, its request body included. */
export function latestContext(socket: Duplex): RequestContext | undefined {
  return (socket as ContextCarrier)[CONTEXT];
}

const CHUNK = 16;
let pool = Buffer.alloc(0);
let used = 0;

/** A fresh request id: `req_` and 22 characters of base64url (128 random bits). */
export function newRequestId(): string {
  // One call into the random source serves many requests.
  if (used + CHUNK > pool.length) {
    pool = randomBytes(CHUNK * 256);
    used = 0;
  }
  used += CHUNK;
  return `req_${pool.toString('base64url', used - CHUNK, used)}`;
}
