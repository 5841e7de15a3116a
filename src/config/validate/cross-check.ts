import { resourceNames } from '../../contract/resources.ts';
import type { GatewayConfig } from '../schema/gateway.ts';
import type { LoadedConfig } from '../load.ts';
import { type RedisConfig, type RedisRoleConfig, redisRoles, sharesWork } from '../schema/redis.ts';

/** Takes a problem of the gateway file at a path of keys, which is none where something at one of `needs` is missing. */
export type Report = (
  path: readonly PropertyKey[],
  message: string,
  hint?: string,
  needs?: readonly (readonly PropertyKey[])[],
) => void;

/** The sources whose shape is right, and the number of all files, sound or not. */
export type SoundSources = { readonly sources: LoadedConfig['sources']; readonly files: number };

/** Checks what several parts of the configuration must agree on. */
export function crossCheck(gateway: GatewayConfig, sources: SoundSources, report: Report): void {
  checkResources(gateway, sources, report);
  checkTiers(gateway, report);
  checkPassthrough(gateway, report);
  checkApiKeys(gateway, report);
  checkRedis(gateway, report);
  checkWorkers(gateway, report);
  checkAdmin(gateway, report);
}

function checkResources(gateway: GatewayConfig, { sources, files }: SoundSources, report: Report): void {
  for (const name of resourceNames) {
    const resource = gateway.resources[name];
    if (resource === undefined) continue;
    const at = ['resources', name, 'source'];
    const source = sources.get(resource.source);
    // A source whose file has problems of its own is not known by name; it must not be reported twice.
    if (source === undefined && sources.size === files) {
      report(
        at,
        `no source is named "${resource.source}"`,
        `sources: ${[...sources.keys()].join(', ') || 'none'}`,
      );
    }
    if (source !== undefined && source.spec.resources[name] === undefined) {
      report(
        at,
        `the source "${resource.source}" does not describe ${name}`,
        `add resources.${name} to ${source.yaml.file}`,
      );
    }
    if (source !== undefined && source.spec.budget.time >= resource.deadline) {
      report(
        ['resources', name, 'deadline'],
        `a scan of "${resource.source}" may take as long as the whole answer, so it would end as upstream_timeout`,
        `make it longer than budget.time (${source.spec.budget.time} ms) in ${source.yaml.file}`,
      );
    }
    const protectedWithoutKeys =
      !resource.public && gateway.auth.apiKeys === undefined && gateway.auth.jwt === undefined;
    if (protectedWithoutKeys)
      report(
        ['resources', name],
        'nobody can read it: it is not public, and auth names neither apiKeys nor jwt',
        'add auth.apiKeys, or say public: true',
        [['auth']],
      );
  }
}

function checkTiers(gateway: GatewayConfig, report: Report): void {
  const { tiers } = gateway.limits;
  const hint = `tiers: ${Object.keys(tiers).join(', ')}`;
  const check = (path: readonly PropertyKey[], tier: string | undefined) => {
    if (tier !== undefined && !Object.hasOwn(tiers, tier))
      report(path, `no tier is named "${tier}"`, hint, [['limits', 'tiers']]);
  };
  check(['limits', 'anonymousTier'], gateway.limits.anonymousTier);
  check(['auth', 'jwt', 'tier'], gateway.auth.jwt?.tier);
  gateway.auth.apiKeys?.keys.forEach((key, index) =>
    check(['auth', 'apiKeys', 'keys', index, 'tier'], key.tier),
  );
  for (const [name, { windows }] of Object.entries(tiers)) {
    windows.forEach(({ seconds }, index) => {
      // Callers are told of a window by its length, so two of one length could not be told apart.
      if (windows.slice(0, index).some((earlier) => earlier.seconds === seconds))
        report(
          ['limits', 'tiers', name, 'windows', index],
          `an earlier window of this tier is ${seconds} s long too`,
          'keep the one that admits fewer requests',
        );
    });
  }
}

