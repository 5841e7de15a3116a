import { ConfigError, problemText } from '../../config/yaml/problem.ts';
import { type ConfigChange, findChanges } from './find-changes.ts';
import type { SoundConfig } from './reload-outcome.ts';

/** The configuration on disk, compared with the one in force. */
export type NextConfig =
  | { readonly kind: 'sound'; readonly next: SoundConfig; readonly changes: readonly ConfigChange[] }
  | { readonly kind: 'unsound'; readonly problems: readonly string[] };

/** The problems behind an error, as an operator reads them. */
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
 * The keys among some changes that need a restart.
 * @internal
 */
export function findFixed(changes: readonly ConfigChange[]): readonly string[] {
  return FIXED.filter((key) => changes.some(({ path }) => path === key || path.startsWith(`${key}.`)));
}

/** The problems of such keys. */
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

/** Reads the configuration of the files. A problem is a result, not an error. */
export async function readNextConfig(
  read: () => Promise<SoundConfig>,
  inForce: SoundConfig,
): Promise<NextConfig> {
  try {
    const next = await read();
    const changes = findChanges(inForce, next);
    const problems = fixedProblems(next, findFixed(changes));
    if (problems.length > 0) return { kind: 'unsound', problems };
    return { kind: 'sound', next, changes };
  } catch (error) {
    return { kind: 'unsound', problems: problemsOf(error) };
  }
}
