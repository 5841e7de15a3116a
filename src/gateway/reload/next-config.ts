// Reads the configuration on disk for a reload, and says whether it may replace the one in force.

import { ConfigError, problemText } from '../../config/yaml/problem.ts';
import { endedProblems } from './ended-migrations.ts';
import { type ConfigChange, findChanges } from './find-changes.ts';
import type { KnownMigrations, SoundChange, SoundConfig } from './reload-outcome.ts';

/** The configuration on disk: sound, with its changes, or unsound, with its problems. */
export type NextConfig =
  | ({ readonly kind: 'sound'; readonly next: SoundConfig } & SoundChange)
  | { readonly kind: 'unsound'; readonly problems: readonly string[]; readonly resets: readonly string[] };

/** The problems behind an error, as texts for operators. */
export function problemsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.problems.map(problemText);
  return [error instanceof Error ? error.message : 'the configuration cannot be read'];
}

/** The keys of the gateway's file that cannot change while the process runs, each with all keys below it. */
const FIXED = [
  'workers',
  'listen.host',
  'listen.port',
  'admin.host',
  'admin.port',
  'redis',
  'telemetry',
  'state.dir',
];

/**
 * The changed keys that need a restart.
 * @internal
 */
export function findFixed(changes: readonly ConfigChange[]): readonly string[] {
  return FIXED.filter((key) => changes.some(({ path }) => path === key || path.startsWith(`${key}.`)));
}

/** The problems of changed keys that need a restart. */
function fixedProblems({ texts }: SoundConfig, keys: readonly string[]): readonly string[] {
  const { file } = texts.files.gateway;
  return keys.map((key) =>
    problemText({
      file,
      path: key,
      message: 'cannot change while the gateway runs',
      hint: 'put the former value back, or restart the gateway with the new one',
    }),
  );
}

/**
 * The resources with a migration whose contract changes. The comparisons so far say nothing about answers by the new contract.
 */
function findResets(inForce: SoundConfig, { gateway }: SoundConfig): readonly string[] {
  const digestIn = ({ contract, resources }: SoundConfig['gateway'], name: string) =>
    resources[name]?.migration && contract.resources.get(name)?.digest;
  return Object.keys(gateway.resources).filter((name) => {
    const [before, after] = [digestIn(inForce.gateway, name), digestIn(gateway, name)];
    return before !== undefined && after !== undefined && before !== after;
  });
}

/** The problems of resources with a migration whose contract changes. */
function resetProblems({ texts }: SoundConfig, resets: readonly string[]): readonly string[] {
  const file = texts.files.contract?.file ?? texts.files.gateway.file;
  return resets.map((name) => {
    const message = `cannot change while ${name} moves to another source: its answers would not be those that were compared`;
    const hint = 'end the migration first, or reload with --force: the comparison counts begin anew';
    return problemText({ file, path: `resources.${name}`, message, hint });
  });
}

/**
 * Reads the configuration from its files. It never rejects: a problem is a result. `isForced`: the contract of a resource with a
 * migration may change, and a migration may end. `migrations` asks for the positions of the migrations.
 */
export async function readNextConfig(
  read: () => Promise<SoundConfig>,
  inForce: SoundConfig,
  isForced: boolean,
  migrations: () => Promise<KnownMigrations>,
): Promise<NextConfig> {
  try {
    const next = await read();
    const changes = findChanges(inForce, next);
    const resets = findResets(inForce, next);
    const fixed = fixedProblems(next, findFixed(changes));
    const ended = isForced ? [] : await endedProblems(inForce, next, migrations);
    const problems = [...fixed, ...ended, ...(isForced ? [] : resetProblems(next, resets))];
    if (problems.length === 0) return { kind: 'sound', next, changes, resets };
    return { kind: 'unsound', problems, resets: fixed.length + ended.length === 0 ? resets : [] };
  } catch (error) {
    return { kind: 'unsound', problems: problemsOf(error), resets: [] };
  }
}
