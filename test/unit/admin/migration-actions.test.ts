import { createAct } from '../../../src/admin/actions/act.ts';
import type { OperatedMigrations } from '../../../src/admin/actions/migration/find-migration.ts';
import { createMigrationActions } from '../../../src/admin/actions/migration/migration-actions.ts';
import type { ActionName, ActionRequest, ActionValue } from '../../../src/admin/api/action-table.ts';
import { actionSpecs } from '../../../src/admin/api/action-table.ts';
import type { AuditChange } from '../../../src/audit/audit-entry.ts';
import type { Gate } from '../../../src/migration/judge/gate.ts';
import { nextPosition } from '../../../src/migration/judge/next-step.ts';
import type { OperatorTasks } from '../../../src/migration/operate/operator-tasks.ts';
import { createTasks } from '../../../src/migration/operate/tasks.ts';
import type { DeclaredMigration } from '../../../src/migration/state/declared-migration.ts';
import { createLocalStates } from '../../../src/migration/state/local-states.ts';
import { openStateFile } from '../../../src/migration/state/state-file.ts';
import { withDigests } from '../../../src/migration/state/transitions.ts';
import { goodEvidence, migrationConfig } from '../../support/migration/migration-facts.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';
import { eventually } from '../../support/time/eventually.ts';

const unasked = () => Promise.reject(new Error('no test asks for it'));

/** What an operator can do with a migration of users whose gate is as the test says. */
function open({
  ready = true,
  operatorTasks = {},
  openBreakers = () => [],
}: {
  ready?: boolean;
  operatorTasks?: Partial<OperatorTasks>;
  openBreakers?: () => readonly string[];
} = {}) {
  const clock = createManualClock();
  const states = createLocalStates({ file: openStateFile(undefined, '', () => undefined), clock });
  const declared: DeclaredMigration = {
    resource: 'users',
    sources: ['crm', 'people'],
    digests: ['a', 'b'],
    position: { stage: 'legacy', percent: 0 },
  };
  states.declare([declared]);
  const config = migrationConfig({ compare: { ignore: [], critical: [] } });
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
    evidence: {
      read: () => Promise.resolve({ 'users.get': { ...goodEvidence(10), lagMs: { '110': 3 } } }),
      differences: () => Promise.resolve([]),
    },
    operatorTasks: {
      gate,
      cusum: () => Promise.resolve({ 'users.get': 2.303 }),
      check: () => Promise.resolve({ same: 20, asked: 20, problems: [] }),
      ...{ walk: unasked, probeEdges: unasked, rehearse: unasked, replay: unasked, calibrate: unasked },
      ...{ explain: unasked, report: unasked, preview: unasked },
      ...operatorTasks,
    },
    tasks: createTasks(clock),
    openBreakers,
    clock,
  };
  const act = createAct(createMigrationActions(migrations, { record }), { audit: { record } });

  /** Asks as the operator's listener does, and checks the answer against what the table promises. */
  async function ask<Name extends ActionName>(
    name: Name,
    request: ActionRequest<Name>,
  ): Promise<ActionValue<Name>> {
    const result = await act(name, actionSpecs[name].input.parse(request), { name: 'ana', role: 'operator' });
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
  return { ask, run, go, status, audited, states };
}

const refusal = (text: string) => expect.objectContaining({ message: expect.stringContaining(text) });

