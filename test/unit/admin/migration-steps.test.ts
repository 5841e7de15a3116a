import { gateOf } from '../../../src/migration/judge/gate.ts';
import type { Position } from '../../../src/migration/state/migration-state.ts';
import { gateFacts, migrationState } from '../../support/migration/migration-facts.ts';
import { openOperated as open, refusal } from '../../support/migration/operated-migration.ts';

describe('a step of a migration', () => {
  it('is refused where its share reaches nobody, with the least share that does, which then skips no step', async () => {
    const largest = [{ caller: 'k3y0fth3cl13', callsPercent: 60, isReached: true }];
    const callers = { callers: 24, callsPercent: 0, least: 4.17, largest };
    const reachOf = (percent: number) => ({ ...callers, percent, reached: percent < 4.17 ? 0 : 1 });
    const gate = (_resource: string, _operation?: string, to?: Position) => {
      const { stage, percent } = states.current('users')!;
      const reach = to?.stage === 'ramp' ? reachOf(to.percent) : undefined;
      return Promise.resolve(gateOf(gateFacts({ state: migrationState({ stage, percent }), reach })));
    };
    // The answer of a step has the reach of its gate: no test of this file allows a second evaluation.
    const { run, go, audited, states } = open({ operatorTasks: { gate } });
    await run('create');
    await go('shadow');
    await expect(go('ramp')).rejects.toEqual(refusal('portico migration ramp users --percent 4.17'));
    await expect(go('ramp', { percent: 4.18 })).rejects.toEqual(refusal('more than one step away'));
    expect((await go('ramp', { percent: 4.17 })).reach).toMatchObject({
      reached: 1,
      largest: [{ caller: 'k3y0fth3cl13', label: 'web', isReached: true }],
    });
    await go('shadow');
    const forced = await go('ramp', { force: true, reason: 'x' });
    expect(forced).toMatchObject({ percent: 1, forced: [expect.stringContaining('0 of 24 callers')] });
    expect(audited.at(-1)?.after).toMatchObject({ forced: [expect.stringContaining('0 of 24 callers')] });
  });

  it('waits a day for the approval of somebody else, and goes through the gate once more then', async () => {
    let ready = true;
    const gate = () => {
      const unmet = ready ? [] : [{ id: 'soak', have: '19h', need: '24h' }];
      return Promise.resolve({ next: { stage: 'shadow', percent: 0 } as const, ready, unmet, met: [] });
    };
    const { run, go, ask, status, clock } = open({ approvals: 1, operatorTasks: { gate } });
    const approve = async (by = 'bea') =>
      ask('migrations.approve', { resource: 'users', rev: (await status()).rev }, by);
    await run('create');
    await go('shadow');
    clock.advance(86_400_000);
    expect((await status()).pending).toBeNull();
    await expect(approve()).rejects.toEqual(refusal('no step waits for an approval'));
    expect((await go('shadow')).pending).toMatchObject({ to: 'shadow', by: 'ana' });
    ready = false;
    await expect(approve()).rejects.toEqual(refusal('the gate is not ready: soak'));
    ready = true;
    await expect(approve('ana')).rejects.toEqual(refusal('"forbidden"'));
    expect(await approve()).toMatchObject({ stage: 'shadow' });
  });

  it('is approved only as it was shown: at its rev, and forced over nothing but what was unmet then', async () => {
    const unmetOf = (...ids: string[]) => ids.map((id) => ({ id, have: '19h', need: '24h' }));
    let unmet = unmetOf('soak');
    const gate = () =>
      Promise.resolve({ next: { stage: 'shadow', percent: 0 } as const, ready: false, unmet, met: [] });
    const { run, go, ask, status } = open({ approvals: 1, operatorTasks: { gate } });
    const approve = (rev: number) => ask('migrations.approve', { resource: 'users', rev }, 'bea');
    await run('create');
    await go('shadow', { force: true, reason: 'a small step' });
    const seen = await status();
    expect(seen.pending?.over).toEqual(['soak: 19h, needs 24h']);
    await go('live', { force: true, reason: 'all at once' });
    await expect(approve(seen.rev)).rejects.toEqual(refusal('somebody else has changed the migration'));
    const { rev } = await go('shadow', { force: true, reason: 'a small step' });
    unmet = unmetOf('soak', 'walk');
    await expect(approve(rev)).rejects.toEqual(refusal('the gate is not ready: walk'));
    unmet = unmetOf('soak').map((one) => ({ ...one, have: '20h' }));
    expect(await approve(rev)).toMatchObject({ stage: 'shadow', forced: ['soak: 20h, needs 24h'] });
  });

  it('that waits is ended by a hold and by a rollback, which say so', async () => {
    const { run, go, ask, status } = open({ approvals: 1 });
    await run('create');
    const because = { resource: 'users', reason: 'wait' };
    await go('shadow');
    expect(await ask('migrations.hold', because)).toMatchObject({ ended: { to: 'shadow', by: 'ana' } });
    await ask('migrations.resume', because);
    expect((await status()).pending).toBeNull();
    const { rev } = await go('shadow');
    await ask('migrations.approve', { resource: 'users', rev }, 'bea');
    await go('ramp');
    expect(await ask('migrations.rollback', because)).toMatchObject({ ended: { to: 'ramp:1', by: 'ana' } });
  });

  it('is not taken where what it replaces cannot be shown in the audit', async () => {
    const { run, ask, states } = open();
    await run('create');
    const begun = states.shared('users')!;
    await states.change(begun, { ...begun, pending: { to: null } as never });
    const { rev } = states.shared('users')!;
    await expect(ask('migrations.hold', { resource: 'users', reason: 'x' })).rejects.toThrow();
    expect(states.shared('users')).toMatchObject({ rev, pending: { to: null } });
  });

  it('goes forward once both sources were checked, and no other change stands in for that', async () => {
    const { run, go, ask } = open();
    const because = { resource: 'users', reason: 'x' };
    await ask('migrations.hold', because);
    await ask('migrations.resume', because);
    const forced = { force: true, reason: 'x' };
    await expect(go('complete', forced)).rejects.toEqual(refusal('the migration has not begun'));
    await run('create');
    expect(await go('complete', forced)).toMatchObject({ stage: 'complete' });
  });
});
