import { FAILED, failedOf, useJudged } from '../../../support/migration/judged-migration.ts';

const RAMP = { stage: 'ramp', percent: 25 } as const;
const ALL_FAIL = { asked: 5, failed: 5 };
const NONE_FAILS = { asked: 5, failed: 0 };
const open = useJudged({ state: RAMP });
const opened = (own: () => { asked: number; failed: number } | undefined) => open({ state: RAMP, own });

describe('the failures of one caller', () => {
  it('roll nothing back if the own questions are answered, in ten minutes of ten a second, nor close the gate', async () => {
    const judged = await opened(() => NONE_FAILS);
    await judged.pass(600, 10, () => judged.serve(failedOf('key:ana')));
    expect([judged.position(), judged.rollbacks, judged.current().hold]).toEqual(['ramp:25', [], undefined]);
    const { unmet } = await judged.judge.gate('users');
    expect(unmet.map(({ id }) => id)).not.toContain('cusum');
  });

  it('roll nothing back either with questions of many shapes, or from a caller who asks again after each refusal', async () => {
    const judged = await opened(() => NONE_FAILS);
    let asked = 0;
    await judged.pass(600, 10, () => judged.serve(failedOf('key:ana', `shape ${(asked += 1) % 30}`)));
    expect([judged.position(), judged.rollbacks]).toEqual(['ramp:25', []]);
  });

  it.each([2, 5])(
    'count all if %p of five own questions fail: back as soon as by many callers',
    async (failed) => {
      const judged = await opened(() => ({ asked: 5, failed }));
      const seconds = await judged.secondsUntil('shadow', 60, 10, () => judged.serve(failedOf('key:ana')));
      expect(seconds).toBeLessThanOrEqual(5);
      expect(judged.audited[0]).toMatchObject({
        reason: `users.get: CUSUM 46.1 of 9.2; 20 of 20 calls failed at the new source alone, and ${failed} of 5 questions of Portico's own`,
      });
    },
  );

  it('wait for the own questions while one has failed, or none could be asked, and are not forgotten', async () => {
    let own: { asked: number; failed: number } | undefined = { asked: 5, failed: 1 };
    const judged = await opened(() => own);
    for (let calls = 0; calls < 10; calls += 1) judged.serve(failedOf('key:ana'));
    await judged.judge.look();
    own = undefined;
    await judged.judge.look();
    own = { asked: 0, failed: 0 };
    await judged.judge.look();
    expect([judged.position(), judged.asked.length]).toEqual(['ramp:25', 3]);
    own = ALL_FAIL;
    await judged.judge.look();
    expect(judged.position()).toBe('shadow');
  });

  it('are asked about with their shape first, and not before they would reach the limit', async () => {
    const judged = await opened(() => NONE_FAILS);
    for (let calls = 0; calls < 3; calls += 1) judged.serve(failedOf('key:ana', 'users.get sort'));
    await judged.judge.look();
    expect(judged.asked).toEqual([]);
    judged.serve(failedOf('key:ana', 'users.get sort'));
    await judged.judge.look();
    expect(judged.asked).toEqual(['users.get users.get sort']);
  });

  it('are also those of which it is not known whose they were', async () => {
    const judged = await opened(() => NONE_FAILS);
    await judged.pass(60, 10, () => judged.serve({ ...FAILED, failing: undefined }));
    expect([judged.position(), judged.asked.length > 0]).toEqual(['ramp:25', true]);
  });

  it('do not cover those of others: back without a question once four callers fail beside him', async () => {
    const judged = await opened(() => NONE_FAILS);
    await judged.pass(60, 10, () => judged.serve(failedOf('key:ana')));
    const before = judged.asked.length;
    for (const caller of ['bob', 'cy', 'di', 'eve']) judged.serve(failedOf(`key:${caller}`));
    await judged.judge.look();
    expect([judged.position(), judged.asked.length]).toEqual(['shadow', before]);
  });

  it('do not hide that the new source is slow', async () => {
    const judged = await opened(() => NONE_FAILS);
    for (let id = 0; id < 200; id += 1) judged.serve();
    await judged.pass(600, 20, () => {
      judged.serve({ ms: 900 });
      judged.serve(failedOf('key:ana'));
    });
    expect(judged.rollbacks).toEqual([]);
  });
});
