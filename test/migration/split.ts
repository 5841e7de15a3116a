import assert from 'node:assert/strict';
import { createRandom } from '../../src/cli/demo/data/random.ts';
import { bucketsBelow, createBuckets } from '../../src/migration/routing/bucket.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { forEachOf, startMigratingFleet } from './harness/migrating-fleet.ts';
import { marked } from './harness/model-service.ts';

/** The share of so many callers that a percentage reaches, in percent. */
function reached(salt: string, callers: number, percent: number): number {
  const below = bucketsBelow(percent);
  let count = 0;
  for (let caller = 0; caller < callers; caller += 1)
    if (createBuckets({ salt, resource: 'users' })(`caller-${String(caller)}`) < below) count += 1;
  return (100 * count) / callers;
}

/** The most that a share misses its percentage by, over salts, in percentage points. */
function worst(salts: number, callers: number, percents: readonly number[]): number {
  const misses = Array.from({ length: salts }, (_, salt) =>
    percents.map((percent) => Math.abs(reached(`salt-${String(salt)}`, callers, percent) - percent)),
  );
  return Math.max(...misses.flat());
}

const shares: BenchRow = {
  id: 'split-1',
  name: 'a share of the callers is met within 0.3 points of 100,000, 1.0 of 10,000 and 1.5 at one half, in steps of 0.01',
  fast: true,
  run() {
    const many = worst(2, 100_000, [1, 5, 25, 50]);
    const few = worst(20, 10_000, [1, 5, 25]);
    const half = worst(20, 10_000, [50]);
    const grain = Math.round((reached('grain', 100_000, 0.02) - reached('grain', 100_000, 0.01)) * 1_000);
    assert.equal(reached('none', 1_000, 0), 0);
    assert.equal(reached('all', 1_000, 100), 100);
    return Promise.resolve(
      promised(many <= 0.3 && few <= 1 && half <= 1.5 && grain > 0 && grain < 30, {
        'points off, 100,000 callers': many.toFixed(2),
        'points off, 10,000 callers': few.toFixed(2),
        'points off at 50 %': half.toFixed(2),
        'callers of 100,000 in a step of 0.01': grain,
      }),
    );
  },
};

/** The caller of question number `n`, as in life: few ask most of it. */
function zipf(callers: readonly string[], below: (bound: number) => number): string {
  const weights = callers.map((_, index) => 1_000 / (index + 1));
  let left = below(Math.floor(weights.reduce((sum, one) => sum + one)));
  const at = weights.findIndex((weight) => (left -= weight) < 0);
  return callers[at === -1 ? callers.length - 1 : at] as string;
}

const preview: BenchRow = {
  id: 'split-2',
  name: 'preview tells within one point which part of the traffic of four processes a share of 50 unequal callers is',
  async run(bench) {
    const fleet = await startMigratingFleet(bench, { keys: 50 });
    fleet.next.faults.change = marked;
    await fleet.goTo('shadow users');
    const random = createRandom(7);
    const questions = Array.from({ length: 4_000 }, () =>
      zipf(fleet.callers, (bound) => random.below(bound)),
    );
    const path = (n: number) => `/v1/users/${fleet.users[n % fleet.users.length]?.id ?? ''}`;
    await forEachOf(questions, 8, (key, n) => fleet.ask(path(n), key));
    // Each process tells the others every two seconds.
    await bench.sleep(3_000);
    const off: number[] = [];
    for (const percent of [5, 10, 25, 50]) {
      const told = (await fleet.operate(`preview users --percent ${String(percent)}`)) as {
        callsPercent: number;
      };
      await fleet.goTo(`ramp users --percent ${String(percent)}`);
      const answers = await forEachOf(questions, 8, (key, n) => fleet.ask(path(n), key));
      const true_ = (100 * answers.filter(({ isNew }) => isNew).length) / answers.length;
      off.push(Math.abs(told.callsPercent - true_));
    }
    return promised(Math.max(...off) <= 1, { 'points off, at most': Math.max(...off).toFixed(2) });
  },
};

/** How a share splits the callers. */
export const splitRows: readonly BenchRow[] = [shares, preview];
