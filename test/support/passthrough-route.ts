import type { PassthroughConfig } from '../../src/config/gateway-schema.ts';
import type { PassthroughDeps } from '../../src/http/passthrough.ts';
import { answering, type LegacyUpstream, type Script, startLegacyUpstream } from './legacy-upstream.ts';
import { type PublicListener, startPublicListener } from './public-listener.ts';
import { askRaw, connectRaw, type RawAnswer, type RawConnection } from './raw-client.ts';

/** A whole answer of an upstream: a text. */
export const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok';

/** What of the route `/legacy/orders` a test wants otherwise; `basePath` is appended to its upstream's origin. */
export type RouteChanges = Partial<PassthroughConfig> & { readonly basePath?: string };

/** Starts a listener with the route `/legacy/orders` to an upstream; without a script it answers `OK`. */
export async function startPassthrough(
  { basePath = '', ...changes }: RouteChanges = {},
  {
    script = answering(OK),
    admit = () => Promise.resolve(),
  }: { script?: Script; admit?: PassthroughDeps['admit'] } = {},
): Promise<{ upstream: LegacyUpstream; listener: PublicListener }> {
  const upstream = await startLegacyUpstream(script);
  const route: PassthroughConfig = {
    name: 'orders',
    path: '/legacy/orders',
    subpaths: true,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    upstream: upstream.origin + basePath,
    stripPath: false,
    permission: 'orders:read',
    deadline: 5_000,
    bodyMax: 1_000,
    headers: {},
    ...changes,
  };
  return { upstream, listener: await startPublicListener({ passthrough: { routes: [route], admit } }) };
}

/** The route of one test after another, as `usePassthrough` gives it. */
export type PassthroughRoute = {
  /** As `startPassthrough`; what it started ends with the test. */
  start(...setup: Parameters<typeof startPassthrough>): Promise<void>;
  /** Those that were started last. */
  readonly upstream: LegacyUpstream;
  readonly listener: PublicListener;
  /** Sends bytes on a new connection and takes one answer. */
  ask(bytes: string | Buffer): Promise<RawAnswer>;
  connect(): Promise<RawConnection>;
};

/** Gives every test of a group a route of its own. */
export function usePassthrough(): PassthroughRoute {
  const started: Awaited<ReturnType<typeof startPassthrough>>[] = [];
  const latest = () => {
    const route = started.at(-1);
    if (route === undefined) throw new Error('no route was started');
    return route;
  };
  afterEach(async () => {
    for (const { listener, upstream } of started.splice(0)) {
      await listener.stop();
      await upstream.stop();
    }
  });
  return {
    async start(...setup) {
      started.push(await startPassthrough(...setup));
    },
    get upstream() {
      return latest().upstream;
    },
    get listener() {
      return latest().listener;
    },
    ask: (bytes) => askRaw(latest().listener.port, bytes),
    connect: () => connectRaw(latest().listener.port),
  };
}