describe('the actions on a migration', () => {
  it('go the whole way, one step at a time', async () => {
    const { run, go, status, ask } = open();
    await expect(go('shadow')).rejects.toEqual(refusal('"code":"conflict"'));
    expect(await run('create')).toMatchObject({ kind: 'done', result: { same: 20 } });
    await go('shadow');
    await expect(go('ramp', { percent: 5 })).rejects.toEqual(refusal('more than one step away'));
    for (const percent of [1, 5, 25, 50, 100])
      expect(await go('ramp')).toMatchObject({ stage: 'ramp', percent });
    await go('live');
    await go('complete');
    expect(await status()).toMatchObject({
      ...{ resource: 'users', sources: ['crm', 'people'], stage: 'complete', percent: 0, hold: null },
      ...{ rev: 9, gate: { next: null }, fallback: { failed: 0 }, lastRollback: null },
      compare: {
        'users.get': {
          ...{ keys: 10, match: 10, mismatch: 0, inconclusive: 0, ignored: 0, failedNew: 0 },
          ...{ bound95: 0.259, cusum: 2.3, lagP99Ms: 110 },
        },
      },
      replicas: { total: 1, atRev: 1, stale: [] },
    });
    expect((await ask('migrations', {})).migrations).toEqual([
      { resource: 'users', sources: ['crm', 'people'], rev: 9, stage: 'complete', percent: 0 },
    ]);
  });

  it('are refused by a gate with what is missing, and forced only with a reason', async () => {
    const { run, go, audited } = open({ ready: false });
    await run('create');
    await expect(go('shadow')).rejects.toEqual(refusal('"unmet":[{"id":"soak","have":"19h","need":"24h"}]'));
    await expect(go('shadow', { force: true })).rejects.toEqual(refusal('needs a reason'));
    expect(await go('shadow', { force: true, reason: 'rehearsing' })).toMatchObject({ stage: 'shadow' });
    expect(audited.at(-1)).toMatchObject({
      ...{ actor: 'ana', action: 'migrations.stage', target: 'users', reason: 'rehearsing', outcome: 'done' },
      before: { stage: 'legacy', rev: 1 },
      after: { stage: 'shadow', rev: 2 },
    });
    expect(audited.at(-2)?.outcome).toMatch(/^refused: a forced step needs a reason/);
  });

  it('roll back without a gate, hold, and go on only after somebody has acknowledged it', async () => {
    const { run, go, ask, status, states } = open();
    await run('create');
    await go('shadow');
    await go('ramp');
    await go('ramp');
    const { generation } = states.current('users')!;
    expect(await ask('migrations.rollback', { resource: 'users', reason: 'odd mails' })).toMatchObject({
      stage: 'shadow',
    });
    expect(await status()).toMatchObject({
      ...{ generation: generation + 1, hold: { by: 'ana' }, gate: { next: 'ramp:1' } },
      lastRollback: { rule: 'asked', from: { stage: 'ramp', percent: 5 }, evidence: 'odd mails' },
    });
    await expect(go('ramp', { force: true, reason: 'x' })).rejects.toEqual(refusal('on hold'));
    await ask('migrations.resume', { resource: 'users', reason: 'mended' });
    expect(await go('ramp')).toMatchObject({ stage: 'ramp', percent: 1 });
  });

  it('change nothing where the rev is another, and say which one it is', async () => {
    const { run, go, status } = open();
    await run('create');
    await expect(go('shadow', { rev: 0 })).rejects.toEqual(refusal('its rev is 1'));
    expect((await status()).stage).toBe('legacy');
  });

  it('move one operation apart from its resource', async () => {
    const { run, go, ask, status } = open();
    await run('create');
    await go('shadow');
    await go('ramp', { operation: 'users.get' });
    expect(await status()).toMatchObject({
      stage: 'shadow',
      operations: { 'users.get': { stage: 'ramp', percent: 1 } },
    });
    await expect(go('ramp', { operation: 'users.all' })).rejects.toEqual(refusal('no operation users.all'));
    await ask('migrations.rollback', { resource: 'users', operation: 'users.get' });
    expect((await status()).operations).toEqual({});
  });

  it('keep rules with their owner and end, and acknowledge only those that there are', async () => {
    const { ask, status } = open();
    const rule = { resource: 'users', path: 'data.name', until: '2026-12-01', reason: 'trimmed' };
    const made = await ask('migrations.ignore', rule);
    expect(made.rule).toMatchObject({ owner: 'ana', until: '2026-12-01T00:00:00.000Z' });
    const id = String(made.rule['id']);
    await expect(ask('migrations.ignore', { ...rule, until: '2025-12-01' })).rejects.toEqual(
      refusal('not to come'),
    );
    await expect(ask('migrations.acknowledge', { resource: 'users', rules: ['data.x'] })).rejects.toEqual(
      refusal('no rule data.x'),
    );
    await ask('migrations.acknowledge', { resource: 'users', rules: [id] });
    expect((await status()).acknowledged).toEqual([id]);
    await ask('migrations.unignore', { resource: 'users', id });
    expect(await status()).toMatchObject({ rules: [], acknowledged: [] });
  });

  it('show that the new source fails in this process, and that the file of a source has changed', async () => {
    const { run, go, status, states } = open({ openBreakers: () => ['users'] });
    await run('create');
    const state = states.current('users')!;
    await states.change(state, withDigests(state, ['a', 'c'], '2026-11-22T10:00:00.000Z'));
    const { breakerOpen, notes } = await status();
    expect(breakerOpen).toBe(true);
    expect(notes).toEqual([
      'the new source fails in the process that answers: it serves from the legacy one for half a minute',
      'the file of a source has changed at 2026-11-22T10:00:00.000Z: the evidence began anew',
    ]);
    await go('shadow');
    expect((await status()).notes).toHaveLength(1);
    expect(await open().status()).toMatchObject({ breakerOpen: false, notes: [] });
  });

  it('run long work, keep what a walk found, and write a line in the audit at its end', async () => {
    const { run, status, audited } = open({
      operatorTasks: {
        walk: () => Promise.resolve({ records: 200, differences: 7, unknown: 0 }),
        probeEdges: () =>
          Promise.resolve({ asked: 19, different: 1, named: ['page past the end'], refused: [] }),
        rehearse: () => Promise.resolve({ tripped: true, evidence: 'cusum 9.4 after 6 s' }),
      },
    });
    await run('create');
    await run('walk');
    await run('rehearse');
    expect(await status()).toMatchObject({
      walk: { records: 200, differences: 7 },
      edges: { asked: 19, different: 1, named: ['page past the end'] },
      task: { kind: 'rehearse', outcome: { kind: 'done' } },
    });
    expect(audited.map(({ target, after }) => [target, after === undefined])).toEqual([
      ['users create', true],
      ['users create', false],
      ['users walk', true],
      ['users walk', false],
      ['users walk', false],
      ['users rehearse', true],
    ]);
  });

  it('do not begin where the sources do not have the same records', async () => {
    const problems = ['users.get: user_7 of crm is another record in people'];
    const { run, status } = open({
      operatorTasks: { check: () => Promise.resolve({ same: 0, asked: 20, problems }) },
    });
    expect(await run('create')).toMatchObject({ kind: 'failed', problem: problems[0] });
    expect((await status()).rev).toBe(0);
  });

  it('say which migrations there are where one is asked for that is not declared', async () => {
    const { ask } = open();
    await expect(ask('migrations.status', { resource: 'products' })).rejects.toEqual(
      refusal('those that it declares: users'),
    );
  });
});
