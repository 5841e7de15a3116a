import type { Comparison } from '../../../../src/migration/compare/comparison.ts';
import { comparison, transient } from '../../../support/migration/comparisons.ts';
import {
  failedOf,
  type JudgedMigrationOfTest,
  useJudged,
} from '../../../support/migration/judged-migration.ts';

const RAMP = { stage: 'ramp', percent: 100 } as const;
const open = useJudged({ state: RAMP });

/** Compares so many a second; of each hundred comparisons, or of so many, one is this. */
function comparing(judged: JudgedMigrationOfTest, one: (user: string) => Comparison, every = 100) {
  let count = 0;
  return () => {
    count += 1;
    const other = comparison(`user_${count % 20}`);
    judged.counts.compared(count % every === 0 ? one(`user_${count}`) : other);
  };
}

describe('answers of the new source that differ once', () => {
  test('roll back within 30 s where one in a hundred has another value in a critical field', async () => {
    const judged = await open();
    const each = comparing(judged, (user) => transient(user));
    expect(await judged.secondsUntil('shadow', 60, 20, each)).toBeLessThanOrEqual(30);
    expect([judged.rollbacks, judged.current().lastRollback?.rule]).toEqual([['transient'], 'transient']);
    expect(judged.current().hold?.reason).toMatch(
      /answers of the new source .* differed once in data\.email/,
    );
  });

  test('roll back in any other field, too, after more of them', async () => {
    const judged = await open();
    const each = comparing(judged, (user) => transient(user, { path: 'data.name' }));
    expect(await judged.secondsUntil('shadow', 120, 20, each)).toBeLessThanOrEqual(60);
  });

  test('do not roll back where they are fewer than is accepted, in an hour', async () => {
    const judged = await open();
    await judged.pass(
      3_600,
      5,
      comparing(judged, (user) => transient(user), 2_000),
    );
    expect(judged.rollbacks).toEqual([]);
  });

  test('do not roll back where one record alone changes all the time', async () => {
    const judged = await open();
    await judged.pass(
      60,
      20,
      comparing(judged, () => transient('user_0'), 10),
    );
    expect(judged.rollbacks).toEqual([]);
  });

  test('are judged beside the failures of one caller, about whom Portico asks by itself', async () => {
    const judged = await open({ state: RAMP, own: () => ({ asked: 5, failed: 0 }) });
    const each = comparing(judged, (user) => transient(user));
    const failing = () => {
      judged.serve(failedOf('key:ana'));
      each();
    };
    await judged.pass(4, 20, failing);
    expect([judged.rollbacks, judged.asked.length > 0]).toEqual([[], true]);
    await judged.secondsUntil('shadow', 60, 20, failing);
    expect(judged.rollbacks).toEqual(['transient']);
  });

  test('roll nothing back in shadow, but are reported once, and close the gate', async () => {
    const judged = await open({ state: { stage: 'shadow' } });
    await judged.judge.look();
    await judged.pass(
      120,
      20,
      comparing(judged, (user) => transient(user)),
    );
    expect([judged.position(), judged.events.map(({ type }) => type)]).toEqual([
      'shadow',
      ['migration.transient'],
    ]);
    expect(judged.warnings).toEqual([expect.stringContaining('differ once')]);
    expect(await judged.gauge('transient_exceeded')).toContainEqual(['users', 'users.get', 1]);
    const { unmet } = await judged.judge.gate('users');
    expect(unmet.find(({ id }) => id === 'transient')?.have).toBe('data.email: 1 %, writes explain 0 %');
  });
});

describe('differences that were gone after a wait, as those of a store that lags behind', () => {
  const later = (user: string) => transient(user, { isAtOnce: false });

  /** Lets an hour pass in which the legacy source changes by itself in so many of the answers that are read again. */
  async function measure(judged: JudgedMigrationOfTest, every: number): Promise<void> {
    let rereads = 0;
    await judged.pass(3_604, 1, () => {
      judged.counts.compared(comparison('user_1'));
      judged.counts.reread('users', 'users.get', (rereads += 1) % every === 0 ? ['data.email'] : []);
    });
  }

  test('are not judged before it is known how often writes explain them', async () => {
    const judged = await open();
    await judged.pass(120, 20, comparing(judged, later, 10));
    expect(judged.rollbacks).toEqual([]);
  });

  test('do not roll back where writes explain them, and do where there are many more', async () => {
    const judged = await open();
    await measure(judged, 10);
    await judged.pass(600, 20, comparing(judged, later, 12));
    expect(judged.rollbacks).toEqual([]);
    await judged.secondsUntil('shadow', 120, 20, comparing(judged, later, 2));
    expect(judged.rollbacks).toEqual(['transient']);
  });

  test('roll back where nobody writes', async () => {
    const judged = await open();
    await measure(judged, Infinity);
    await judged.secondsUntil('shadow', 60, 20, comparing(judged, later));
    expect(judged.rollbacks).toEqual(['transient']);
  });

  test('keep what was measured over a step, and close no gate of a shadow that it explains', async () => {
    const judged = await open({ state: { stage: 'shadow' } });
    await measure(judged, 10);
    await judged.pass(60, 20, comparing(judged, later, 12));
    const ids = async () => (await judged.judge.gate('users')).unmet.map(({ id }) => id);
    expect(await ids()).not.toContain('transient');
    await judged.states.change(judged.current(), {
      ...{ ...judged.current(), ...RAMP },
      since: new Date(judged.clock.now()).toISOString(),
    });
    await judged.pass(600, 20, comparing(judged, later, 12));
    expect(judged.rollbacks).toEqual([]);
  });
});
