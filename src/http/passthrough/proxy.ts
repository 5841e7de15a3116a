// Sends passed-through requests by http-proxy-middleware, which is built on httpxy.

import type { IncomingMessage } from 'node:http';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import type { Clock } from '../../kernel/clock.ts';
import { carry, ProxyCall, proxyCallOf } from './proxy-call.ts';
import type { TraceHeaders } from '../../telemetry/request-span.ts';
import type { Destination, ProxyRequest } from './proxy-request.ts';

/**
 * Sends a request to a host and relays the response. Resolves with the status when all of the response was relayed. If it
 * breaks after a part was sent, the caller's connection is reset.
 * @throws GatewayError `upstream_unavailable`, `upstream_error`
 * @throws unknown the reason of the request's signal, if that aborts
 */
export type SendProxyRequest = (
  request: ProxyRequest,
  destination: Destination,
  trace?: TraceHeaders,
) => Promise<number>;

/** Passes each event of http-proxy-middleware to its call. */
const eventsPlugin: Plugin = (server) => {
  server.on('proxyReq', (upstreamRequest, req) => proxyCallOf(req).onSocket(upstreamRequest));
  server.on('proxyRes', (response, req) => proxyCallOf(req).onResponse(response));
  server.on('error', (error, req) => req !== undefined && proxyCallOf(req).onFailure(error));
};

const SOCKET = { writable: true };

/**
 * Makes what http-proxy-middleware takes for the caller's request. It changes the URL and the headers, and listens to the
 * server; but request and server may be those of a host. The router sets the URL, and the body comes by `options.buffer`.
 */
function standInOf(call: ProxyCall): IncomingMessage {
  const { req } = call.request;
  const on = (name: string, listener: () => void) => req.on(name, listener);
  const seen = { method: req.method, headers: call.headers, url: '', socket: SOCKET, on };
  return carry(seen as unknown as IncomingMessage, call);
}

/**
 * Makes the function that sends requests by http-proxy-middleware. One middleware serves all routes, because each instance
 * adds a listener to the server. Its default plugins are removed, because they append an error text to broken responses.
 * `ProxyCall` relays the responses, so that only chosen headers are returned.
 */
export function createProxy(clock: Clock): SendProxyRequest {
  const proxy = createProxyMiddleware({
    router(req, _res, options) {
      const { request, destination } = proxyCallOf(req);
      req.url = request.path;
      // `options` is a copy for this request. httpxy reads the agent and the body from it.
      options.agent = destination.agent;
      options.buffer = request.body;
      return destination;
    },
    pathFilter: () => true,
    selfHandleResponse: true,
    ejectPlugins: true,
    plugins: [eventsPlugin],
  });

  function forward(call: ProxyCall) {
    void proxy(standInOf(call), call.request.context.res, (thrown) => call.onFailure(thrown));
  }

  return (request, destination, trace) => {
    const call = new ProxyCall(request, destination, { clock, forward, trace });
    call.send();
    return call.status;
  };
}
