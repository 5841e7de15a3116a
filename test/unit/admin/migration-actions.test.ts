import { rolledBack, withDigests } from '../../../src/migration/state/transitions.ts';
import { openOperated as open, refusal } from '../../support/migration/operated-migration.ts';

describe('the actions on a migration', () => {
  it('roll one process back alone, which lasts until it is resumed, and move nobody else', async () => {
    const { run, go, ask, status, states } = open();
    await run('create');
    await go('shadow');
    await go('ramp', { percent: 1 });
    const { rev } = await status();
    const resource = 'users';
    await ask('migrations.rollback', { resource, scope: 'local', reason: 'Redis is gone' });
    expect([states.current('users')?.stage, states.shared('users')?.stage]).toEqual(['shadow', 'ramp']);
    expect(await status()).toMatchObject({
      ...{ rev, stage: 'ramp', percent: 1 },
      notes: expect.arrayContaining([expect.stringContaining('rolled back alone: it serves by shadow')]),
    });
    await ask('migrations.resume', { resource, reason: 'Redis is back' });
    expect(states.current('users')).toMatchObject({ rev, stage: 'ramp', percent: 1 });
    await expect(ask('migrations.resume', { resource, reason: 'again' })).rejects.toEqual(
      refusal('not on hold'),
    );
  });

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
          ...{ transient: 0, given: 0, once: [] },
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

  it('roll back once where the judge has just done so, and end the shadow only with --force or a minute later', async () => {
    const { run, go, ask, status, states, clock } = open();
    await run('create');
    await go('shadow');
    await go('ramp');
    const state = states.current('users')!;
    const at = new Date(clock.now()).toISOString();
    await states.change(state, rolledBack(state, { by: 'judge', at, rule: 'failures', evidence: 'x' }));
    const again = () => ask('migrations.rollback', { resource: 'users' });
    await expect(again()).rejects.toEqual(refusal('judge has rolled it back at'));
    expect((await status()).stage).toBe('shadow');
    clock.advance(60_000);
    expect(await again()).toMatchObject({ stage: 'legacy' });
  });

  it('end the shadow at once where no rollback came before, and with --force', async () => {
    const { run, go, ask } = open();
    await run('create');
    await go('shadow');
    expect(await ask('migrations.rollback', { resource: 'users' })).toMatchObject({ stage: 'legacy' });
    await ask('migrations.resume', { resource: 'users', reason: 'x' });
    for (const stage of ['shadow', 'ramp'] as const) await go(stage);
    expect(await ask('migrations.rollback', { resource: 'users' })).toMatchObject({ stage: 'shadow' });
    const forced = await ask('migrations.rollback', { resource: 'users', force: true });
    expect(forced).toMatchObject({ stage: 'legacy' });
  });

  it.each([
    [
      'the rollback',
      (to: ReturnType<typeof open>) => to.ask('migrations.rollback', { resource: 'users', force: true }),
    ],
    ['the step back', (to: ReturnType<typeof open>) => to.go('live', { force: true, reason: 'x' })],
  ])('refuse %s from complete while the legacy source does not answer', async (_what, goBack) => {
    let problem: string | undefined = 'crm does not answer: upstream_unavailable';
    const opened = open({ operatorTasks: { legacyProblem: () => Promise.resolve(problem) } });
    await opened.run('create');
    await opened.go('shadow');
    for (const stage of ['live', 'complete'] as const) await opened.go(stage, { force: true, reason: 'x' });
    await expect(goBack(opened)).rejects.toEqual(refusal('crm does not answer: upstream_unavailable'));
    expect((await opened.status()).stage).toBe('complete');
    problem = undefined;
    expect((await goBack(opened)).stage).not.toBe('complete');
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

  it('show that the new source fails in this process, why nothing is compared, and that the file of a source has changed', async () => {
    const { run, go, status, states } = open({
      openBreakers: () => ['users'],
      uncompared: () => ['nothing is compared with people; the breaker of the source is open'],
    });
    await run('create');
    const state = states.current('users')!;
    await states.change(state, withDigests(state, ['a', 'c'], '2026-11-22T10:00:00.000Z'));
    const { breakerOpen, notes } = await status();
    expect(breakerOpen).toBe(true);
    expect(notes).toEqual([
      'the new source fails in the process that answers: it serves from the legacy one for half a minute',
      'nothing is compared with people; the breaker of the source is open (in the process that answers)',
      'the file of a source has changed at 2026-11-22T10:00:00.000Z: the comparison counts began anew',
    ]);
    await go('shadow');
    expect((await status()).notes).toHaveLength(2);
    expect(await open().status()).toMatchObject({ breakerOpen: false, notes: [] });
  });

  it('hand over what differs once, with a line in the audit that has no id', async () => {
    const found = { id: 'user_7', path: 'data[].id', kind: 'missing_id' } as const;
    const { run, ask, audited, status } = open({
      operatorTasks: {
        walk: (_resource, _run, onDifference) => {
          onDifference?.(found);
          return Promise.resolve({ records: 200, differences: 1, unknown: 0 });
        },
      },
    });
    const take = () => ask('migrations.ids', { resource: 'users', reason: 'the copy' });
    await expect(take()).rejects.toEqual(refusal('this process has no ids'));
    expect(await run('ids')).toMatchObject({ result: { records: 200, named: 1 } });
    expect(await take()).toEqual({ differences: [found] });
    await expect(take()).rejects.toEqual(refusal('this process has no ids'));
    const about = { action: 'migrations.ids', target: 'users ids', reason: 'the copy' };
    expect(audited).toContainEqual(
      expect.objectContaining({ ...about, after: { differences: 1 }, outcome: 'done' }),
    );
    expect(JSON.stringify([audited, await status()])).not.toContain('user_7');
  });

  it('run long work, keep what a walk found, and write a line in the audit at its end', async () => {
    const { run, status, audited } = open({
      operatorTasks: {
        walk: () => Promise.resolve({ records: 200, differences: 7, unknown: 0 }),
        compareEdgeCases: () =>
          Promise.resolve({ asked: 19, different: 1, named: ['page past the end'], refused: [] }),
        rehearse: () => Promise.resolve({ tripped: true, reason: 'cusum 9.4 after 6 s' }),
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
