// Checks what no schema can check: names that one part of a configuration uses and another one defines.

import type { Contract } from '../../contract/resource.ts';
import { checkAdmin } from './check-admin.ts';
import { checkMigrations, findSource, type KnownSources } from './check-migrations.ts';
import { closest } from './closest.ts';
import type { GatewayConfig } from '../schema/gateway.ts';
import type { PassthroughConfig } from '../schema/passthrough.ts';
import type { ReportProblem } from '../yaml/problem.ts';
import { type RedisConfig, type RedisRoleConfig, redisRoles, sharesWork } from '../schema/redis.ts';

/** Checks the parts of a configuration against each other: what a schema of one part alone cannot check. */
export function crossCheck(gateway: GatewayConfig, sources: KnownSources, report: ReportProblem): void {
  checkResources(gateway, sources, report);
  checkMigrations(gateway, sources, report);
  checkTiers(gateway, report);
  checkPassthrough(gateway, report);
  checkApiKeys(gateway, report);
  checkRedis(gateway, report);
  checkWorkers(gateway, report);
  checkAdmin(gateway, report);
}

/** The message and the hint for the name of a resource that the contract does not have. */
export function unknownResource(
  name: string,
  { resources }: Contract,
): readonly [message: string, hint: string] {
  const names = [...resources.keys()];
  const near = closest(name, names);
  return [
    `the contract has no resource ${name}`,
    `${near === undefined ? '' : `did you mean ${near}? `}resources: ${names.join(', ')}`,
  ];
}

function checkResources(gateway: GatewayConfig, sources: KnownSources, report: ReportProblem): void {
  for (const [name, resource] of Object.entries(gateway.resources)) {
    if (!gateway.contract.resources.has(name)) {
      report(['resources', name], ...unknownResource(name, gateway.contract));
      continue;
    }
    const source = findSource(resource.source, name, sources, (...problem) =>
      report(['resources', name, 'source'], ...problem),
    );
    if (source !== undefined && source.spec.budget.time >= resource.deadline) {
      report(
        ['resources', name, 'deadline'],
        `a scan of "${resource.source}" may take as long as the whole answer, so it would end as upstream_timeout`,
        `make it longer than budget.time (${source.spec.budget.time} ms) in ${source.yaml.file}`,
      );
    }
    const { apiKeys, jwt, host } = gateway.auth;
    if (!resource.public && !host && (apiKeys ?? jwt) === undefined)
      report(
        ['resources', name],
        'no caller can read it: it is not public, and auth has neither apiKeys nor jwt',
        'add auth.apiKeys, or say public: true',
      );
  }
}

function checkTiers(gateway: GatewayConfig, report: ReportProblem): void {
  const { tiers } = gateway.limits;
  const names = Object.keys(tiers);
  const check = (path: readonly PropertyKey[], tier: string | undefined) => {
    if (tier === undefined || names.includes(tier)) return;
    // The file need not name this tier, because `standard` is the default of these keys.
    const line = `${String(path.at(-1))}: ${closest(tier, names) ?? names[0] ?? '<name>'}`;
    const isDefault = tier === 'standard' ? ', which it is if nothing is written' : '';
    report(path, `no tier is named "${tier}"${isDefault}`, `write ${line}; tiers: ${names.join(', ')}`);
  };
  check(['limits', 'anonymousTier'], gateway.limits.anonymousTier);
  check(['auth', 'jwt', 'tier'], gateway.auth.jwt?.tier);
  gateway.auth.apiKeys?.keys.forEach((key, index) =>
    check(['auth', 'apiKeys', 'keys', index, 'tier'], key.tier),
  );
  for (const [name, { windows }] of Object.entries(tiers)) {
    windows.forEach(({ seconds }, index) => {
      // The RateLimit headers name a window by its length, so two windows of one length would look the same.
      if (windows.slice(0, index).some((earlier) => earlier.seconds === seconds))
        report(
          ['limits', 'tiers', name, 'windows', index],
          `an earlier window of this tier is ${seconds} s long too`,
          'keep the one that admits fewer requests',
        );
    });
  }
}

