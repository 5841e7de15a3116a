import type { RedisServer } from '../../../support/redis/redis-server.ts';
import type { FaultBench } from '../bench.ts';
import { type ChaosProxy, startChaosProxy } from '../harm/chaos-proxy.ts';
import type { FaultGateway } from '../gateway.ts';
import { type RotatingIssuer, startRotatingIssuer } from '../harm/rotating-issuer.ts';
import { injectVitals } from './vitals.ts';

/** The services behind the gateways, each behind a proxy; what is done is done to all. */
export type Upstreams = Pick<ChaosProxy, 'setFault' | 'down' | 'up' | 'reset'>;

/** What is soaked, and what its faults are done to. */
export type SoakSetup = {
  /** One process that serves alone. */
  readonly gateway: FaultGateway;
  /** A primary and two workers, on the same Redis. */
  readonly fleet: FaultGateway;
  readonly redis: RedisServer;
  readonly upstreams: Upstreams;
  readonly issuer: RotatingIssuer;
};

/** Puts a proxy before each service of the samples. */
async function startProxies(bench: FaultBench): Promise<{ env: Record<string, string>; all: Upstreams }> {
  const env: Record<string, string> = {};
  const proxies: ChaosProxy[] = [];
  for (const [name, address] of Object.entries(bench.samples.env)) {
    const url = new URL(address);
    const proxy = bench.own(await startChaosProxy(Number(url.port)));
    proxies.push(proxy);
    url.port = String(proxy.port);
    env[name] = url.href.replace(/\/$/, '');
  }
  return {
    env,
    all: {
      setFault: (toxics, direction) => proxies.forEach((one) => one.setFault(toxics, direction)),
      async down() {
        await Promise.all(proxies.map((one) => one.down()));
      },
      async up() {
        await Promise.all(proxies.map((one) => one.up()));
      },
      reset: () => proxies.forEach((one) => one.reset()),
    },
  };
}

/**
 * Starts everything. What is bounded has little room or few things to keep, so that it is full before anything is
 * measured: what grows from then on has no bound.
 */
export async function openSoakSetup(bench: FaultBench, snapshots: string | undefined): Promise<SoakSetup> {
  const injected = bench.own(injectVitals());
  const redis = await bench.redis();
  const { env: urls, all: upstreams } = await startProxies(bench);
  const issuer = bench.own(await startRotatingIssuer());
  const config = {
    redis: { url: redis.url },
    cache: { localBytes: '256KiB' },
    // Callers with wrong credentials come from addresses of their own.
    listen: { trustProxy: 1 },
    auth: { jwt: { ...issuer.config, tier: 'standard', keysFresh: '5s' } },
  };
  const toFiles = snapshots === undefined ? '' : ` --heapsnapshot-signal=SIGIO --diagnostic-dir=${snapshots}`;
  const env = { ...urls, NODE_OPTIONS: injected.env['NODE_OPTIONS']! + toFiles };
  const gateway = await bench.gateway({ config, env, keys: 0 });
  const fleet = await bench.gateway({ config: { ...config, workers: 2 }, env, keys: 0 });
  return { gateway, fleet, redis, upstreams, issuer };
}
