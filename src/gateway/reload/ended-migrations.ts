// Finds the migrations that a new configuration would end while they are under way, so that a reload is refused.

import type { Act } from '../../admin/actions/act.ts';
import type { MigrationList } from '../../admin/api/migration-schemas.ts';
import { type Problem, problemText } from '../../config/yaml/problem.ts';
import { positionText } from '../../migration/state/migration-state.ts';
import type { KnownMigrations, SoundConfig } from './reload-outcome.ts';

/** Asks for the positions of the migrations of the configuration in force; `undefined` if they are not known now. */
export async function askMigrations(act: Act): Promise<KnownMigrations> {
  const result = await act('migrations', {}, { name: 'reload', role: 'viewer' });
  return result.kind === 'done' ? (result.value as MigrationList).migrations : undefined;
}

type Resources = SoundConfig['gateway']['resources'];

/** The legacy and the new source of a resource; `undefined` if it does not move. */
function pairOf(resources: Resources, name: string): readonly [string, string] | undefined {
  const { source, migration } = resources[name] ?? {};
  return source === undefined || migration === undefined ? undefined : [source, migration.to];
}

/** What happens to a resource whose migration a new configuration ends, in words. */
function effectOf(resources: Resources, name: string): string {
  const next = resources[name];
  if (next === undefined) return `${name} is not served any more`;
  const begins = next.migration === undefined ? '' : `, and one to ${next.migration.to} begins`;
  return `all callers get the answers of ${next.source}; comparisons, rules and hold end${begins}`;
}

/** Why a migration must not end now; `undefined` if it has not begun, or is complete and its new source stays. */
function problemOf(
  [legacy, to]: readonly [string, string],
  name: string,
  next: SoundConfig['gateway'],
  known: KnownMigrations,
): Omit<Problem, 'file'> | undefined {
  const found = known?.find(({ resource }) => resource === name);
  const positions = found === undefined ? [] : [found, ...Object.values(found.operations ?? {})];
  if (found !== undefined && positions.every(({ stage }) => stage === 'legacy')) return undefined;
  const isFinished = found !== undefined && positions.every(({ stage }) => stage === 'complete');
  if (isFinished && next.resources[name]?.source === to) return undefined;
  const at = found === undefined ? 'of which no process says where it is' : `at ${positionText(found)}`;
  return {
    path: `resources.${name}`,
    message: `would end the migration of ${name} from ${legacy} to ${to}, ${at}: ${effectOf(next.resources, name)}`,
    hint: `end it first, by portico migration complete or rollback ${name}; or reload with --force`,
  };
}

/** The problems of migrations under way that a new configuration removes, or moves to another source. */
export async function endedProblems(
  inForce: SoundConfig,
  { gateway, texts }: SoundConfig,
  ask: () => Promise<KnownMigrations>,
): Promise<readonly string[]> {
  const { file } = texts.files.gateway;
  const ended = Object.keys(inForce.gateway.resources).flatMap((name) => {
    const [before, after] = [inForce.gateway, gateway].map(({ resources }) => pairOf(resources, name));
    return before === undefined || before.join() === after?.join() ? [] : [{ name, pair: before }];
  });
  if (ended.length === 0) return [];
  const known = await ask();
  return ended.flatMap(({ name, pair }) => {
    const problem = problemOf(pair, name, gateway, known);
    return problem === undefined ? [] : [problemText({ file, ...problem })];
  });
}