function checkApiKeys(
  { auth: { apiKeys }, passthrough, contract }: GatewayConfig,
  report: ReportProblem,
): void {
  if (apiKeys === undefined) return;
  const at = ['auth', 'apiKeys'];
  if (apiKeys.pepper.reveal().length < 16)
    report(
      [...at, 'pepper'],
      'the pepper has fewer than 16 characters',
      'openssl rand -base64 32 makes a good one',
    );
  const known = [
    ...contract.operations.map(({ name }) => name),
    ...passthrough.map(({ name }) => `passthrough.${name}`),
  ];
  apiKeys.keys.forEach((key, index) => {
    const earlier = apiKeys.keys.slice(0, index);
    const wrong = key.operations?.find((one) => !known.includes(one));
    if (wrong !== undefined)
      report(
        [...at, 'keys', index, 'operations'],
        `there is no operation ${wrong}`,
        `write ${closest(wrong, known) ?? known[0] ?? ''}; operations: ${known.join(', ')}`,
      );
    if (earlier.some((other) => other.id === key.id))
      report([...at, 'keys', index, 'id'], `the id "${key.id}" is taken`, 'give each key an id of its own');
    const same = earlier.find((other) => other.hash === key.hash);
    if (same !== undefined)
      report(
        [...at, 'keys', index, 'hash'],
        `the key "${same.id}" has the same hash`,
        'give each caller a key of its own',
      );
  });
}

/** Checks that the resources which a route purges exist, and that the route has a method that writes. */
function checkPurges(
  { purges, methods }: PassthroughConfig,
  { resources }: GatewayConfig['contract'],
  report: (message: string, hint: string) => void,
): void {
  for (const name of purges)
    if (!resources.has(name))
      report(`the contract has no resource ${name}`, `resources: ${[...resources.keys()].join(', ')}`);
  if (purges.length > 0 && methods.every((method) => method === 'GET' || method === 'HEAD'))
    report('no method of the route writes', 'methods: [GET, HEAD, POST, PUT, PATCH, DELETE]');
}

function checkPassthrough(gateway: GatewayConfig, report: ReportProblem): void {
  const root = `/${gateway.contract.version}`;
  const readers = new Map(
    Array.from(gateway.contract.resources.values(), ({ permission, name }) => [
      gateway.resources[name]?.permission ?? permission,
      name,
    ]),
  );
  gateway.passthrough.forEach((route, index) => {
    const at = ['passthrough', index];
    if (route.path === root || route.path.startsWith(`${root}/`))
      report([...at, 'path'], `the paths below ${root} belong to the contract`, 'choose another path');
    // With the built-in contract this is allowed, because such files are older than contract files.
    const reader = gateway.contract.isBuiltIn ? undefined : readers.get(route.permission ?? '');
    if (reader !== undefined)
      report(
        [...at, 'permission'],
        `${route.permission ?? ''} is the permission to read ${reader}: every key for this route could read them, too`,
        `resources.${reader}: { …, permission: ${reader}.${gateway.contract.version}:read }; or permission: ${route.name}:call here, and for the keys that need it`,
      );
    checkPurges(route, gateway.contract, (...problem) => report([...at, 'purges'], ...problem));
    const earlier = gateway.passthrough.slice(0, index);
    if (earlier.some((other) => other.name === route.name))
      report([...at, 'name'], `the name "${route.name}" is taken`, 'give each route a name of its own');
    const same = earlier.find((other) => route.path === other.path);
    if (same !== undefined)
      report(
        [...at, 'path'],
        `never reached: routes are chosen by path, and "${same.name}" has the same`,
        same.methods.every((method) => route.methods.includes(method))
          ? 'give each route a path of its own'
          : `give each route a path of its own, or name all methods in one: methods: [${[...new Set([...same.methods, ...route.methods])].join(', ')}]`,
      );
  });
}

function checkRedis({ redis }: GatewayConfig, report: ReportProblem): void {
  checkRedisAddress(redis, ['redis'], report);
  for (const role of redisRoles)
    if (redis[role] !== undefined) checkRedisAddress(redis[role], ['redis', role], report);
}

function checkRedisAddress(
  given: RedisConfig | RedisRoleConfig,
  at: readonly string[],
  report: ReportProblem,
): void {
  const { url, cluster, sentinel } = given;
  const name = at.join('.');
  const places = Object.entries({ url, cluster, sentinel }).flatMap(([key, value]) =>
    value === undefined ? [] : [key],
  );
  for (const second of places.slice(1))
    report(
      [...at, second],
      `${name}.${places[0] ?? ''} already names the Redis`,
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
    report([...at, 'tls'], `${name}.url does not use TLS`, 'write rediss:// instead of redis://');
}

/** Checks that several workers have a Redis, because they share limits and purges through it. */
function checkWorkers({ workers, redis }: GatewayConfig, report: ReportProblem): void {
  if (workers === 'auto' || workers === 1 || sharesWork(redis)) return;
  report(
    ['workers'],
    `${workers} workers without Redis would each grant the whole limit, and keep a cache of their own that no purge reaches`,
    'name a Redis (redis.url, redis.cluster or redis.sentinel), or write workers: 1 or auto',
  );
}
