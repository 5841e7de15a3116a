import { positionText } from '../../../../src/migration/state/migration-state.ts';
import { createLocalJudgeMemory } from '../../../../src/migration/judge/judge-memory.ts';
import { createRandom } from '../../../../src/cli/demo/data/random.ts';
import { comparison, mismatch } from '../../../support/migration/comparisons.ts';
import {
  FAILED,
  type JudgedMigrationOfTest,
  useJudged,
} from '../../../support/migration/judged-migration.ts';
import { BEGAN } from '../../../support/migration/migration-facts.ts';

const RAMP = { stage: 'ramp', percent: 25 } as const;
const open = useJudged({ state: RAMP });

/** Calls of which this share fails at the new source alone. */
function faulty(judged: JudgedMigrationOfTest, share: number, seed = 1): () => void {
  const random = createRandom(seed);
  return () => judged.serve(random.chance(share) ? FAILED : {});
}

describe('the judge rolls back', () => {
  test.each([
    [1, 5],
    [0.2, 15],
    [0.05, 45],
  ])('at a share of %p faults within %p seconds, ten calls a second', async (share, within) => {
    const judged = await open();
    expect(await judged.secondsUntil('shadow', 300, 10, faulty(judged, share))).toBeLessThanOrEqual(within);
    expect(judged.current()).toMatchObject({
      generation: 2,
      hold: { by: 'judge' },
      lastRollback: { by: 'judge', rule: 'failures', from: RAMP },
    });
  });

  test('from live, and although it is on hold', async () => {
    const hold = { by: 'ana', at: '2026-01-01T00:00:00.000Z', reason: 'a weekend' };
    const judged = await open({ state: { stage: 'live', hold } });
    expect(await judged.secondsUntil('shadow', 60, 10, faulty(judged, 1))).toBeLessThanOrEqual(5);
  });

  test('on the third record that differs in a critical field, and not on the second', async () => {
    const judged = await open();
    judged.counts.compared(mismatch('user_1', 'data.email'));
    judged.counts.compared(mismatch('user_1', 'data.email'));
    judged.counts.compared(mismatch('user_2', 'data.email'));
    await judged.judge.look();
    expect(judged.position()).toBe('ramp:25');
    judged.counts.compared(mismatch('user_3', 'data.email'));
    await judged.judge.look();
    expect([judged.position(), judged.rollbacks]).toEqual(['shadow', ['difference']]);
  });

  test('where more than 0.5 % of at least 200 questions differ for certain', async () => {
    const judged = await open();
    for (let id = 0; id < 199; id += 1) judged.counts.compared(comparison(`user_${id}`));
    for (let id = 0; id < 5; id += 1) judged.counts.compared(mismatch(`user_${id}`));
    await judged.judge.look();
    expect(judged.position()).toBe('ramp:25');
    judged.counts.compared(comparison('user_200'));
    await judged.judge.look();
    expect([judged.position(), judged.rollbacks]).toEqual(['shadow', ['difference']]);
  });

  test('after three minutes in which the new source is slow, and holds after half of them', async () => {
    const judged = await open();
    for (let id = 0; id < 200; id += 1)
      judged.counts.compared(comparison(`user_${id}`, { legacyMs: 100, newMs: 100 }));
    const slow = () => judged.serve({ ms: 300 });
    await judged.pass(92, 10, slow);
    expect([judged.position(), judged.current().hold?.by]).toEqual(['ramp:25', 'judge']);
    expect(92 + (await judged.secondsUntil('shadow', 300, 10, slow))).toBeLessThanOrEqual(200);
    expect(judged.rollbacks).toEqual(['latency']);
  });

  test('and writes who, what and why to the audit', async () => {
    const judged = await open();
    await judged.secondsUntil('shadow', 60, 10, faulty(judged, 1));
    expect(judged.audited).toEqual([
      {
        actor: 'judge',
        action: 'migrations.rollback',
        target: 'users',
        before: { rev: 1, position: 'ramp:25' },
        after: { rev: 2, position: 'shadow' },
        reason: 'users.get: CUSUM 46.1 of 9.2; 20 of 20 calls failed at the new source alone',
        outcome: 'done',
      },
    ]);
  });

  test('an operation that is ahead of its resource alone', async () => {
    const judged = await open({ state: { operations: { 'users.get': RAMP } } });
    await judged.pass(4, 10, faulty(judged, 1));
    expect([judged.position(), judged.current().operations]).toEqual(['shadow', {}]);
    expect(judged.audited[0]).toMatchObject({ target: 'users.get', before: { position: 'ramp:25' } });
  });
});

test('the judge shows how many processes serve by the last state', async () => {
  const judged = await open();
  await judged.judge.look();
  expect(await judged.gauge('replicas_at_rev')).toEqual([['users', 1]]);
});

