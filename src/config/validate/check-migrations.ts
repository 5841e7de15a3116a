// Checks `migration:` of each resource against its sources, its deadline and the order of its steps.

import type { ResourceName } from '../../contract/resource.ts';
import { writeDuration } from '../../kernel/duration.ts';
import type { LoadedConfig, LoadedSource } from '../schema/loaded-config.ts';
import type { ReportProblem } from '../yaml/problem.ts';
import type { GatewayConfig } from '../schema/gateway.ts';
import type { MigrationConfig } from '../schema/migration.ts';

/** The sources with a valid shape. `isComplete`: false if a source file could not be read, and a missing source may be in it. */
export type KnownSources = { readonly sources: LoadedConfig['sources']; readonly isComplete: boolean };
type Report = (place: readonly PropertyKey[], message: string, hint: string) => void;

/** Finds the source that a gateway file names for a resource. Reports it if there is none, or if it does not describe the resource. */
export function findSource(
  name: string,
  resource: ResourceName,
  { sources, isComplete }: KnownSources,
  report: (message: string, hint: string) => void,
  known = [...sources.keys()],
): LoadedSource | undefined {
  const source = sources.get(name);
  if (source === undefined && isComplete)
    report(`no source is named "${name}"`, `sources: ${known.join(', ') || 'none'}`);
  if (source !== undefined && source.spec.resources[resource] === undefined)
    report(
      `the source "${name}" does not describe ${resource}`,
      `add resources.${resource} to ${source.yaml.file}`,
    );
  return source;
}

/** Checks that both sources describe the resource with the same default order, because answers must not change. */
function checkTarget(
  { source, deadline, to }: { readonly source: string; readonly deadline: number; readonly to: string },
  name: ResourceName,
  known: KnownSources,
  report: Report,
): void {
  if (to === source) {
    report(['to'], 'the resource is served from this source already', 'name the source that it moves to');
    return;
  }
  const others = [...known.sources.keys()].filter((one) => one !== source);
  const newSource = findSource(to, name, known, (...problem) => report(['to'], ...problem), others);
  const described = newSource?.spec.resources[name];
  if (newSource === undefined || described === undefined) return;
  const legacy = known.sources.get(source)?.spec.resources[name];
  const isOwn = (one: typeof legacy) => one?.list.order === 'source';
  if (legacy !== undefined && isOwn(legacy) !== isOwn(described))
    report(
      ['to'],
      `"${source}" and "${to}" do not have the same default order: one has an order of its own, the other is sorted by id`,
      `say the same list.order in both files, under resources.${name}`,
    );
  if (newSource.spec.budget.time >= deadline)
    report(
      ['to'],
      `a scan of "${to}" may take as long as the whole answer`,
      `make deadline longer than budget.time (${newSource.spec.budget.time} ms) in ${newSource.yaml.file}`,
    );
}

function checkPosition(
  { stage, percent, steps, allow, deny, freeze }: MigrationConfig,
  report: Report,
): void {
  if (stage === 'ramp' && percent === 0)
    report(['percent'], 'a ramp without a share serves nobody', 'write percent: 1, or stage: shadow');
  if (stage !== 'ramp' && percent !== 0)
    report(['percent'], `only a ramp has a share, and the stage is ${stage}`, 'remove percent');
  if (steps.some((step, index) => step <= (steps[index - 1] ?? 0)) || steps.at(-1) !== 100)
    report(
      ['steps'],
      'the steps of a ramp rise, and the last one is 100',
      'write steps: [1, 5, 25, 50, 100]',
    );
  const both = allow.find((caller) => deny.includes(caller));
  if (both !== undefined) report(['deny'], `"${both}" is in allow, too`, 'remove it from one of them');
  freeze.forEach(({ from, until }, index) => {
    if (until <= from)
      report(['freeze', index], 'the window ends before it begins', 'make until later than from');
  });
}

/** Checks that another operator can approve a step forward if approvals are needed. */
function checkApprovals(
  { promote, approvals }: MigrationConfig,
  { token, tokens }: GatewayConfig['admin'],
  report: Report,
): void {
  if (approvals === 0) return;
  const operators = tokens.filter(({ role }) => role === 'operator').length + (token === undefined ? 0 : 1);
  if (promote === 'auto')
    report(
      ['promote'],
      'a step that the gateway takes by itself waits for no approval',
      'write promote: ask',
    );
  if (operators < 2)
    report(
      ['approvals'],
      `nobody could approve a step of another: the operators' listener has ${operators} token${operators === 1 ? '' : 's'} with the role operator`,
      'give each operator a token of their own under admin.tokens',
    );
}

/** Checks the migrations of resources against their sources. */
export function checkMigrations(gateway: GatewayConfig, sources: KnownSources, report: ReportProblem): void {
  for (const [name, resource] of Object.entries(gateway.resources)) {
    if (resource.migration === undefined) continue;
    const { source, deadline, migration } = resource;
    const here: Report = (place, message, hint) =>
      report(['resources', name, 'migration', ...place], message, hint);
    if (gateway.contract.resources.get(name)?.hasList === false)
      here(
        [],
        `the contract has no list of ${name}, and a migration compares lists`,
        'remove migration, and change source when the new one is ready',
      );
    checkTarget({ source, deadline, to: migration.to }, name, sources, here);
    checkPosition(migration, here);
    checkApprovals(migration, gateway.admin, here);
  }
}

/** Gates shorter than these are only useful to try a migration out. */
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A message if the gates of a migration are too short for production; `undefined` if they are long enough. */
export function weakGates({ gate, rollback }: MigrationConfig): string | undefined {
  if (gate.soak >= HOUR_MS && gate.step >= MINUTE_MS && gate.liveFor >= HOUR_MS) return undefined;
  const spans = [
    ['soak', gate.soak],
    ['step', gate.step],
    ['liveFor', gate.liveFor],
    ['cooldown', rollback.cooldown],
  ] as const;
  const text = spans.map(([name, ms]) => `${name} ${ms === 0 ? '0s' : writeDuration(ms)}`).join(', ');
  return `these gates are for a demonstration, not for production: ${text}`;
}
