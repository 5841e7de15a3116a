import { drillPercent } from '../../../../src/migration/judge/failure-drill.ts';
import { createFailureDrill } from '../../../../src/migration/judge/run-failure-drill.ts';
import { eventually } from '../../../support/time/eventually.ts';
import { type JudgedOptions, useJudged } from '../../../support/migration/judged-migration.ts';
import { BEGAN, goodEvidence, HOUR_MS } from '../../../support/migration/migration-facts.ts';

const since = new Date(BEGAN).toISOString();
const run = { signal: new AbortController().signal, progress: () => undefined };

const openJudged = useJudged({ state: { rehearsedAt: undefined } });

async function open(options?: JudgedOptions) {
  const judged = await openJudged(options);
  return { judged, rehearse: createFailureDrill(judged) };
}

describe('a rehearsal that is asked for', () => {
  test.each([
    [0, 100],
    [60, 100],
    [3_600, 14],
    [360_000, 1],
  ])('after %p comparisons in an hour, %p percent of the comparison calls fail', (compared, percent) => {
    const counts = { 'users.get': goodEvidence(compared) };
    expect(drillPercent(counts, { since }, BEGAN + HOUR_MS)).toBe(percent);
  });

  test('ends with the judge', async () => {
    const { judged, rehearse } = await open();
    const rehearsing = rehearse('users', run);
    await eventually(() => judged.current().rehearsal);
    for (let call = 0; call < 4; call += 1) judged.counts.rehearsed('users', 'users.get');
    await judged.judge.look();
    expect(await rehearsing).toEqual({
      tripped: true,
      reason: '100 % of the comparison calls failed; after 0 s the judge would have rolled back',
    });
  });

  test('that is given up fails no more comparison calls', async () => {
    const { judged, rehearse } = await open();
    const ended = new AbortController();
    const rehearsing = rehearse('users', { ...run, signal: ended.signal });
    await eventually(() => judged.current().rehearsal);
    ended.abort();
    await expect(rehearsing).rejects.toThrow();
    expect(judged.current().rehearsal).toBeUndefined();
  });

  test('is refused outside of shadow', async () => {
    const { rehearse } = await open({ state: { stage: 'ramp', percent: 5 } });
    await expect(rehearse('users', run)).rejects.toThrow(
      'a rollback is rehearsed in shadow, and it is at ramp:5',
    );
  });
});
