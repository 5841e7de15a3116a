// The upstream of a pass-through route, with the same bulkhead, breaker and retries as the source of a resource.

import { isIP } from 'node:net';
import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import type { SourceSpec } from '../../config/schema/source.ts';
import { fault, GatewayError } from '../../kernel/errors/fault.ts';
import { upstreamHostOf } from '../../kernel/upstream-call.ts';
import type { SourceUpstreamsDeps } from '../../source/source-upstreams.ts';
import { createSourceResilience, type SourceResilienceDeps } from '../../source/source-resilience.ts';
import { obtainTimings } from '../../telemetry/requests/request-timings.ts';
import { createGuardedClient, type GuardedCall } from '../../source/client/guard/guarded-client.ts';
import { createAgent } from '../../source/client/transport/agents.ts';
import { serveOneHost } from '../../source/client/transport/one-host-agent.ts';
import type { Destination, ProxyRequest } from './proxy-request.ts';
import type { SendProxyRequest } from './proxy.ts';

/** The upstream of a route. It decides whether and when a request is sent, and to which host. */
export type RouteUpstream = ReturnType<typeof createRouteUpstream>;

/**
 * What the upstream needs. `send` sends one request; retries, the breaker and the choice of a host are around it. Log and
 * metrics call the upstream `passthrough.<route>`.
 */
export type RouteUpstreamDeps = Pick<SourceResilienceDeps, 'clock' | 'log'> & {
  readonly metrics: SourceUpstreamsDeps['metrics'];
  readonly send: SendProxyRequest;
};

/** The longest answer to a health check. A longer one counts as a failure. */
const HEALTH_BYTES_MAX = 64 * 1024;

/** Statuses that count as failures of the upstream: it was not reached, or it is overloaded. */
const FAILING = new Set([502, 503, 504]);
const failing = fault('upstream_error');

/** How a reply is counted: every reply is passed on, so only errors of the service (5xx) are failures. */
const failureOf = (status: number) => (status >= 500 ? 'error' : undefined);

/** Converts the settings of a route to the form of a source's `net`. */
function netOf(route: PassthroughConfig): SourceSpec['net'] {
  const { breaker, outliers, health, connectTimeout, concurrency, queue, tls } = route;
  return {
    ...{ breaker, outliers, health, connectTimeout, concurrency, queue, tls },
    baseUrl: route.upstream,
    otherUrls: route.otherUpstreams,
    timeout: route.deadline,
    bytesMax: HEALTH_BYTES_MAX,
    // The caller gets the Retry-After of an answer. It is only for this caller, so others need not wait.
    retries: { ...route.retries, post: false, pauseMax: 0 },
    headers: {},
  };
}

function destinationOf(base: string, net: SourceSpec['net']): Destination {
  const url = new URL(base);
  const { isTls, hostname: host, port } = upstreamHostOf(url);
  const agent = createAgent(net, isTls, true);
  const place = {
    host,
    port,
    // Addresses are not allowed as server names (RFC 6066, section 3).
    servername: isIP(host) === 0 ? host : '',
    ...(isTls && { rejectUnauthorized: true }),
  };
  const closeIdle = serveOneHost(agent, base, place);
  return { protocol: url.protocol, host, port: url.port, agent, url, closeIdle };
}

/** Creates the upstream of a route. */
export function createRouteUpstream(route: PassthroughConfig, deps: RouteUpstreamDeps) {
  const { clock, metrics, send } = deps;
  const name = `passthrough.${route.name}`;
  const net = netOf(route);
  const patience = { deadlineMs: route.deadline, patienceMs: route.deadline };
  const guard = createGuardedClient(net, {
    name,
    onExchange: (outcome, failure, seconds, base, error) =>
      metrics.upstreamCall(name, outcome, failure, seconds, base, error),
    resilience: createSourceResilience({ name, net }, { ...deps, ...patience }),
  });
  const endWatch = metrics.watchLoad(name, () => guard.load);
  const bases = [net.baseUrl, ...net.otherUrls];
  const destinations = new Map(bases.map((base) => [base, destinationOf(base, net)]));

  /** The abort reason of a request, if the upstream was too slow; `undefined` if the upstream is not to blame. */
  function abandonReason({ signal, progress }: ProxyRequest): unknown {
    // If the upstream has begun to answer, it is not too slow: perhaps its answer is a long stream.
    if (progress.hasResponse) return undefined;
    const waitedMs = clock.monotonic() - progress.upstreamWaitSince;
    return waitedMs * 2 >= route.deadline ? signal.reason : undefined;
  }

  return {
    /**
     * Forwards a request, and again if it failed and a retry is safe.
     * @throws GatewayError `upstream_unavailable`, `upstream_error`, `overloaded`
     * @throws unknown the reason of the request's signal
     */
    forward(request: ProxyRequest): Promise<unknown> {
      const { signal, context, isRepeatable } = request;
      const question = `${request.req.method} ${request.path}`;
      const call: GuardedCall = {
        signal,
        priority: 'caller',
        affinity: context,
        isSafe: isRepeatable,
        question,
        trace: request.trace,
        timings: obtainTimings(context.summary),
        method: request.req.method ?? '',
      };
      return guard.run(call, (attempt) =>
        attempt.exchange({
          async send(base, trace) {
            try {
              const status = await send(request, destinations.get(base) as Destination, trace);
              attempt.finish(FAILING.has(status) ? failing : undefined, false);
              return status;
            } catch (error) {
              // The upstream has answered, so the attempt counts as a success even if the caller has gone.
              if (error instanceof GatewayError && error.sourceHealth?.isHealthy === true)
                attempt.finish(error, false);
              throw error;
            }
          },
          statusOf: (status) => status,
          failureOf,
          abandonReason: () => abandonReason(request),
        }),
      );
    },
    close: (): void => {
      endWatch();
      guard.close();
      for (const { agent } of destinations.values()) agent.destroy();
    },
  };
}
