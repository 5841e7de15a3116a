import { openOperated as open, refusal } from '../../support/migration/operated-migration.ts';

describe('the actions on a migration', () => {
  it('say without Redis what this process has, and for how long', async () => {
    const lost = () => Promise.reject(new Error('Connection is closed.'));
    const { run, go, status } = open({ operatorTasks: { report: lost } });
    await run('create');
    await go('shadow');
    expect(await status()).toMatchObject({
      ...{ scope: 'process', stage: 'shadow', rev: 2, staleSeconds: 0, compare: {} },
      gate: { next: 'ramp:1', ready: false, unmet: [{ id: 'redis' }] },
      task: { kind: 'create' },
    });
  });

  it('hint at a rollback of one gateway where Redis does not take that of the fleet', async () => {
    const { run, go, ask, states } = open();
    await run('create');
    await go('shadow');
    states.change = () => Promise.reject(new Error('Connection is closed.'));
    const back = ask('migrations.rollback', { resource: 'users' });
    await expect(back).rejects.toEqual(refusal('portico migration rollback users --local'));
    await expect(back).rejects.toEqual(refusal('the connection is lost'));
  });

  it('keep what a walk found although Redis loses one command', async () => {
    const { run, status, states } = open({
      operatorTasks: {
        walk: () => Promise.resolve({ records: 200, differences: 7, unknown: 0 }),
        compareEdgeCases: () => Promise.resolve({ asked: 19, different: 0, named: [], refused: [] }),
      },
    });
    await run('create');
    const change = states.change.bind(states);
    let asked = 0;
    states.change = (...args) =>
      (asked += 1) === 1 ? Promise.reject(new Error('Command timed out')) : change(...args);
    await run('walk');
    expect(await status()).toMatchObject({
      walk: { records: 200, differences: 7 },
      task: { kind: 'walk', outcome: { kind: 'done' } },
    });
  });
});
