// Finds settings of the gateway file that are valid but probably a mistake, for warnings at a start and in `portico check`.

import { writeDuration } from '../../kernel/duration.ts';
import { API_PAGE_PATH, apiPageRoute, type GatewayConfig } from '../schema/gateway.ts';
import type { LoadedConfig } from '../schema/loaded-config.ts';
import { hasAddress } from '../schema/redis.ts';
import type { PassthroughConfig } from '../schema/passthrough.ts';
import { weakTokens } from './check-admin.ts';
import { weakGates } from './check-migrations.ts';
import type { Problem } from '../yaml/problem.ts';
import type { YamlFile } from '../yaml/yaml-file.ts';

/** Yields each route below another route that has fewer methods than that one, because such requests are refused. */
function* hiddenMethods(routes: readonly PassthroughConfig[]) {
  for (const [index, route] of routes.entries()) {
    for (const outer of routes) {
      if (!outer.subpaths || !route.path.startsWith(`${outer.path}/`)) continue;
      const hidden = outer.methods.filter((method) => !route.methods.includes(method));
      if (hidden.length > 0) yield { index, route, outer, hidden };
    }
  }
}

/** The default pepper in config/portico.yaml, which everybody can read. */
const PUBLISHED_PEPPER = 'a-pepper-for-trying-out-only';

/** Whether keys are hashed with the published default pepper. */
export function hasPublishedPepper({ auth }: GatewayConfig): boolean {
  return auth.apiKeys?.pepper.reveal() === PUBLISHED_PEPPER;
}

/** Yields probable mistakes in migrations: path, message and hint. */
function* migrationNotes({ resources }: GatewayConfig) {
  for (const [name, { migration, cache }] of Object.entries(resources)) {
    if (migration === undefined) continue;
    const place = ['resources', name, 'migration'];
    const weak = weakGates(migration);
    if (weak !== undefined)
      yield [
        [...place, 'gate'],
        weak,
        'leave soak, step and liveFor away: their defaults are those for production',
      ] as const;
    const { delay } = migration.recheck;
    // A lag is measured only after a recheck, so no measured lag is shorter than the delay of the recheck.
    if (delay > cache.fresh * 1_000)
      yield [
        [...place, 'recheck', 'delay'],
        `the gate asks for a lag of at most cache.fresh (${cache.fresh}s), and each lag that is seen lasted ${writeDuration(delay)} at least: the first one closes the gate`,
        `make cache.fresh of ${name} ${writeDuration(delay)} or longer, or recheck.delay shorter: about three times the time that a write takes to reach "${migration.to}"`,
      ] as const;
  }
}

/**
 * Finds settings that are valid but probably a mistake. They do not prevent a start. `source/adapter/lint-source.ts` finds
 * those within one source file.
 */
export function lintGateway(
  gateway: GatewayConfig,
  sources: LoadedConfig['sources'],
  yaml: YamlFile,
): readonly Problem[] {
  const notes: Problem[] = [];
  const note = (...problem: Parameters<YamlFile['problemAt']>) => notes.push(yaml.problemAt(...problem));
  for (const { index, route, outer, hidden } of hiddenMethods(gateway.passthrough)) {
    note(
      ['passthrough', index, 'methods'],
      `${hidden.join(', ')} ${route.path} is answered 405: the longest path decides, so "${outer.name}" does not get the request`,
      `add it to the methods of "${route.name}" if the route should accept it`,
    );
  }
  const inItsPlace = apiPageRoute(gateway);
  if (gateway.docs && inItsPlace !== -1)
    note(
      ['passthrough', inItsPlace, 'path'],
      `${API_PAGE_PATH} goes to "${gateway.passthrough[inItsPlace]?.name ?? ''}", so the API page is not served`,
      'write docs: false if that is meant, or choose another path for the route',
    );
  const keepsKeys = hasAddress(gateway.redis) || (gateway.redis.keys && hasAddress(gateway.redis.keys));
  if (keepsKeys === true && hasPublishedPepper(gateway))
    note(
      ['auth', 'apiKeys', 'pepper'],
      'the pepper is the published one, so anybody who can read the stored hashes can test guessed keys against them',
      'set PORTICO_KEY_PEPPER on every replica before you make keys (openssl rand -base64 32 makes a good one)',
    );
  for (const path of weakTokens(gateway))
    note(
      path,
      'the token has fewer than 128 bits; no limit holds up a right one, so only its length keeps it from being guessed',
      'openssl rand -hex 32 makes a good one',
    );
  for (const [path, message, hint] of migrationNotes(gateway)) note(path, message, hint);
  for (const { spec, yaml: file } of sources.values()) {
    for (const name of Object.keys(spec.resources)) {
      const serving = gateway.resources[name];
      const isUsed = serving?.source === spec.name || serving?.migration?.to === spec.name;
      if (isUsed) continue;
      const served = serving?.source;
      notes.push(
        file.problemAt(
          ['resources', name],
          served === undefined ? `these ${name} are not served` : `${name} are served from "${served}"`,
          served === undefined
            ? `say source: ${spec.name} under resources.${name} of the gateway file to serve them`
            : `say migration: { to: ${spec.name} } under resources.${name} of the gateway file to move them, see config/docs/migrate.md`,
        ),
      );
    }
  }
  return notes;
}