function checkApiKeys({ auth: { apiKeys } }: GatewayConfig, report: Report): void {
  if (apiKeys === undefined) return;
  const at = ['auth', 'apiKeys'];
  if (apiKeys.pepper.reveal().length < 16)
    report(
      [...at, 'pepper'],
      'the pepper has fewer than 16 characters',
      'openssl rand -base64 32 makes a good one',
    );
  apiKeys.keys.forEach((key, index) => {
    const earlier = apiKeys.keys.slice(0, index);
    if (earlier.some((other) => other.id === key.id))
      report([...at, 'keys', index, 'id'], `the id "${key.id}" is taken`, 'give each key an id of its own');
    const twin = earlier.find((other) => other.hash === key.hash);
    if (twin !== undefined)
      report(
        [...at, 'keys', index, 'hash'],
        `the key "${twin.id}" has the same hash`,
        'give each caller a key of its own',
      );
  });
}

function checkPassthrough(gateway: GatewayConfig, report: Report): void {
  gateway.passthrough.forEach((route, index) => {
    const at = ['passthrough', index];
    if (route.path === '/v1' || route.path.startsWith('/v1/')) {
      report([...at, 'path'], 'the paths below /v1 belong to the contract', 'choose another path');
    }
    const earlier = gateway.passthrough.slice(0, index);
    if (earlier.some((other) => other.name === route.name))
      report([...at, 'name'], `the name "${route.name}" is taken`, 'give each route a name of its own');
    const twin = earlier.find((other) => route.path === other.path);
    if (twin !== undefined)
      report(
        [...at, 'path'],
        `never reached: routes are chosen by path, and "${twin.name}" has the same`,
        twin.methods.every((method) => route.methods.includes(method))
          ? 'give each route a path of its own'
          : `give each route a path of its own, or name all methods in one: methods: [${[...new Set([...twin.methods, ...route.methods])].join(', ')}]`,
      );
  });
}

function checkRedis({ redis }: GatewayConfig, report: Report): void {
  checkPlace(redis, ['redis'], report);
  for (const role of redisRoles)
    if (redis[role] !== undefined) checkPlace(redis[role], ['redis', role], report);
}

function checkPlace(given: RedisConfig | RedisRoleConfig, at: readonly string[], report: Report): void {
  const { url, cluster, sentinel } = given;
  const name = at.join('.');
  const places = Object.entries({ url, cluster, sentinel }).flatMap(([key, value]) =>
    value === undefined ? [] : [key],
  );
  for (const second of places.slice(1))
    report(
      [...at, second],
      `${name}.${places[0] ?? ''} says already where Redis is`,
      'keep one of url, cluster and sentinel',
    );
  for (const key of ['username', 'password'] as const) {
    if (given[key] === undefined || (cluster ?? sentinel) !== undefined) continue;
    report(
      [...at, key],
      `${key} is only for ${name}.cluster and ${name}.sentinel`,
      'write it into the URL: redis://user:password@host:6379',
    );
  }
  if (given.tls !== undefined && url !== undefined && !url.reveal().startsWith('rediss://'))
    report([...at, 'tls'], `${name}.url is not one of TLS`, 'write rediss:// instead of redis://');
}

/** Several processes are one gateway only through what they share. */
function checkWorkers({ workers, redis }: GatewayConfig, report: Report): void {
  if (workers === 'auto' || workers === 1 || sharesWork(redis)) return;
  report(
    ['workers'],
    `${workers} workers without Redis would each grant the whole limit, and keep a cache of their own that no purge reaches`,
    'name a Redis (redis.url, redis.cluster or redis.sentinel), or write workers: 1 or auto',
    [['redis']],
  );
}

/** Addresses that only this machine can reach. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

function checkAdmin({ admin: { host, token } }: GatewayConfig, report: Report): void {
  if (token !== undefined || LOOPBACK.test(host)) return;
  report(
    ['admin', 'host'],
    `whoever reaches ${host} could read the metrics and purge the cache`,
    'add admin.token (openssl rand -hex 32 makes a good one), or keep admin.host on 127.0.0.1',
    [['admin', 'token']],
  );
}
