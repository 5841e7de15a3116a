import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import type { SourceSpec } from '../../../src/config/schema/source.ts';
import { readConfig } from '../../../src/cli/input/read-config.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { hashApiKey } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { checkedFetch } from '../client/openapi-check.ts';
import { type LocalGateway, runGateway } from './running-gateway.ts';
import { setGenerousTimeouts } from './generous-timeouts.ts';
import { createSampleServices, type SampleServices, type ServicesOptions } from './sample-services.ts';

/** The pepper of every stack. */
export const PEPPER = 'a-pepper-of-the-tests-only';

/** A key with every permission and the roomy tier. */
export const KEY = 'a-test-key-with-every-permission';

/** A key that may read users only. */
export const USERS_KEY = 'a-test-key-that-may-read-users-only';

/** The hash under which a key of a stack is stored. */
export function storedHash(key: string): string {
  return hashApiKey(new Secret(PEPPER), key);
}

/** What a stack is made of, where the defaults will not do. */
export type StackOptions = ServicesOptions & {
  /** Absent: the embedded mode. */
  readonly redis?: { readonly url: string; readonly prefix: string };
  /** The origin of an upstream that takes the place of all sample services; those are not started then. */
  readonly upstream?: string;
  /** The gateway's file; the committed one by default. */
  readonly configFile?: string;
  readonly clock?: Clock;
  /** What the gateway is called among those of its fleet. */
  readonly instance?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Changes the configuration before the gateway is made. */
  configure?(config: GatewayConfig, sources: readonly SourceSpec[]): void;
};

/** The three sample services and a gateway in front of them, all in this process, on free ports. */
export type Stack = LocalGateway & {
  readonly services: SampleServices;
  /** A request with `KEY`, unless the headers name another credential; the answer is checked against the contract. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** The same without any credential but those of the headers. */
  ask(path: string, init?: RequestInit): Promise<Response>;
};

function addKeys(config: GatewayConfig): void {
  const key = (id: string, text: string, permissions: string[]) => ({
    id,
    hash: storedHash(text),
    label: id,
    permissions,
    tier: 'roomy',
  });
  config.auth.apiKeys?.keys.push(
    key('everything', KEY, ['users:read', 'products:read', 'orders:read']),
    key('usersonly', USERS_KEY, ['users:read']),
  );
}

/** The committed configuration with free ports and the upstreams' addresses, changed as a test asks. */
function prepareConfig(options: StackOptions, urls: Readonly<Record<string, string>>) {
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    PORTICO_KEY_PEPPER: PEPPER,
    ...urls,
    REDIS_URL: options.redis?.url ?? '',
    ...options.env,
  };
  const { gateway, compiled } = readConfig(options.configFile ?? 'config/portico.yaml', env);
  gateway.listen.drain = 0;
  if (options.redis !== undefined) gateway.redis.prefix = options.redis.prefix;
  gateway.limits.tiers['roomy'] = {
    windows: [{ points: 1_000_000, seconds: 1 }],
    onStoreFailure: 'open',
    dryRun: false,
  };
  addKeys(gateway);
  const sources = compiled.map(({ source }) => source.spec);
  setGenerousTimeouts(gateway, sources);
  options.configure?.(gateway, sources);
  return { gateway, compiled };
}

/** Starts a stack. The rate limit is out of the way, and times are long, unless `configure` says otherwise. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const services = createSampleServices(options);
  const urls = options.upstream === undefined ? await services.listen() : services.at(options.upstream);
  const config = prepareConfig(options, urls);
  const running = await runGateway(config.gateway, config.compiled, options);
  const check = { serverErrorsAs500: config.gateway.errors.serverStatus === 'contract' };

  function ask(path: string, init: RequestInit = {}): Promise<Response> {
    return checkedFetch(running.url + path, init, check);
  }

  return {
    ...running,
    services,
    ask,
    get(path, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has('authorization') && !headers.has('x-api-key'))
        headers.set('authorization', `Bearer ${KEY}`);
      return ask(path, { ...init, headers });
    },
    async close() {
      await running.close();
      await services.close();
    },
  };
}
