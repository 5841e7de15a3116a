// One passed-through request: sends it, relays the response, and handles connections that break.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { fault } from '../../kernel/errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { TraceHeaders } from '../../telemetry/request-span.ts';
import { networkFault } from '../../source/client/transport/network-fault.ts';
import type { HeaderLines } from './headers.ts';
import type { Destination, ProxyRequest } from './proxy-request.ts';
import { relayResponse, resetConnection } from './relay.ts';

/** The state of the upstream's response: not there yet, its head has come, or its head was sent to the caller. */
type ResponseState =
  | { readonly kind: 'awaited' }
  | { readonly kind: 'received' | 'relayed'; readonly response: IncomingMessage };

type ProxyCallDeps = {
  readonly clock: Clock;
  /** The headers that continue the trace of the request. */
  readonly trace: TraceHeaders | undefined;
  /** Sends the request of a call. Then `onSocket`, `onResponse` and `onFailure` of the call are called. */
  readonly forward: (call: ProxyCall) => void;
};

/** The key of the call on its messages. A weak map would keep each message until a full garbage collection. */
const PROXY_CALL = Symbol('proxy call');
type Carrier = (IncomingMessage | ClientRequest) & { [PROXY_CALL]?: ProxyCall };

/** Marks a message as one of a call. */
export function carry<T extends IncomingMessage | ClientRequest>(carrier: T, call: ProxyCall): T {
  (carrier as Carrier)[PROXY_CALL] = call;
  return carrier;
}

/** The call that a request belongs to. @throws Error if the request was not sent by a call */
export function proxyCallOf(carrier: IncomingMessage | ClientRequest): ProxyCall {
  const call = (carrier as Carrier)[PROXY_CALL];
  if (call === undefined) throw new Error('this request was not sent by the proxy');
  return call;
}

/** One request to one host, from its start until nothing of it is in flight any more. */
export class ProxyCall {
  readonly request: ProxyRequest;
  readonly destination: Destination;
  /** The headers of the request to the upstream. */
  readonly headers: HeaderLines;
  /** The status of the response. Resolves when all of it was relayed; rejects like `SendProxyRequest`. */
  readonly status: Promise<number>;
  readonly #settle = Promise.withResolvers<number>();
  readonly #deps: ProxyCallDeps;
  #state: ResponseState = { kind: 'awaited' };
  #sentAt = 0;
  #attempts = 0;

  constructor(request: ProxyRequest, destination: Destination, deps: ProxyCallDeps) {
    this.request = request;
    this.destination = destination;
    this.status = this.#settle.promise;
    this.#deps = deps;
    const { headers, signal } = request;
    this.headers = Object.assign(headers, deps.trace, { host: destination.url.host });
    signal.addEventListener('abort', () => this.#abort(), { once: true });
  }

  send(): void {
    sendContinue(this.request);
    this.#attempts += 1;
    this.#sentAt = this.#deps.clock.monotonic();
    this.#deps.forward(this);
  }

  /** To be called when the upstream request has a connection. */
  onSocket(upstreamRequest: ClientRequest): void {
    const { context, progress, signal } = this.request;
    progress.call = upstreamRequest;
    context.summary.upstreamCalls += 1;
    // These listeners have no closure, because closures would keep each request until a full garbage collection.
    carry(upstreamRequest, this);
    upstreamRequest.once('close', onClose);
    // No caller can ask for another protocol. Without a listener, Node would drop the connection without an error.
    upstreamRequest.once('upgrade', onUpgrade);
    if (signal.aborted) upstreamRequest.destroy();
  }

  onResponse(response: IncomingMessage): void {
    const { context, progress, purge } = this.request;
    this.#state = { kind: 'received', response };
    progress.hasResponse = true;
    context.summary.upstreamMs += this.#deps.clock.monotonic() - this.#sentAt;
    response.on('error', (error) => this.onFailure(error));
    const purged = purge?.(response.statusCode ?? 0);
    if (purged === undefined) this.#relay(response);
    // The caller gets the answer only after the purge, so that its next read shows what it has written.
    else void purged.then(() => this.#relay(response));
  }

  #relay(response: IncomingMessage): void {
    const { context, progress, signal } = this.request;
    if (context.res.headersSent || signal.aborted) {
      response.destroy();
      return;
    }
    try {
      relayResponse(this.request, this.destination, progress.call, response);
      this.#state = { kind: 'relayed', response };
    } catch (thrown) {
      this.#settle.reject(thrown);
      // The caller is answered now, because httpxy would close its connection when the response ends too early.
      context.fail(thrown);
      response.destroy();
    }
  }

  /** Sends the request again if the upstream did not get it. If half a response was sent, resets the caller's connection. */
  onFailure(cause: unknown): void {
    const { isRepeatable, progress, signal } = this.request;
    const { call } = progress;
    const isAwaited = this.#state.kind === 'awaited';
    // The upstream closed an idle connection just when it was used again. That is usual and no sign of a failure.
    const isStaleKeepAlive = isAwaited && this.#attempts === 1 && call?.reusedSocket === true;
    const hasBegun = !isAwaited || (call?.reusedSocket === false && (call.socket?.bytesRead ?? 0) > 0);
    if (isStaleKeepAlive && isRepeatable && !signal.aborted) {
      progress.call = undefined;
      // The upstream has probably closed its other idle connections, too.
      this.destination.closeIdle();
      this.send();
    } else if (hasBegun) this.#failHalfway();
    else this.#settle.reject(networkFault(cause));
  }

  /** To be called when nothing of the upstream request is in flight any more, just before its connection is free. */
  onClose(upstreamRequest: ClientRequest): void {
    if (this.request.progress.call !== upstreamRequest) return;
    const state = this.#state;
    if (state.kind !== 'awaited' && state.response.complete)
      this.#settle.resolve(state.response.statusCode ?? 0);
    else this.#failHalfway();
  }

  onUpgrade(): void {
    this.#settle.reject(fault('upstream_error', { detail: 'the upstream switched protocols' }));
  }

  #failHalfway(): void {
    const state = this.#state;
    if (state.kind === 'relayed' && !state.response.complete) resetConnection(this.request.context.res);
    this.#settle.reject(fault('upstream_error', { detail: 'the upstream broke off' }));
  }

  /** Ends the upstream request, and the response if it is being relayed. */
  #abort(): void {
    const { req, context, signal, progress } = this.request;
    this.#settle.reject(signal.reason);
    progress.call?.destroy();
    // The rest of the request body is read and dropped, because unread bytes would block the connection for ever.
    req.unpipe();
    req.resume();
    if (this.#state.kind === 'relayed') resetConnection(context.res);
  }
}

/** Sends the status 100 if the client waits for it, so that it sends the body. No check can refuse the request now. */
function sendContinue({ context }: ProxyRequest): void {
  if (!context.awaitsContinue) return;
  context.awaitsContinue = false;
  context.res.writeContinue();
}

function onClose(this: ClientRequest): void {
  proxyCallOf(this).onClose(this);
}

function onUpgrade(this: ClientRequest, _response: IncomingMessage, socket: { destroy(): unknown }): void {
  socket.destroy();
  proxyCallOf(this).onUpgrade();
}
