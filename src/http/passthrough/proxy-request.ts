// Makes the request to an upstream from a caller's request.

import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Stream } from 'node:stream';
import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import { fault } from '../../kernel/errors/fault.ts';
import type { Call } from '../../pipeline/stages/call.ts';
import type { Cors } from '../listener/cors.ts';
import type { RequestContext } from '../listener/request-context.ts';
import { isHost, type RequestTarget } from '../listener/request-head.ts';
import type { UpstreamTrace } from '../../telemetry/request-span.ts';
import { addFraming, emptyBody, type Framing, limitedBody } from './body.ts';
import { compileForwardRule } from './header-rules.ts';
import { forwardedHeaders, type HeaderLines, type ReturnRules } from './headers.ts';
import { type PathMap, pathMapOf, upstreamTarget } from './path.ts';
import type { PurgeAfterWrite } from './purge-after-write.ts';
import { compileReturnRules } from './response-header-policy.ts';

/**
 * A host of an upstream. It has the parts that httpxy (http-proxy-middleware is built on it) reads, because httpxy would parse a
 * URL twice for every request.
 */
export type Destination = {
  readonly protocol: string;
  /** A name or an address. An IPv6 address has no brackets. */
  readonly host: string;
  readonly port: string;
  readonly agent: Agent;
  /** The URL of the host. Its `host` is the `Host` header of requests. */
  readonly url: URL;
  /** Closes the idle connections. */
  readonly closeIdle: () => void;
};

/** One request to an upstream. Only its host is not chosen yet. */
export type ProxyRequest = {
  readonly req: IncomingMessage;
  readonly context: RequestContext;
  /** Aborts when the client has gone or the deadline is over. */
  readonly signal: AbortSignal;
  /** The path and query of the request. */
  readonly path: string;
  /** All headers for the upstream except `host`, by lower-case name. */
  readonly headers: HeaderLines;
  /** The request body. */
  readonly body: Stream;
  /** Whether the request may be sent again after a failure. */
  readonly isRepeatable: boolean;
  readonly map: PathMap;
  /** The host under which the caller knows the gateway. */
  readonly host: string | undefined;
  readonly returns: ReturnRules;
  readonly cors: Pick<Cors, 'append'>;
  readonly progress: ProxyProgress;
  readonly trace: UpstreamTrace;
  /** Purges what the request has changed; absent if it writes nothing or the route purges nothing. */
  readonly purge: PurgeAfterWrite | undefined;
};

/** The progress of a passed-through request. */
export type ProxyProgress = {
  /** The upstream request; absent until it has a connection. */
  call: ClientRequest | undefined;
  /** Whether the upstream has begun to answer. */
  hasResponse: boolean;
  /** Since when Portico waits for the upstream and not for the client, in milliseconds of the monotonic clock. */
  upstreamWaitSince: number;
};

/** Whether Portico waits for the client: its body is not complete, and the upstream could take more of it. */
export function isWaitingForClient({ call }: ProxyProgress, req: IncomingMessage): boolean {
  if (req.complete || call === undefined) return false;
  return call.socket?.connecting === false && !call.writableNeedDrain;
}

/** A caller's request to a route. */
export type ProxyContext = {
  readonly req: IncomingMessage;
  readonly context: RequestContext;
  readonly target: RequestTarget;
  readonly framing: Framing;
  readonly progress: ProxyProgress;
};

/** The protocol that the caller used. Without trusted proxies, it is always http. */
function clientProtocol({ caller }: RequestContext, trustsProxies: boolean): 'http' | 'https' {
  return trustsProxies && caller.protocol === 'https' ? 'https' : 'http';
}

/** The host that the caller asked for; `undefined` if the request has no valid host. */
function clientHost({ caller, head, target }: RequestContext, trustsProxies: boolean): string | undefined {
  // `caller.host` is right for a target in absolute form, too, but it makes Node parse all headers.
  const isPlain = !trustsProxies && target.startsWith('/');
  // The type promises a host, but a request of HTTP/1.0 may have none.
  const host = isPlain ? head.host[0] : (caller.host as string | undefined);
  return host !== undefined && host !== '' && isHost(host) ? host : undefined;
}

/** The body to send. If it has a length, it is the request itself, because the parser has checked the length. */
function bodyOf({ req, context, framing }: ProxyContext, bytesMax: number): Stream {
  if (framing.kind !== 'chunked') return framing.kind === 'none' ? emptyBody : req;
  return limitedBody(req, bytesMax, () => {
    const error = fault('bad_request', { detail: 'body too long' });
    context.fail(error);
    context.call?.abort(error);
  });
}

type ProxyRequestDeps = {
  readonly cors: Pick<Cors, 'append' | 'vary'>;
  /** Request headers that are only for the gateway and never forwarded. */
  readonly gatewayHeaders: readonly string[];
  readonly trustsProxies: boolean;
  readonly purge: PurgeAfterWrite | undefined;
};

/** Compiles the function that makes the request to a route's upstream from a caller's request. */
export function compileProxyRequest(
  config: PassthroughConfig,
  { cors, gatewayHeaders, trustsProxies, purge }: ProxyRequestDeps,
): (proxied: ProxyContext, call: Call) => ProxyRequest {
  const { bodyMax } = config;
  const map = pathMapOf(config);
  const forwardRule = compileForwardRule(config.callerHeaders, gatewayHeaders);
  const returns = compileReturnRules(config, cors);
  // The configured headers, such as the gateway's own credential.
  const ownHeaders = Object.fromEntries(
    Object.entries(config.headers).map(([name, value]) => [name.toLowerCase(), value.reveal()]),
  );

  /** All headers for the upstream except `host`. */
  function headersOf({ req, context, framing }: ProxyContext, address: string, host?: string): HeaderLines {
    const headers = forwardedHeaders(req, context.head, forwardRule);
    addFraming(headers, framing, req.method ?? '');
    headers['x-forwarded-for'] = address;
    headers['x-forwarded-proto'] = clientProtocol(context, trustsProxies);
    if (host !== undefined) headers['x-forwarded-host'] = host;
    headers['x-request-id'] = context.requestId;
    return Object.assign(headers, ownHeaders);
  }

  return function proxyRequest(proxied, call) {
    const { req, context, target, framing, progress } = proxied;
    const host = clientHost(context, trustsProxies);
    const isSafe = req.method === 'GET' || req.method === 'HEAD';
    return {
      req,
      context,
      signal: call.signal,
      path: upstreamTarget(map, target),
      headers: headersOf(proxied, call.request.address, host),
      body: bodyOf(proxied, bodyMax),
      // A GET or HEAD without a body can be sent twice without another effect.
      isRepeatable: framing.kind === 'none' && isSafe,
      map,
      host,
      returns,
      cors,
      progress,
      trace: call.openTrace(),
      purge: isSafe ? undefined : purge,
    };
  };
}
