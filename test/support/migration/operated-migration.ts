import { createAct } from '../../../src/admin/actions/act.ts';
import type { OperatedMigrations } from '../../../src/admin/actions/migration/find-migration.ts';
import { createMigrationActions } from '../../../src/admin/actions/migration/migration-actions.ts';
import {
  type ActionName,
  type ActionRequest,
  actionSpecs,
  type ActionValue,
} from '../../../src/admin/api/action-table.ts';
import type { AuditChange } from '../../../src/store/audit/audit-entry.ts';
import type { Gate } from '../../../src/migration/judge/gate.ts';
import { nextPosition } from '../../../src/migration/judge/next-position.ts';
import type { OperatorTasks } from '../../../src/migration/operate/operator-tasks.ts';
import { createTasks } from '../../../src/migration/operate/tasks.ts';
import type { DeclaredMigration } from '../../../src/migration/state/declared-migration.ts';
import { createLocalStates } from '../../../src/migration/state/state-replica.ts';
import { openStateFile } from '../../../src/migration/state/state-file.ts';
import { migrationReport } from '../../../src/migration/report/migration-report.ts';
import { gateFacts, goodEvidence, migrationConfig } from './migration-facts.ts';
import { createManualClock } from '../time/manual-clock.ts';
import { eventually } from '../time/eventually.ts';

const unasked = () => Promise.reject(new Error('no test asks for it'));

const FACTS = gateFacts({
  config: migrationConfig({ compare: { ignore: [], critical: [] } }),
  counts: { 'users.get': { ...goodEvidence(10), lagMs: { '110': 3 } } },
  cusum: { 'users.get': 2.303 },
});

type OperatedOptions = {
  readonly ready?: boolean;
  readonly approvals?: number;
  readonly operatorTasks?: Partial<OperatorTasks>;
  readonly openBreakers?: () => readonly string[];
  readonly uncompared?: () => readonly string[];
};

/** What an operator can do with a migration of users whose gate is as the test says. */
export function openOperated({
  ready = true,
  operatorTasks = {},
  openBreakers = () => [],
  uncompared = () => [],
  approvals = 0,
}: OperatedOptions = {}) {
  const clock = createManualClock();
  const states = createLocalStates({ file: openStateFile(undefined, '', () => undefined), clock });
  const declared: DeclaredMigration = {
    resource: 'users',
    sources: ['crm', 'people'],
    digests: ['a', 'b'],
    position: { stage: 'legacy', percent: 0 },
  };
  states.declare([declared]);
  const config = { ...FACTS.config, approvals };
  const gate = (_resource: string, operation?: string): Promise<Gate> => {
    const next = nextPosition(config, states.current('users')!, operation);
    const unmet = ready ? [] : [{ id: 'soak', have: '19h', need: '24h' }];
    return Promise.resolve({ next, ready, unmet, met: [] });
  };
  const audited: AuditChange[] = [];
  const record = (change: AuditChange) => {
    audited.push(change);
    return Promise.resolve('kept' as const);
  };
  const migrations: OperatedMigrations = {
    migrating: () => [{ declared, config, operations: ['users.list', 'users.get'] }],
    states,
    counts: { differences: () => Promise.resolve([]) },
    operatorTasks: {
      gate,
      report: async (resource, operation) =>
        migrationReport(
          { ...FACTS, state: states.shared(resource)!, operation },
          await gate(resource, operation),
        ),
      check: () => Promise.resolve({ same: 20, asked: 20, problems: [] }),
      ...{ walk: unasked, compareEdgeCases: unasked, rehearse: unasked, replay: unasked },
      legacyProblem: () => Promise.resolve(undefined),
      ...{ explain: unasked, reportText: unasked, preview: unasked },
      ...operatorTasks,
    },
    tasks: createTasks(clock),
    ...{ openBreakers, uncompared },
    labels: () => Promise.resolve(new Map([['k3y0fth3cl13', 'web']])),
    clock,
  };
  const act = createAct(createMigrationActions(migrations, { record }), { audit: { record } });

  /** Asks as the operator's listener does, and checks the answer against what the table promises. */
  async function ask<Name extends ActionName>(
    name: Name,
    request: ActionRequest<Name>,
    by = 'ana',
  ): Promise<ActionValue<Name>> {
    const result = await act(name, actionSpecs[name].input.parse(request), { name: by, role: 'operator' });
    if (result.kind === 'refused') throw new Error(JSON.stringify(result.problem));
    const sent: unknown = JSON.parse(JSON.stringify(result.value));
    return actionSpecs[name].output.parse(sent) as ActionValue<Name>;
  }

  /** Starts long work, and waits for its end. */
  async function run(task: ActionRequest<'migrations.start'>['task']) {
    await ask('migrations.start', { resource: 'users', task });
    return eventually(() => {
      const outcome = migrations.tasks.of('users')?.outcome;
      return outcome?.kind === 'running' ? undefined : outcome;
    });
  }

  const status = () => ask('migrations.status', { resource: 'users' });
  const go = (stage: 'shadow' | 'ramp' | 'live' | 'complete', more: object = {}) =>
    ask('migrations.stage', { resource: 'users', stage, ...more });
  return { ask, run, go, status, audited, states, clock };
}

/** An error whose message has this text. */
export const refusal = (text: string) => expect.objectContaining({ message: expect.stringContaining(text) });
