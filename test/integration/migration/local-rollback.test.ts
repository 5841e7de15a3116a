import type { MigrationState } from '../../../src/migration/state/migration-state.ts';
import { held, resumed, rolledBack, walked, withRule } from '../../../src/migration/state/transitions.ts';
import { move, useStateFleet } from '../../support/migration/state-fleet.ts';
import { eventually } from '../../support/time/eventually.ts';

const { open } = useStateFleet();
const grounds = { by: 'ana', at: '2026-01-01T00:00:00.000Z' };
const asked = { rule: 'asked', evidence: 'a test' } as const;

describe('after a rollback of one process alone', () => {
  /** A process that was rolled back alone while the fleet is in a ramp, and another one. */
  async function openOverridden() {
    const [a, b] = [await open('a'), await open('b')];
    await move(a, 25);
    await eventually(() => b.shared('users')?.rev === 1);
    b.rollBackHere(rolledBack(b.current('users')!, { ...grounds, ...asked }));
    return { a, b };
  }

  it('changes of the fleet that are no rollback move none of its callers, and it counts as not current', async () => {
    const { a, b } = await openOverridden();
    const [rule, walk] = [
      { id: 'r1', path: 'data.name', owner: 'ana', reason: 'a test', until: 1 },
      { records: 3, differences: 0 },
    ];
    await a.change(a.shared('users')!, withRule(a.shared('users')!, rule));
    await a.change(a.shared('users')!, walked(a.shared('users')!, walk, grounds.at));
    await eventually(() => b.shared('users')?.rev === 3);
    expect(b.current('users')).toMatchObject({ stage: 'shadow', rules: [rule], walk, rev: 0 });
    await eventually(async () => (await a.acknowledged('users')).atRev === 1);
    expect(await a.acknowledged('users')).toEqual({ total: 2, atRev: 1, stale: ['b'] });
  });

  it('its own changes of the shared state leave the callers of the fleet where they are', async () => {
    const { a, b } = await openOverridden();
    const state = b.shared('users')!;
    const rule = { id: 'r1', path: 'data.name', owner: 'ana', reason: 'a test', until: 1 };
    expect((await b.change(state, withRule(state, rule))).kind).toBe('changed');
    await eventually(() => a.current('users')?.rev === 2);
    expect(a.current('users')).toMatchObject({ stage: 'ramp', percent: 25 });
    expect(b.current('users')).toMatchObject({ stage: 'shadow' });
  });

  it.each([
    ['a rollback of the fleet', (state: MigrationState) => rolledBack(state, { ...grounds, ...asked })],
    [
      'a step back of the fleet',
      (state: MigrationState) => ({ ...state, stage: 'legacy' as const, percent: 0 }),
    ],
  ] as const)('it follows the fleet again with %s', async (_name, next) => {
    const { a, b } = await openOverridden();
    await a.change(a.shared('users')!, next(a.shared('users')!));
    await eventually(() => b.current('users')?.rev === 2);
    expect(b.current('users')).toEqual(a.current('users'));
    await eventually(async () => (await a.acknowledged('users')).atRev === 2);
  });

  it('it follows the fleet again with a resume: of the fleet, or of this process', async () => {
    const { a, b } = await openOverridden();
    await a.change(a.shared('users')!, held(a.shared('users')!, grounds, 'a test'));
    await eventually(() => b.shared('users')?.rev === 2);
    expect(b.current('users')).toMatchObject({ stage: 'shadow' });
    await a.change(a.shared('users')!, resumed(a.shared('users')!));
    await eventually(() => b.current('users')?.percent === 25);

    b.rollBackHere({ ...b.current('users')!, stage: 'shadow', percent: 0 });
    b.endLocalRollback('users');
    expect(b.current('users')).toEqual(a.current('users'));
  });
});
