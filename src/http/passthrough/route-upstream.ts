import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import type { SourceSpec } from '../../config/schema/source.ts';
import { fault, GatewayError } from '../../errors/fault.ts';
import type { SourceUpstreamsDeps } from '../../pipeline/source-upstreams.ts';
import { createSourceResilience, type SourceResilienceDeps } from '../../pipeline/source-resilience.ts';
import { createAgents } from '../../upstream/transport/agents.ts';
import { retryCall } from '../../upstream/retry-call.ts';
import { watchHealth } from '../../upstream/health.ts';
import { createBulkhead } from '../../upstream/bulkhead.ts';
import type { Resilience, CallAttempt } from '../../upstream/resilience.ts';
import { createTransport } from '../../upstream/transport/transport.ts';
import type { Destination, ProxyRequest } from './proxy-request.ts';
import type { Send } from './proxy.ts';

/** The upstream of a route: whether it is asked, how many requests at once, and at which host. */
export type RouteUpstream = {
  /**
   * Has a request made, and made once more where that is safe and may help.
   * @throws GatewayError `upstream_unavailable`, `upstream_error`, `overloaded`
   * @throws unknown the reason of the request's signal
   */
  forward(request: ProxyRequest): Promise<void>;
  close(): void;
};

export type RouteUpstreamDeps = Pick<SourceResilienceDeps, 'clock' | 'log'> & {
  readonly metrics: SourceUpstreamsDeps['metrics'];
  readonly send: Send;
};

/** Connections a route may keep open to each host while nobody uses them. */
const IDLE_SOCKETS_MAX = 32;
/** An answer to a question about health that is longer is none. */
const HEALTH_BYTES_MAX = 64 * 1024;

/** A gateway in front of the service did not reach it, or it has no time. Other statuses are about the request. */
const FAILING = new Set([502, 503, 504]);
const failing = fault('upstream_error');

/** What a source's file would say of the upstream of a route. */
function netOf(route: PassthroughConfig): SourceSpec['net'] {
  const { breaker, outliers, health, connectTimeout, concurrency, queue } = route;
  return {
    ...{ breaker, outliers, health, connectTimeout, concurrency, queue },
    baseUrl: route.upstream,
    otherUrls: route.otherUpstreams,
    timeout: route.deadline,
    bytesMax: HEALTH_BYTES_MAX,
    // Answers pass as they are, with what they say of later ones: nobody else is kept progress for them.
    retries: { ...route.retries, post: false, pauseMax: 0 },
    headers: {},
  };
}

function destinationOf(base: string, net: SourceSpec['net']): Destination {
  const url = new URL(base);
  const { protocol, hostname, port } = url;
  const { httpAgent, httpsAgent } = createAgents(net, true);
  const agent = protocol === 'https:' ? httpsAgent : httpAgent;
  agent.maxFreeSockets = IDLE_SOCKETS_MAX;
  // It serves one host only, so it need not tell connections apart, by a text made anew for each request.
  agent.getName = () => base;
  const host = hostname.replace(/^\[|\]$/g, '');
  return { protocol, host, hostname: host, port, agent, url };
}

function watch(net: SourceSpec['net'], { hosts }: Resilience) {
  if (net.health === undefined) return undefined;
  const transport = createTransport(net);
  const checks = watchHealth(net, hosts, transport);
  return {
    close() {
      checks.close();
      transport.close();
    },
  };
}

/** Creates the upstream of a route; `close` ends its idle connections. */
export function createRouteUpstream(route: PassthroughConfig, deps: RouteUpstreamDeps): RouteUpstream {
  const { clock, metrics, send } = deps;
  const name = `passthrough.${route.name}`;
  const net = netOf(route);
  const patience = { deadlineMs: route.deadline, patienceMs: route.deadline };
  const resilience = createSourceResilience({ name, net }, { ...deps, ...patience });
  const places = createBulkhead(net);
  const bases = [net.baseUrl, ...net.otherUrls];
  const destinations = new Map(bases.map((base) => [base, destinationOf(base, net)]));
  const checks = watch(net, resilience);

  /** Why a request was ended, as far as that says something of the upstream. */
  function reasonOf({ signal, progress: progress }: ProxyRequest): unknown {
    // It has begun to answer: a stream may be meant to last for longer than anybody waits.
    if (progress.hasResponse) return undefined;
    const waitedMs = clock.monotonic() - progress.upstreamWaitSince;
    return waitedMs * 2 >= route.deadline ? signal.reason : undefined;
  }

  async function measured(request: ProxyRequest, trial: CallAttempt): Promise<void> {
    const destination = destinations.get(trial.start()) as Destination;
    const start = clock.monotonic();
    let outcome = 'cancelled';
    try {
      const status = await send(request, destination);
      outcome = `${Math.floor(status / 100)}xx`;
      trial.finish(FAILING.has(status) ? failing : undefined, false);
    } catch (error) {
      const isWell = error instanceof GatewayError && error.sign?.isWell === true;
      if (error instanceof GatewayError) outcome = error.code;
      if (request.signal.aborted && !isWell) trial.finish(reasonOf(request), true);
      else trial.finish(error, false);
      throw error;
    } finally {
      metrics.upstreamCall(name, outcome, (clock.monotonic() - start) / 1_000);
    }
  }

  return {
    async forward(request) {
      const { signal, context, isRepeatable } = request;
      const trial = resilience.begin(context, isRepeatable);
      const ask = () => places.run('caller', signal, () => measured(request, trial));
      await retryCall(ask, trial, signal, resilience);
    },
    close() {
      checks?.close();
      for (const { agent } of destinations.values()) agent.destroy();
    },
  };
}
