import { openJudgedComparisons } from '../support/migration/judged-comparisons.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

/** A store that lags 2 s behind while 60 users, for whom alone callers ask, are written to five times a second. */
const LAGGING = { faulty: 0, writesPerSecond: 5, lagMs: 2_000, users: 60, readsPerSecond: 20 };
const HOUR = 3_700;

/** A row over that store, in a ramp of 100 %, after a shadow of so many seconds. */
function lagging(
  id: string,
  name: string,
  shadowSeconds: number,
  critical: readonly string[] = ['data.email'],
): BenchRow {
  return {
    ...{ id, fast: false },
    name: `a store that lags 2 s behind, 5 writes a second, ${name}: no rollback in 30 minutes on a clock of the test`,
    async run() {
      const migration = await openJudgedComparisons({ ...LAGGING, critical });
      if (shadowSeconds > 0) await migration.runFor(shadowSeconds);
      const { unmet } = await migration.judged.judge.gate('users');
      const isClosed = unmet.some(({ id: one }) => one === 'transient');
      await migration.goTo('ramp');
      await migration.runFor(1_800);
      const { rollbacks, counts } = migration.judged;
      const found = (await counts.read('users'))['users.get']?.step;
      await migration.close();
      return promised(rollbacks.length === 0 && !isClosed && (found?.transient ?? 0) > 500, {
        rollbacks: rollbacks.length,
        'answers that differed once': found?.transient ?? 0,
      });
    },
  };
}

/** A row in which one answer in a hundred is wrong once, on a clock of the test. */
function wrongOnce(
  id: string,
  name: string,
  of: { readonly writesPerSecond: number; readonly readsPerSecond: number },
  seconds: number,
): BenchRow {
  return {
    ...{ id, name: `${name}: back within ${String(seconds)} s on a clock of the test`, fast: false },
    async run() {
      const taken: number[] = [];
      for (let seed = 1; seed <= 5; seed += 1) {
        const migration = await openJudgedComparisons({
          ...LAGGING,
          ...of,
          users: 2_000,
          seed,
          faulty: 0.01,
        });
        await migration.goTo('ramp');
        taken.push(await migration.runFor(300));
        await migration.close();
      }
      const most = Math.max(...taken);
      return promised(most <= seconds, { 's at most, of 5 runs': most });
    },
  };
}

const inShadow: BenchRow = {
  id: 'once-6',
  name: 'one answer in a hundred wrong once in a shadow of an hour: the gate is closed, it is reported, nothing is rolled back',
  async run() {
    const migration = await openJudgedComparisons({ ...LAGGING, writesPerSecond: 0, faulty: 0.01 });
    await migration.runFor(HOUR);
    await migration.runFor(300);
    const { judge, rollbacks, warnings } = migration.judged;
    const { unmet } = await judge.gate('users');
    await migration.close();
    const have = unmet.find(({ id }) => id === 'transient')?.have ?? 'nothing';
    const reports = warnings.filter((warning) => warning.includes('differ once')).length;
    return promised(have !== 'nothing' && rollbacks.length === 0 && reports === 1, {
      gate: have,
      reports,
      rollbacks: rollbacks.length,
    });
  },
};

/** Rows about answers that are wrong once, and about a store that only lags behind. */
export const onceRows: readonly BenchRow[] = [
  lagging('once-1', 'after a shadow of an hour', HOUR),
  lagging('once-2', 'without any shadow before', 0),
  lagging('once-3', 'in a critical field, after a shadow of an hour', HOUR, ['data.name']),
  wrongOnce(
    'once-4',
    '1 % of the answers wrong once, 50 a second',
    { writesPerSecond: 0, readsPerSecond: 50 },
    30,
  ),
  wrongOnce(
    'once-5',
    '1 % of the answers wrong once, while other fields are written to',
    { writesPerSecond: 5, readsPerSecond: 50 },
    30,
  ),
  inShadow,
];
