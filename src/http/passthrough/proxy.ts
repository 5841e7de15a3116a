import type { ClientRequest, IncomingMessage } from 'node:http';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { fault } from '../../errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import { networkFault } from '../../upstream/transport/network-fault.ts';
import type { Destination, ProxyRequest } from './proxy-request.ts';
import { resetConnection, relayResponse } from './relay.ts';

/** A request to one destination, from its departure until nothing is under way any more. */
type InFlight = {
  readonly request: ProxyRequest;
  readonly destination: Destination;
  /** Tells the status of an answer that was passed on, all of it. */
  readonly resolve: (status: number) => void;
  readonly reject: (reason: unknown) => void;
  sentAt: number;
  attempts: number;
  /** The upstream's answer, and whether the caller has begun to receive it. */
  answer: IncomingMessage | undefined;
  isRelayed: boolean;
};

/** Where a request carries its request: a weak map would keep each until a full collection of garbage. */
const IN_FLIGHT = Symbol('request');
type Carrier = (IncomingMessage | ClientRequest) & { [IN_FLIGHT]?: InFlight };

/**
 * Sends a request to a destination. Resolves with the answer's status once it was passed on.
 * @throws GatewayError `upstream_unavailable`, `upstream_error`; if half of an answer was out, its connection is cut
 * @throws unknown the reason of the request's signal
 */
export type Send = (request: ProxyRequest, destination: Destination) => Promise<number>;

/**
 * Makes the function that sends journeys through http-proxy-middleware. One middleware serves all routes: each
 * instance would hang a listener of its own on the server. Its default plugins are ejected, for they append an
 * error text to answers that broke half-way; the answer is relayed here, so that only chosen headers return.
 */
export function createProxy(clock: Clock): Send {
  const relayPlugin: Plugin = (server) => {
    server.on('proxyReq', (call, req) => withInFlight(req, (inFlight) => onSocket(inFlight, call)));
    server.on('proxyRes', (answer, req) => withInFlight(req, (inFlight) => onResponse(inFlight, answer)));
    server.on(
      'error',
      (error, req) => req !== undefined && withInFlight(req, (inFlight) => onFailure(inFlight, error)),
    );
  };
  const proxy = createProxyMiddleware({
    router(req, _res, options) {
      const inFlight = (req as Carrier)[IN_FLIGHT];
      if (inFlight === undefined) throw new Error('a request without a request');
      const { request, destination } = inFlight;
      req.url = request.path;
      // These are this request's own copy of the options, which is where httpxy looks for both.
      options.agent = destination.agent;
      if (request.body !== undefined) options.buffer = request.body;
      return destination;
    },
    pathFilter: () => true,
    selfHandleResponse: true,
    ejectPlugins: true,
    plugins: [relayPlugin],
  });

  function withInFlight(req: IncomingMessage, act: (inFlight: InFlight) => void) {
    const inFlight = (req as Carrier)[IN_FLIGHT];
    if (inFlight !== undefined) act(inFlight);
  }

  function go(inFlight: InFlight) {
    const { request } = inFlight;
    inFlight.attempts += 1;
    inFlight.sentAt = clock.monotonic();
    // The path was admitted long ago. A filter would parse it as a URL first, unless there is none.
    request.req.url = '';
    void proxy(request.req, request.context.res, (thrown) => onFailure(inFlight, thrown));
  }

  /** An upstream connection is there. */
  function onSocket(inFlight: InFlight, call: ClientRequest) {
    const { request } = inFlight;
    request.progress.call = call;
    request.context.trace.upstreamCalls += 1;
    (call as Carrier)[IN_FLIGHT] = inFlight;
    call.once('close', onCallClose);
    // Nobody asked for another protocol. Left alone, Node would drop the connection without telling of an error.
    call.once('upgrade', onUpgrade);
    if (request.signal.aborted) call.destroy();
  }

  function onResponse(inFlight: InFlight, answer: IncomingMessage) {
    const { request, destination } = inFlight;
    const { context } = request;
    inFlight.answer = answer;
    request.progress.hasResponse = true;
    context.trace.upstreamMs += clock.monotonic() - inFlight.sentAt;
    answer.on('error', (error) => onFailure(inFlight, error));
    try {
      if (context.res.headersSent || request.signal.aborted) answer.destroy();
      else {
        relayResponse(request, destination, request.progress.call, answer);
        inFlight.isRelayed = true;
      }
    } catch (thrown) {
      inFlight.reject(thrown);
      // At once: httpxy ends the client's connection where an answer ends before its time.
      context.fail(thrown);
      answer.destroy();
    }
  }

  /** It failed. What was never received is sent once more; half an answer has an end that nobody can overlook. */
  function onFailure(inFlight: InFlight, cause: unknown) {
    const { request, answer } = inFlight;
    const { call } = request.progress;
    // The upstream closed an idle connection just when we took it up again: the usual race, and no sign of illness.
    const isStaleKeepAlive = answer === undefined && inFlight.attempts === 1 && call?.reusedSocket === true;
    if (isStaleKeepAlive && request.isRepeatable && !request.signal.aborted) {
      request.progress.call = undefined;
      closeIdleSockets(inFlight.destination);
      go(inFlight);
    } else if (hasBegun(inFlight)) failHalfway(inFlight);
    else inFlight.reject(networkFault(cause));
  }

  return (request, destination) =>
    new Promise((resolve, reject) => {
      const rest = { sentAt: 0, attempts: 0, answer: undefined, isRelayed: false };
      const inFlight: InFlight = { request, destination, resolve, reject, ...rest };
      const { req, signal } = request;
      // What httpxy sends is what it finds here.
      req.headers = request.headers;
      request.headers['host'] = destination.url.host;
      (req as Carrier)[IN_FLIGHT] = inFlight;
      // A closure that the call itself held would keep each request until a full collection of garbage.
      signal.addEventListener('abort', () => stop(inFlight), { once: true });
      go(inFlight);
    });
}

/** Nothing of a call is under way any more, and its connection is about to be free. */
function onCallClose(this: ClientRequest): void {
  const inFlight = (this as Carrier)[IN_FLIGHT];
  if (inFlight === undefined || inFlight.request.progress.call !== this) return;
  const { answer, resolve } = inFlight;
  if (answer?.complete === true) resolve(answer.statusCode ?? 0);
  else failHalfway(inFlight);
}

/** Whether anything of an answer came. */
function hasBegun({ request, answer }: InFlight): boolean {
  const { call } = request.progress;
  return answer !== undefined || (call?.reusedSocket === false && (call.socket?.bytesRead ?? 0) > 0);
}

function failHalfway({ request, answer, isRelayed, reject }: InFlight): void {
  if (isRelayed && answer?.complete === false) resetConnection(request.context.res);
  reject(fault('upstream_error', { detail: 'the upstream broke off' }));
}

function onUpgrade(this: ClientRequest, _answer: IncomingMessage, socket: { destroy(): unknown }): void {
  socket.destroy();
  (this as Carrier)[IN_FLIGHT]?.reject(
    fault('upstream_error', { detail: 'the upstream switched protocols' }),
  );
}

/** Ends connections that nobody uses: where one was closed by the other side, the others have been, too. */
function closeIdleSockets({ agent }: Destination): void {
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

/** Ends the upstream call, and an answer that is under way. */
function stop({ request, isRelayed, reject }: InFlight): void {
  const { req, context, signal, progress: progress } = request;
  reject(signal.reason);
  progress.call?.destroy();
  // What is left of the request body is for nobody; unread, it would block the connection for ever.
  req.unpipe();
  req.resume();
  if (isRelayed) resetConnection(context.res);
}
