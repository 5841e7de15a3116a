import { isIP } from 'node:net';
import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import type { SourceSpec } from '../../config/schema/source.ts';
import { fault, GatewayError } from '../../kernel/errors/fault.ts';
import { upstreamHostOf } from '../../kernel/upstream-call.ts';
import type { SourceUpstreamsDeps } from '../../source/source-upstreams.ts';
import { createSourceResilience, type SourceResilienceDeps } from '../../source/source-resilience.ts';
import { openTimings } from '../../telemetry/requests/request-timings.ts';
import { createGuardedClient, type GuardedCall } from '../../source/client/guard/guarded-client.ts';
import { createAgent } from '../../source/client/transport/agents.ts';
import { serveOneHost } from '../../source/client/transport/one-host-agent.ts';
import type { Destination, ProxyRequest } from './proxy-request.ts';
import type { SendProxyRequest } from './proxy.ts';

/** The upstream of a route: whether it is called, how many requests at once, and at which host. */
export type RouteUpstream = ReturnType<typeof createRouteUpstream>;

/**
 * `send` makes one exchange. Retries, the breaker and the choice of a host stand around it. In the log and the metrics, the
 * upstream is called `passthrough.<route>`.
 */
export type RouteUpstreamDeps = Pick<SourceResilienceDeps, 'clock' | 'log'> & {
  readonly metrics: SourceUpstreamsDeps['metrics'];
  readonly send: SendProxyRequest;
};

/** Connections a route may keep open to each host while nobody uses them. */
const IDLE_MAX = 32;
/** A longer answer to a health check counts as a failure. */
const HEALTH_BYTES_MAX = 64 * 1024;

/** A proxy in front of the service did not reach it, or it has no time. Other statuses are about the request. */
const FAILING = new Set([502, 503, 504]);
const failing = fault('upstream_error');

/** A reply passes as it is, so that only an error of the service is no usable answer. */
const failureOf = (status: number) => (status >= 500 ? 'error' : undefined);

/** The settings of a route in the form of those of a source. */
function netOf(route: PassthroughConfig): SourceSpec['net'] {
  const { breaker, outliers, health, connectTimeout, concurrency, queue, tls } = route;
  return {
    ...{ breaker, outliers, health, connectTimeout, concurrency, queue, tls },
    baseUrl: route.upstream,
    otherUrls: route.otherUpstreams,
    timeout: route.deadline,
    bytesMax: HEALTH_BYTES_MAX,
    // An answer passes as it is, with its Retry-After. That is for its caller, so no other caller has to wait.
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
    // RFC 6066, section 3: addresses are not sent as server names.
    servername: isIP(host) === 0 ? host : '',
    ...(isTls && { rejectUnauthorized: true }),
  };
  const closeIdle = serveOneHost(agent, base, place, IDLE_MAX);
  return { protocol: url.protocol, host, port: url.port, agent, url, closeIdle };
}

/** Creates the upstream of a route; `close` ends its idle connections. */
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

  /** The reason why a request was ended, if it says something about the upstream. */
  function abandonReason({ signal, progress }: ProxyRequest): unknown {
    // The upstream has begun to answer: a stream may be meant to last longer than the deadline.
    if (progress.hasResponse) return undefined;
    const waitedMs = clock.monotonic() - progress.upstreamWaitSince;
    return waitedMs * 2 >= route.deadline ? signal.reason : undefined;
  }

  return {
    /**
     * Forwards a request, and once more if that is safe and may help.
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
        timings: openTimings(context.summary),
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
              // The upstream has answered, even if the caller has gone away since.
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
