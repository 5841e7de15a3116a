import { createLocalPurges } from '../../../src/store/cache/purges.ts';
import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import { type PassthroughConfig, passthroughRoute } from '../../../src/config/schema/passthrough.ts';
import type { PassthroughDeps } from '../../../src/http/passthrough/passthrough.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import {
  answering,
  type ScriptedUpstream,
  type Script,
  startUpstream,
} from '../upstream/scripted-upstream.ts';
import { type PublicListener, startPublicListener } from './public-listener.ts';
import { askRaw, connectRaw, type RawAnswer, type RawConnection } from '../client/raw-client.ts';
import { endAfterTest } from '../jest/lifetime.ts';

/** A whole answer of an upstream: a text. */
export const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok';

/** What of the route `/legacy/orders` a test wants otherwise; `basePath` is appended to its upstream's origin. */
export type RouteChanges = Partial<PassthroughConfig> & { readonly basePath?: string };

/** Starts, for the running test, a listener with the route `/legacy/orders` to an upstream that by default answers `OK`. */
export async function startPassthrough(
  { basePath = '', ...changes }: RouteChanges = {},
  {
    script = answering(OK),
    admit = () => Promise.resolve(),
    clock = systemClock,
    cors,
  }: {
    script?: Script;
    admit?: PassthroughDeps['admit'];
    clock?: Clock;
    cors?: GatewayConfig['cors'];
  } = {},
) {
  const upstream = endAfterTest(await startUpstream(script));
  const base = { name: 'orders', path: '/legacy/orders', permission: 'orders:read' };
  const methods = ['GET', 'HEAD', 'POST', 'DELETE'];
  const route: PassthroughConfig = {
    ...passthroughRoute.parse({ ...base, methods, upstream: upstream.origin + basePath }),
    deadline: 60_000,
    bodyMax: 1_000,
    ...changes,
  };
  const events: string[] = [];
  const metrics = {
    breakerState: () => undefined,
    sourceEvent: (source: string, event: string) => void events.push(`${source} ${event}`),
    hostEvent: (_source: string, host: string, event: string) => void events.push(`${host} ${event}`),
    upstreamCall: (source: string, outcome: string) => void events.push(`${source} ${outcome}`),
    watchLoad: () => () => undefined,
  };
  const passthrough = {
    routes: [route],
    admit,
    purges: createLocalPurges(),
    gatewayHeaders: ['X-Origin-Of-Tests'],
  };
  const listener = endAfterTest(await startPublicListener({ passthrough, metrics, clock, cors }));
  /** `events` is what the metrics were told: calls, changes of the breaker, retries, hosts. */
  return { upstream, events: events as readonly string[], listener };
}

/** The route of one test after another, as `usePassthrough` gives it. */
export type PassthroughRoute = {
  /** As `startPassthrough`; what it started ends with the test. */
  start(...setup: Parameters<typeof startPassthrough>): Promise<void>;
  /** Those that were started last. */
  readonly upstream: ScriptedUpstream;
  readonly listener: PublicListener;
  readonly events: readonly string[];
  /** Sends bytes on a new connection and takes one answer. */
  ask(bytes: string | Buffer): Promise<RawAnswer>;
  connect(): Promise<RawConnection>;
};

/** Gives every test of a group a route of its own. */
export function usePassthrough(): PassthroughRoute {
  let started: Awaited<ReturnType<typeof startPassthrough>> | undefined;
  const latest = () => {
    if (started === undefined) throw new Error('no route was started');
    return started;
  };
  return {
    async start(...setup) {
      started = await startPassthrough(...setup);
    },
    get upstream() {
      return latest().upstream;
    },
    get listener() {
      return latest().listener;
    },
    get events() {
      return latest().events;
    },
    ask: (bytes) => askRaw(latest().listener.port, bytes),
    connect: () => connectRaw(latest().listener.port),
  };
}
