import type { ClientRequest, IncomingMessage } from 'node:http';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { fault } from '../../errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import { networkFault } from '../../upstream/transport/network-fault.ts';
import type { Destination, ProxyRequest } from './proxy-request.ts';
import { relayResponse, resetConnection } from './relay.ts';

/** The upstream's response: none yet, one that has come, or one whose head the caller has got. */
type ResponseState =
  | { readonly kind: 'awaited' }
  | { readonly kind: 'received' | 'relayed'; readonly response: IncomingMessage };

/** A request to one destination, until nothing of it is in flight any more. */
type InFlight = {
  readonly request: ProxyRequest;
  readonly destination: Destination;
  /** Settles `SendProxyRequest`, with the status of a response that was relayed as a whole. */
  readonly resolve: (status: number) => void;
  readonly reject: (reason: unknown) => void;
  sentAt: number;
  attempts: number;
  state: ResponseState;
};

/** A request carries its state itself: a weak map would keep each until a full garbage collection. */
const IN_FLIGHT = Symbol('proxied request in flight');
type Carrier = (IncomingMessage | ClientRequest) & { [IN_FLIGHT]?: InFlight };

/**
 * Sends a request to a destination and relays the response. Resolves with its status once it was relayed.
 * @throws GatewayError `upstream_unavailable`, `upstream_error`; if half of a response was sent, the caller's
 * connection is reset
 * @throws unknown the reason of the request's signal
 */
export type SendProxyRequest = (request: ProxyRequest, destination: Destination) => Promise<number>;

/**
 * Makes the function that sends requests through http-proxy-middleware. One middleware serves all routes, because each
 * instance adds a listener to the server. Its default plugins are ejected: they append an error text to responses that
 * broke halfway. The response is relayed here, so that only chosen headers return.
 */
export function createProxy(clock: Clock): SendProxyRequest {
  const eventsPlugin: Plugin = (server) => {
    server.on('proxyReq', (call, req) => onSocket(inFlightOf(req), call));
    server.on('proxyRes', (response, req) => onResponse(inFlightOf(req), response));
    server.on('error', (error, req) => req !== undefined && onFailure(inFlightOf(req), error));
  };
  const proxy = createProxyMiddleware({
    router(req, _res, options) {
      const { request, destination } = inFlightOf(req);
      req.url = request.path;
      // The options are a copy for this request, where httpxy looks for both.
      options.agent = destination.agent;
      if (request.body !== undefined) options.buffer = request.body;
      return destination;
    },
    pathFilter: () => true,
    selfHandleResponse: true,
    ejectPlugins: true,
    plugins: [eventsPlugin],
  });

  function send(inFlight: InFlight) {
    const { req, context } = inFlight.request;
    inFlight.attempts += 1;
    inFlight.sentAt = clock.monotonic();
    // The path was checked before. A path filter parses the URL first, unless it is empty.
    req.url = '';
    void proxy(req, context.res, (thrown) => onFailure(inFlight, thrown));
  }

  /** The call has a connection. */
  function onSocket(inFlight: InFlight, call: ClientRequest) {
    const { context, progress, signal } = inFlight.request;
    progress.call = call;
    context.trace.upstreamCalls += 1;
    (call as Carrier)[IN_FLIGHT] = inFlight;
    call.once('close', onCallClose);
    // Nobody asked for another protocol; without a listener, Node would drop the connection and report no error.
    call.once('upgrade', onUpgrade);
    if (signal.aborted) call.destroy();
  }

  function onResponse(inFlight: InFlight, response: IncomingMessage) {
    const { request, destination } = inFlight;
    const { context, progress, signal } = request;
    inFlight.state = { kind: 'received', response };
    progress.hasResponse = true;
    context.trace.upstreamMs += clock.monotonic() - inFlight.sentAt;
    response.on('error', (error) => onFailure(inFlight, error));
    try {
      if (context.res.headersSent || signal.aborted) {
        response.destroy();
        return;
      }
      relayResponse(request, destination, progress.call, response);
      inFlight.state = { kind: 'relayed', response };
    } catch (thrown) {
      inFlight.reject(thrown);
      // Answered now, because httpxy closes the client's connection when a response ends too early.
      context.fail(thrown);
      response.destroy();
    }
  }

  /** Sends a request that was never received once more; half a response ends with a reset that nobody can overlook. */
  function onFailure(inFlight: InFlight, cause: unknown) {
    const { isRepeatable, progress, signal } = inFlight.request;
    // The upstream closed an idle connection just when it was used again: a usual race that says nothing about health.
    const isStaleKeepAlive =
      inFlight.state.kind === 'awaited' && inFlight.attempts === 1 && progress.call?.reusedSocket === true;
    if (isStaleKeepAlive && isRepeatable && !signal.aborted) {
      progress.call = undefined;
      closeIdleSockets(inFlight.destination);
      send(inFlight);
    } else if (hasBegun(inFlight)) failHalfway(inFlight);
    else inFlight.reject(networkFault(cause));
  }

  return (request, destination) =>
    new Promise((resolve, reject) => {
      const state: ResponseState = { kind: 'awaited' };
      const inFlight: InFlight = { request, destination, resolve, reject, sentAt: 0, attempts: 0, state };
      const { req, headers, signal } = request;
      // httpxy sends the headers that it finds here.
      req.headers = headers;
      headers['host'] = destination.url.host;
      (req as Carrier)[IN_FLIGHT] = inFlight;
      // A closure on the call itself would keep each request until a full garbage collection.
      signal.addEventListener('abort', () => abort(inFlight), { once: true });
      send(inFlight);
    });
}

function inFlightOf(carrier: IncomingMessage | ClientRequest): InFlight {
  const inFlight = (carrier as Carrier)[IN_FLIGHT];
  if (inFlight === undefined) throw new Error('this request was not sent by the proxy');
  return inFlight;
}

/** Nothing of a call is in flight any more, and its connection is about to be free. */
function onCallClose(this: ClientRequest): void {
  const inFlight = inFlightOf(this);
  if (inFlight.request.progress.call !== this) return;
  const { state, resolve } = inFlight;
  if (state.kind !== 'awaited' && state.response.complete) resolve(state.response.statusCode ?? 0);
  else failHalfway(inFlight);
}

/** Whether anything of a response came. */
function hasBegun({ request, state }: InFlight): boolean {
  const { call } = request.progress;
  return state.kind !== 'awaited' || (call?.reusedSocket === false && (call.socket?.bytesRead ?? 0) > 0);
}

function failHalfway({ request, state, reject }: InFlight): void {
  if (state.kind === 'relayed' && !state.response.complete) resetConnection(request.context.res);
  reject(fault('upstream_error', { detail: 'the upstream broke off' }));
}

function onUpgrade(this: ClientRequest, _response: IncomingMessage, socket: { destroy(): unknown }): void {
  socket.destroy();
  inFlightOf(this).reject(fault('upstream_error', { detail: 'the upstream switched protocols' }));
}

/** Ends connections that nobody uses: if the upstream has closed one, it has closed the others, too. */
function closeIdleSockets({ agent }: Destination): void {
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

/** Ends the upstream call, and a response that is being relayed. */
function abort({ request, state, reject }: InFlight): void {
  const { req, context, signal, progress } = request;
  reject(signal.reason);
  progress.call?.destroy();
  // Nobody reads the rest of the request body; unread, it would block the connection for ever.
  req.unpipe();
  req.resume();
  if (state.kind === 'relayed') resetConnection(context.res);
}
