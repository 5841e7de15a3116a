import { comparison } from '../../../support/migration/comparisons.ts';
import { createLocalJudgeMemory } from '../../../../src/migration/judge/judge-memory.ts';
import type { MigrationState } from '../../../../src/migration/state/migration-state.ts';
import { FAILED, useJudged } from '../../../support/migration/judged-migration.ts';

const RAMP = { stage: 'ramp', percent: 25 } as const;
const open = useJudged();

describe('the receiver of webhooks is told', () => {
  test('of a gate that is ready, of each step, and of a rollback, once each', async () => {
    const gate = { soak: '2s', mismatch: 0.5, rehearsal: false, walk: false, edges: false };
    const judged = await open({ declared: { gate } });
    await judged.judge.look();
    for (const operation of ['users.list', 'users.get'])
      for (let id = 0; id < 10; id += 1) judged.counts.compared(comparison(`user_${id}`, { operation }));
    await judged.pass(8, 0, () => undefined);
    await judged.states.change(judged.current(), { ...judged.current(), ...RAMP });
    await judged.pass(4, 0, () => undefined);
    await judged.pass(6, 10, () => judged.serve(FAILED));
    expect(judged.events.map(({ type, data }) => [type, data['position']])).toEqual([
      ['migration.gate_ready', 'shadow'],
      ['migration.stepped', 'ramp:25'],
      ['migration.rolled_back', 'shadow'],
    ]);
  });

  test('of what a forced step went over', async () => {
    const judged = await open({});
    await judged.judge.look();
    const [since, over] = ['2026-11-22T10:00:00.000Z', ['soak: 19h, needs 24h']];
    const forced = { at: since, over };
    await judged.states.change(judged.current(), { ...judged.current(), ...RAMP, since, forced });
    await judged.pass(2, 0, () => undefined);
    const later = { percent: 50, since: '2026-11-22T11:00:00.000Z' };
    await judged.states.change(judged.current(), { ...judged.current(), ...later });
    await judged.pass(2, 0, () => undefined);
    expect(judged.events.map(({ data }) => [data['position'], data['forced']])).toEqual([
      ['ramp:25', over],
      ['ramp:50', undefined],
    ]);
  });

  test('of a step, a ready gate and a rollback of one operation, with its name and its own position', async () => {
    const gate = { soak: '2s', mismatch: 0.5, rehearsal: false, walk: false, edges: false };
    const judged = await open({ declared: { gate, steps: [25, 50] } });
    await judged.judge.look();
    const change = async (operations: MigrationState['operations']) => {
      await judged.states.change(judged.current(), { ...judged.current(), operations });
      await judged.pass(2, 0, () => undefined);
    };
    await change({ 'users.get': { stage: 'legacy', percent: 0 } });
    await judged.pass(2, 0, () => undefined);
    await change({ 'users.get': RAMP });
    await judged.pass(6, 10, () => judged.serve(FAILED));
    expect(judged.position()).toBe('shadow');
    expect(judged.events.map(({ type, data }) => [type, data['operation'], data['position']])).toEqual([
      ['migration.stepped', 'users.get', 'legacy'],
      ['migration.gate_ready', 'users.get', 'legacy'],
      ['migration.stepped', 'users.get', 'ramp:25'],
      ['migration.rolled_back', 'users.get', 'shadow'],
    ]);
  });

  test('of an operation that joins the resource again, and not of one that the resource overtakes', async () => {
    const operations = { 'users.get': RAMP };
    const judged = await open({ state: { operations } });
    await judged.judge.look();
    const change = async (next: Partial<MigrationState>) => {
      await judged.states.change(judged.current(), { ...judged.current(), ...next });
      await judged.pass(2, 0, () => undefined);
    };
    await change({ operations: {} });
    await change({ operations });
    await change({ ...RAMP, operations: {} });
    expect(judged.events.map(({ type, data }) => [type, data['operation'], data['position']])).toEqual([
      ['migration.stepped', 'users.get', 'shadow'],
      ['migration.stepped', 'users.get', 'ramp:25'],
      ['migration.stepped', undefined, 'ramp:25'],
    ]);
  });

  test('of nothing that an earlier version did not remember', async () => {
    const memory = createLocalJudgeMemory();
    const announced = { position: 'shadow', isHeld: false, rolledBackAt: null, isReady: false };
    await memory.write('users', { step: '', operations: {}, announced });
    const judged = await open({
      state: { operations: { 'users.get': RAMP } },
      memory,
    });
    await judged.judge.look();
    expect(judged.events).toEqual([]);
  });

  test('of the end', async () => {
    const judged = await open({ state: { stage: 'live' } });
    await judged.judge.look();
    await judged.states.change(judged.current(), { ...judged.current(), stage: 'complete' });
    await judged.pass(6, 0, () => undefined);
    expect(judged.events.map(({ type }) => type)).toEqual(['migration.finished']);
  });
});
