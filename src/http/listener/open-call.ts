// Makes a `Call` of an HTTP request: the parts of the request that the stages use, with the address of the caller, and the
// deadline and the signal that abort its handling.

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { fault, type GatewayError } from '../../kernel/errors/fault.ts';
import type { Call, RequestParts } from '../../pipeline/stages/call.ts';
import type { UpstreamTrace } from '../../telemetry/request-span.ts';
import type { RequestContext } from './request-context.ts';
import type { RequestTarget } from './request-head.ts';

/** The longest delay of a Node timer. A longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The deadline of one call, and the abort signal that stops its handler. When the deadline is over, the signal aborts with
 * `upstream_timeout`, and `onTimeout` gets the same error, so that the response does not wait for the handler.
 *
 * It is a class, because V8 makes a new hidden class for every object literal with a getter. Thousands of them a second
 * would outlive their requests and cost more than the requests.
 *
 * @internal
 */
export class CallSignal {
  readonly #onTimeout: (error: GatewayError) => void;
  readonly #lateClient: (() => GatewayError | undefined) | undefined;
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `lateClient` returns the error if Portico was still waiting for the client; `undefined`: for the upstream. */
  constructor(onTimeout: (error: GatewayError) => void, lateClient?: () => GatewayError | undefined) {
    this.#onTimeout = onTimeout;
    this.#lateClient = lateClient;
  }

  /** The abort signal. It is created on first use, because a call that is answered from memory never needs it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal; only the first reason counts. */
  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    clearTimeout(this.#timer);
    this.#controller?.abort(reason);
  }

  /** Starts the deadline, for a handler that did not answer at once. */
  startDeadline(deadlineMs: number): void {
    if (this.#reason !== undefined) return;
    this.#timer = setTimeout(() => this.#expire(deadlineMs), Math.min(deadlineMs, TIMER_MS_MAX));
  }

  /** Stops the deadline. To be called when the handler has answered or failed. */
  settle(): void {
    clearTimeout(this.#timer);
  }

  #expire(deadlineMs: number): void {
    const detail = `deadline of ${deadlineMs} ms spent`;
    const error = this.#lateClient?.() ?? fault('upstream_timeout', { detail });
    this.abort(error);
    this.#onTimeout(error);
  }
}

/** The abort reason if the client left before its response was complete (status 499 in nginx). */
export function clientClosedRequest(): Error {
  const error = new Error('the client has gone');
  error.name = 'ClientGone';
  return error;
}

/** Writes an IPv4 address in IPv6 form as IPv4, so that one client has only one address. */
function normaliseIp(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** An address with a port, as some proxies (Azure's) forward it: `192.0.2.1:1234`, `[2001:db8::1]:1234`. */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}|\[([\da-f:.]{2,45})\](?::\d{1,5})?)$/i;

function withoutPort(text: string): string {
  const [, dotted, bracketed] = WITH_PORT.exec(text) ?? [];
  return dotted ?? bracketed ?? text;
}

/**
 * The caller's address according to `listen.trustProxy`. If a trusted proxy forwarded something that is no address, it is
 * the proxy's own address. Empty if the connection has closed already.
 */
function clientAddress({ caller, req }: RequestContext, trustsProxies: boolean): string {
  const forwarded = trustsProxies ? withoutPort(caller.ip ?? '') : '';
  return normaliseIp(isIP(forwarded) !== 0 ? forwarded : (req.socket.remoteAddress ?? ''));
}

/** Collects the parts of an HTTP request that the pipeline uses. */
export function requestParts(
  context: RequestContext,
  {
    target,
    rawId,
    trustsProxies,
  }: { target: RequestTarget; rawId?: string | undefined; trustsProxies: boolean },
): RequestParts {
  return {
    authorization: context.head.authorization,
    apiKey: context.head.apiKey,
    address: clientAddress(context, trustsProxies),
    rawQuery: target.query,
    rawId,
  };
}

type CallSpec = {
  readonly operation: string;
  readonly permission: string | null;
  /** The error in place of `upstream_timeout` if Portico was still waiting for the client; `undefined`: it was not. */
  readonly lateClient?: () => GatewayError | undefined;
};

/** The call of a request, with its deadline. When the deadline is over, the request is answered with its error. */
export class OpenCall extends CallSignal implements Call {
  readonly operation: string;
  readonly permission: string | null;
  readonly request: RequestParts;
  readonly requestId: string;
  readonly summary: Call['summary'];
  readonly answerHeaders: string[];
  readonly #context: RequestContext;
  principal: Call['principal'] = undefined;
  query: Call['query'] = undefined;
  queryKey: Call['queryKey'] = undefined;

  constructor(context: RequestContext, request: RequestParts, spec: CallSpec) {
    super(context.fail, spec.lateClient);
    this.operation = spec.operation;
    this.permission = spec.permission;
    this.request = request;
    this.requestId = context.requestId;
    this.summary = context.summary;
    this.answerHeaders = context.answerHeaders;
    this.#context = context;
    context.call = this;
  }

  openTrace(): UpstreamTrace {
    return this.#context.traces.open(this.#context);
  }

  get incoming(): IncomingMessage {
    return this.#context.req;
  }

  headerLines(name: string): readonly string[] {
    const { rawHeaders } = this.#context.req;
    const wanted = name.toLowerCase();
    return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === wanted);
  }
}
