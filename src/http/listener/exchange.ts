import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayError } from '../../errors/fault.ts';
import type { Trace } from '../../policy/call.ts';
import type { RequestHead } from './request-head.ts';

/** One request and its answer, from the first byte to the log line. */
export type Exchange = {
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
  counted: Counted | undefined;
  /** What the answer told of, for the log line. */
  error: GatewayError | undefined;
  /** The work done for the answer, where there is any. */
  work: { abort(reason: Error): void } | undefined;
  /** Answers with an error, unless an answer is under way already. */
  readonly fail: (thrown: unknown) => void;
};

/** What counts the exchanges that are under way. */
export type Counted = { leave(exchange: Exchange): void };

const EXCHANGE = Symbol('exchange');

type Carrier = { [EXCHANGE]?: Exchange | undefined };

/** Makes an exchange findable from its response, and from its socket as the latest one there. */
export function attach(exchange: Exchange): void {
  (exchange.res as Carrier)[EXCHANGE] = exchange;
  (exchange.req.socket as Carrier)[EXCHANGE] = exchange;
}

/** Lets go of an exchange that has ended, unless the rest of its request body is still to come. */
export function release(exchange: Exchange): void {
  const socket = exchange.req.socket as Carrier;
  if (socket[EXCHANGE] === exchange && exchange.req.complete) socket[EXCHANGE] = undefined;
}

/** The exchange of a response. It throws for a response that none was attached to. */
export function exchangeOf(res: ServerResponse): Exchange {
  const exchange = (res as Carrier)[EXCHANGE];
  if (exchange === undefined) throw new Error('no exchange is attached to this response');
  return exchange;
}

/** The latest exchange of a connection that is not over yet, its request body included. */
export function latestExchange(socket: Duplex): Exchange | undefined {
  return (socket as Carrier)[EXCHANGE];
}