describe('the judge does nothing', () => {
  test('where both sources fail: the legacy one would serve nobody better', async () => {
    const judged = await open();
    await judged.pass(120, 10, () => judged.serve({ fallback: 'failed', isAttributable: false }));
    expect([judged.position(), judged.audited]).toEqual(['ramp:25', []]);
  });

  test('for records that are not copied yet', async () => {
    const judged = await open();
    await judged.pass(60, 10, () => judged.serve({ fallback: 'missing', isAttributable: true }));
    expect(judged.position()).toBe('ramp:25');
  });

  test('without data, also where everything failed before the step', async () => {
    const judged = await open();
    await judged.pass(600, 0, () => undefined);
    expect([judged.position(), judged.current().hold, judged.audited]).toEqual(['ramp:25', undefined, []]);
  });

  test('for ten minutes of 0.25 % faults', async () => {
    const judged = await open();
    await judged.pass(600, 10, faulty(judged, 0.0025));
    expect(judged.position()).toBe('ramp:25');
  });

  test('for a slow minute, or where too few calls were slow to say', async () => {
    const judged = await open();
    for (let id = 0; id < 200; id += 1) judged.counts.compared(comparison(`user_${id}`));
    await judged.pass(60, 10, () => judged.serve({ ms: 900 }));
    await judged.pass(60, 10, () => judged.serve());
    await judged.pass(30, 10, () => judged.serve({ ms: 900 }));
    await judged.pass(600, 1, () => judged.serve({ ms: 900 }));
    expect([judged.position(), judged.current().hold]).toEqual(['ramp:25', undefined]);
  });

  test('in a process that is not the judge', async () => {
    const memory = { ...createLocalJudgeMemory(), acquireLeadership: () => Promise.resolve(false) };
    const judged = await open({ state: RAMP, memory });
    await judged.pass(10, 10, faulty(judged, 1));
    expect(judged.position()).toBe('ramp:25');
  });
});

describe('a step that the gateway takes by itself', () => {
  const gate = {
    soak: '10s',
    step: '10s',
    stepRequests: 20,
    mismatch: 0.05,
    rehearsal: false,
    walk: false,
    edges: false,
  };
  const declared = { promote: 'auto', gate };

  /** Both operations are compared, and what is served is served well. */
  function busy(judged: JudgedMigrationOfTest): () => void {
    let id = 0;
    return () => {
      id += 1;
      for (const operation of ['users.list', 'users.get']) {
        judged.counts.compared(comparison(`user_${id}`, { operation }));
        if (judged.current().stage === 'ramp') judged.serve({ operation });
      }
    };
  }

  test('comes with its gate, one after the other, and never without data', async () => {
    const judged = await open({ declared });
    expect(await judged.secondsUntil('ramp:1', 60, 10, busy(judged))).toBeLessThanOrEqual(14);
    expect(await judged.secondsUntil('ramp:5', 60, 10, busy(judged))).toBeLessThanOrEqual(14);
    await judged.pass(600, 0, () => undefined);
    expect(judged.position()).toBe('ramp:5');
    expect(
      judged.audited.map(({ action, after }) => [action, (after as { position: string }).position]),
    ).toEqual([
      ['migrations.stage', 'ramp:1'],
      ['migrations.stage', 'ramp:5'],
    ]);
  });

  test('waits for a person where nobody has said otherwise', async () => {
    const judged = await open({ declared: { gate } });
    await judged.pass(60, 10, busy(judged));
    expect([judged.position(), (await judged.judge.gate('users')).ready]).toEqual(['shadow', true]);
  });

  test('waits until a freeze is over', async () => {
    const freeze = [{ from: '2026-01-01', until: '2026-01-01T00:01:00Z', why: 'year end' }];
    const judged = await open({ declared: { ...declared, freeze } });
    await judged.pass(58, 10, busy(judged));
    expect(judged.position()).toBe('shadow');
    expect(await judged.secondsUntil('ramp:1', 60, 10, busy(judged))).toBeLessThanOrEqual(6);
  });
});

describe('a rehearsal', () => {
  const until = new Date(BEGAN + 60_000).toISOString();
  const state = { rehearsedAt: undefined, rehearsal: { until, percent: 1 } };

  test('works once the judge would have rolled back, and changes no position', async () => {
    const judged = await open({ state });
    await judged.pass(6, 1, () => judged.counts.rehearsed('users', 'users.get'));
    const { rehearsedAt, rehearsal, hold, lastRollback, generation } = judged.current();
    expect({ rehearsal, hold, lastRollback, generation }).toEqual({ lastRollback: null, generation: 1 });
    expect([positionText(judged.current()), rehearsedAt]).toEqual(['shadow', '2026-01-01T00:00:04.000Z']);
    expect(judged.rollbacks).toEqual(['rehearsal']);
    expect(judged.audited).toMatchObject([
      { actor: 'judge', action: 'migrations.rehearse', outcome: 'done' },
    ]);
  });

  test('has not worked where too few comparison calls came', async () => {
    const judged = await open({ state });
    judged.counts.rehearsed('users', 'users.get');
    await judged.pass(70, 0, () => undefined);
    expect([judged.current().rehearsedAt, judged.current().rehearsal]).toEqual([undefined, undefined]);
    expect(judged.audited[0]?.reason).toContain('1 failed comparison calls are too few');
  });
});
