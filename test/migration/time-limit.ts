import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { forEachOf, type MigratingFleet, startMigratingFleet } from './harness/migrating-fleet.ts';
import { marked } from './harness/model-service.ts';

/** The deadline of the harness is a minute, so half of it would be 30 s. */
const MIGRATION = { gate: { latencySlack: '20ms' }, shadow: { maxRps: 1_000, concurrency: 64 } };

async function startFleet(bench: FaultBench): Promise<MigratingFleet> {
  const fleet = await startMigratingFleet(bench, { gateways: 2, migration: MIGRATION });
  fleet.next.faults.change = marked;
  return fleet;
}

/** Has 300 users compared in the shadow, so that it is known how long the legacy source takes. */
async function compareSome(bench: FaultBench, fleet: MigratingFleet): Promise<void> {
  await fleet.goTo('shadow users');
  await forEachOf(fleet.users.slice(0, 300), 4, ({ id }) => fleet.ask(`/v1/users/${id}`));
  await bench.until(async () => {
    const { compare } = await fleet.status();
    return (compare['users.get']?.keys ?? 0) >= 150;
  });
}

/** The answers for users that nobody has asked for yet, one at each gateway, just after a step. */
async function afterStep(fleet: MigratingFleet, from: number) {
  const answers = await Promise.all(
    fleet.users.slice(from, from + 2).map(({ id }) => fleet.ask(`/v1/users/${id}`)),
  );
  const slowestMs = Math.round(Math.max(...answers.map(({ endedAt, askedAt }) => endedAt - askedAt)));
  return { answers, slowestMs };
}

/** A row in which the new source hangs after a step of the ramp, and callers get the answer of the legacy one in time. */
function hanging(
  id: string,
  name: string,
  prepare: (fleet: MigratingFleet, hang: () => void) => Promise<void>,
): BenchRow {
  return {
    ...{ id, name },
    async run(bench) {
      const fleet = await startFleet(bench);
      await compareSome(bench, fleet);
      await prepare(fleet, () => void (fleet.next.faults.hanging = 1));
      const { answers, slowestMs } = await afterStep(fleet, 400);
      return promised(answers.every(({ status, isNew }) => status === 200 && !isNew) && slowestMs < 10_000, {
        'slowest, ms': slowestMs,
      });
    },
  };
}

const first = hanging(
  'limit-1',
  'just after a step of the ramp, a new source that hangs costs a caller 3 x p99 of the legacy one (half a second at least), not half of the deadline',
  async (fleet, hang) => {
    hang();
    await fleet.goTo('ramp users --percent 100');
  },
);

const restarted = hanging(
  'limit-2',
  'the same at a process that has started in the ramp: it reads the comparison counts of the fleet at once',
  async (fleet, hang) => {
    await fleet.goTo('ramp users --percent 100');
    hang();
    for (const number of [0, 1]) await fleet.restart(number);
  },
);

const unknown: BenchRow = {
  id: 'limit-3',
  name: 'where nothing was compared yet, a new source that takes two seconds is not cut off',
  async run(bench) {
    const fleet = await startFleet(bench);
    fleet.next.faults.delayMs = 2_000;
    await fleet.goTo('ramp users --percent 100');
    const { answers, slowestMs } = await afterStep(fleet, 400);
    return promised(
      answers.every(({ status, isNew }) => status === 200 && isNew),
      { 'slowest, ms': slowestMs },
    );
  },
};

/** Rows about how long a caller waits for the new source before the legacy one is asked. */
export const timeLimitRows: readonly BenchRow[] = [first, restarted, unknown];
