import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayError } from '../../errors/fault.ts';
import type { Trace } from '../../policy/call.ts';
import type { RequestHead } from './request-head.ts';

/** One request and its answer, from the first byte to the log line. */
export type RequestContext = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly head: RequestHead;
  /** The request target as received. */
  readonly target: string;
  readonly trace: Trace;
  /** Headers of the answer whatever becomes of it: names and values in turn. */
  readonly answerHeaders: string[];
  /** On the monotonic clock, milliseconds. */
  readonly startedAt: number;
  /** The endpoint's name, or `none`. */
  operation: string;
  /** Where it counts to those under way of its operation, until it leaves. */
  counted: InFlightSlot | undefined;
  /** What the answer told of, for the log line. */
  error: GatewayError | undefined;
  /** The work done for the answer, where there is any. */
  work: { abort(reason: Error): void } | undefined;
  /** Answers with an error, unless an answer is under way already. */
  readonly fail: (thrown: unknown) => void;
};

/** What counts the exchanges that are under way. */
export type InFlightSlot = { leave(context: RequestContext): void };

const EXCHANGE = Symbol('context');

type Carrier = { [EXCHANGE]?: RequestContext | undefined };

/** Makes an context findable from its response, and from its socket as the latest one there. */
export function attachContext(context: RequestContext): void {
  (context.res as Carrier)[EXCHANGE] = context;
  (context.req.socket as Carrier)[EXCHANGE] = context;
}

/** Lets go of an context that has ended, unless the rest of its request body is still to come. */
export function detachContext(context: RequestContext): void {
  const socket = context.req.socket as Carrier;
  if (socket[EXCHANGE] === context && context.req.complete) socket[EXCHANGE] = undefined;
}

/** The context of a response. It throws for a response that none was attached to. */
export function contextOf(res: ServerResponse): RequestContext {
  const context = (res as Carrier)[EXCHANGE];
  if (context === undefined) throw new Error('no context is attached to this response');
  return context;
}

/** The latest context of a connection that is not over yet, its request body included. */
export function latestContext(socket: Duplex): RequestContext | undefined {
  return (socket as Carrier)[EXCHANGE];
}
