import type { ClientRequest, IncomingMessage } from 'node:http';
import { fault } from '../../kernel/errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { TraceHeaders } from '../../telemetry/request-span.ts';
import { networkFault } from '../../source/client/transport/network-fault.ts';
import type { Destination, ProxyRequest } from './proxy-request.ts';
import { relayResponse, resetConnection } from './relay.ts';

/** The upstream's response: none yet, one that has come, or one whose head the caller has got. */
type ResponseState =
  | { readonly kind: 'awaited' }
  | { readonly kind: 'received' | 'relayed'; readonly response: IncomingMessage };

type ProxyCallDeps = {
  readonly clock: Clock;
  /** Continues the trace of the request. */
  readonly trace: TraceHeaders | undefined;
  /** Sends the request of a call; what happens then comes back through `onSocket`, `onResponse` and `onFailure`. */
  readonly forward: (call: ProxyCall) => void;
};

/** Messages carry their call themselves: a weak map would keep each until a full garbage collection. */
const PROXY_CALL = Symbol('proxy call');
type Carrier = (IncomingMessage | ClientRequest) & { [PROXY_CALL]?: ProxyCall };

/** The call that a request belongs to. @throws Error for a request that no call has sent */
export function proxyCallOf(carrier: IncomingMessage | ClientRequest): ProxyCall {
  const call = (carrier as Carrier)[PROXY_CALL];
  if (call === undefined) throw new Error('this request was not sent by the proxy');
  return call;
}

/** One request to one destination, until nothing of it is in flight any more. */
export class ProxyCall {
  readonly request: ProxyRequest;
  readonly destination: Destination;
  /** The status of the response, once it was relayed as a whole; rejects as `SendProxyRequest` says. */
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
    const { req, headers, signal } = request;
    // httpxy sends the headers that it finds here.
    req.headers = headers;
    Object.assign(headers, deps.trace);
    headers['host'] = destination.url.host;
    (req as Carrier)[PROXY_CALL] = this;
    signal.addEventListener('abort', () => this.#abort(), { once: true });
  }

  send(): void {
    sendContinue(this.request);
    this.#attempts += 1;
    this.#sentAt = this.#deps.clock.monotonic();
    this.#deps.forward(this);
  }

  /** The upstream request has a connection. */
  onSocket(upstreamRequest: ClientRequest): void {
    const { context, progress, signal } = this.request;
    progress.call = upstreamRequest;
    context.summary.upstreamCalls += 1;
    // Listeners with a closure over the call would keep each request until a full garbage collection.
    (upstreamRequest as Carrier)[PROXY_CALL] = this;
    upstreamRequest.once('close', onClose);
    // Nobody asked for another protocol; without a listener, Node would drop the connection and report no error.
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
    // A caller that has its answer reads what it has written.
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
      // Answered now, because httpxy closes the client's connection when a response ends too early.
      context.fail(thrown);
      response.destroy();
    }
  }

  /** Sends a request that was never received once more; half a response ends with a reset that nobody can overlook. */
  onFailure(cause: unknown): void {
    const { isRepeatable, progress, signal } = this.request;
    const { call } = progress;
    const isAwaited = this.#state.kind === 'awaited';
    // The upstream closed an idle connection just when it was used again: a usual race that says nothing about health.
    const isStaleKeepAlive = isAwaited && this.#attempts === 1 && call?.reusedSocket === true;
    const hasBegun = !isAwaited || (call?.reusedSocket === false && (call.socket?.bytesRead ?? 0) > 0);
    if (isStaleKeepAlive && isRepeatable && !signal.aborted) {
      progress.call = undefined;
      // It has closed the others, too.
      this.destination.closeIdle();
      this.send();
    } else if (hasBegun) this.#failHalfway();
    else this.#settle.reject(networkFault(cause));
  }

  /** Nothing of the upstream request is in flight any more, and its connection is about to be free. */
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

  /** Ends the upstream request, and a response that is being relayed. */
  #abort(): void {
    const { req, context, signal, progress } = this.request;
    this.#settle.reject(signal.reason);
    progress.call?.destroy();
    // Nobody reads the rest of the request body; unread, it would block the connection for ever.
    req.unpipe();
    req.resume();
    if (this.#state.kind === 'relayed') resetConnection(context.res);
  }
}

/** Asks the client for the body, now that nothing refuses the request and the upstream is about to take it. */
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
