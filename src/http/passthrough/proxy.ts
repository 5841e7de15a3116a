import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import type { Clock } from '../../kernel/clock.ts';
import { ProxyCall, proxyCallOf } from './proxy-call.ts';
import type { TraceHeaders } from '../../telemetry/request-span.ts';
import type { Destination, ProxyRequest } from './proxy-request.ts';

/**
 * Sends a request to a destination and relays the response. Resolves with its status once it was relayed.
 * @throws GatewayError `upstream_unavailable`, `upstream_error`; if half of a response was sent, the caller's
 * connection is reset
 * @throws unknown the reason of the request's signal
 */
export type SendProxyRequest = (
  request: ProxyRequest,
  destination: Destination,
  trace?: TraceHeaders,
) => Promise<number>;

/** Hands the events of http-proxy-middleware to the calls that they are about. */
const eventsPlugin: Plugin = (server) => {
  server.on('proxyReq', (upstreamRequest, req) => proxyCallOf(req).onSocket(upstreamRequest));
  server.on('proxyRes', (response, req) => proxyCallOf(req).onResponse(response));
  server.on('error', (error, req) => req !== undefined && proxyCallOf(req).onFailure(error));
};

/**
 * Makes the function that sends requests through http-proxy-middleware. One middleware serves all routes, because each
 * instance adds a listener to the server. Its default plugins are ejected: they append an error text to responses that
 * broke halfway. The response is relayed by `ProxyCall`, so that only chosen headers return.
 */
export function createProxy(clock: Clock): SendProxyRequest {
  const proxy = createProxyMiddleware({
    router(req, _res, options) {
      const { request, destination } = proxyCallOf(req);
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

  function forward(call: ProxyCall) {
    const { req, context } = call.request;
    // The path was checked before. A path filter parses the URL first, unless it is empty.
    req.url = '';
    void proxy(req, context.res, (thrown) => call.onFailure(thrown));
  }

  return (request, destination, trace) => {
    const call = new ProxyCall(request, destination, { clock, forward, trace });
    call.send();
    return call.status;
  };
}
