import { comparison } from '../../../support/migration/comparisons.ts';
import { FAILED, useJudged } from '../../../support/migration/judged-migration.ts';

const RAMP = { stage: 'ramp', percent: 25 } as const;
const open = useJudged();

describe('the receiver of webhooks is told', () => {
  const webhook = { url: 'https://ops.example/hook', secret: 'of the test' };

  test('of a gate that is ready, of each step, and of a rollback, once each', async () => {
    const gate = { soak: '2s', mismatch: 0.5, rehearsal: false, walk: false, edges: false };
    const judged = await open({ declared: { webhook, gate } });
    await judged.judge.look();
    for (const operation of ['users.list', 'users.get'])
      for (let id = 0; id < 10; id += 1) judged.evidence.compared(comparison(`user_${id}`, { operation }));
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

  test('of the end', async () => {
    const judged = await open({ state: { stage: 'live' }, declared: { webhook } });
    await judged.judge.look();
    await judged.states.change(judged.current(), { ...judged.current(), stage: 'complete' });
    await judged.pass(6, 0, () => undefined);
    expect(judged.events.map(({ type }) => type)).toEqual(['migration.finished']);
  });
});
