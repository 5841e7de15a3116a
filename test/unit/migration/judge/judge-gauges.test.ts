import { comparison } from '../../../support/migration/comparisons.ts';
import { type JudgedMigrationOfTest, useJudged } from '../../../support/migration/judged-migration.ts';

const open = useJudged();

describe('the metrics of the judge', () => {
  const shown = async (judged: JudgedMigrationOfTest) => [
    await judged.gauge('gate_ready'),
    await judged.gauge('cusum'),
  ];

  /** A migration in `live` whose gate is ready. */
  async function openReady() {
    const gate = { liveFor: '1s', mismatch: 1, file: false };
    const judged = await open({ state: { stage: 'live' }, declared: { gate } });
    for (const operation of ['users.list', 'users.get'])
      judged.counts.compared(comparison('user_1', { operation }));
    await judged.pass(4, 0, () => undefined);
    expect(await shown(judged)).toEqual([
      [['users', 1]],
      [
        ['users', 'users.list', 0],
        ['users', 'users.get', 0],
      ],
    ]);
    return judged;
  }

  test.each(['complete', 'legacy'] as const)('forget a migration that is at %s', async (stage) => {
    const judged = await openReady();
    await judged.states.change(judged.current(), { ...judged.current(), stage });
    await judged.judge.look();
    expect(await shown(judged)).toEqual([[], []]);
  });

  test('forget a migration that is no longer declared', async () => {
    const judged = await openReady();
    judged.undeclare();
    await judged.judge.look();
    expect(await shown(judged)).toEqual([[], []]);
  });
});
