import { openOperated as open } from '../../support/migration/operated-migration.ts';

describe('the actions on a migration', () => {
  it('say what a forced step went over: to the one who asks, in the status, and in the audit', async () => {
    const { run, go, audited, status } = open({ ready: false });
    await run('create');
    const forced = ['soak: 19h, needs 24h'];
    expect(await go('shadow', { force: true, reason: 'x' })).toMatchObject({ forced });
    expect(await status()).toMatchObject({ forced });
    expect(audited.at(-1)).toMatchObject({ after: { stage: 'shadow', forced } });
    const skipping = ['steps were left out: the next one was ramp:1', ...forced];
    expect(await go('ramp', { percent: 25, force: true, reason: 'x' })).toMatchObject({ forced: skipping });
  });

  it('do not call a step forced that its gate allows, nor the position after it', async () => {
    const { run, go, audited, status } = open();
    await run('create');
    expect(await go('shadow', { force: true, reason: 'x' })).not.toHaveProperty('forced');
    expect(audited.at(-1)?.after).not.toHaveProperty('forced');
    await go('live', { force: true, reason: 'x' });
    await go('complete');
    expect((await status()).forced).toEqual([]);
  });
});
