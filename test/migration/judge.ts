import { askSteadily } from '../support/client/steady-load.ts';
import { createRandom } from '../../src/cli/demo/data/random.ts';
import { FAILED, openJudged } from '../support/migration/judged-migration.ts';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import type { Faults } from './harness/model-service.ts';
import { type MigratingFleet, startMigratingFleet } from './harness/migrating-fleet.ts';

/** Ten callers, who together ask ten times a second, or so often, what no cache answers, until `work` has ended; how many got an error. */
async function underCallers(
  bench: FaultBench,
  fleet: MigratingFleet,
  work: () => Promise<unknown>,
  perSecond = 10,
): Promise<number> {
  const state = { over: false, errors: 0 };
  let next = 0;
  async function askOne(): Promise<void> {
    const user = fleet.users[(next += 1) % fleet.users.length];
    const key = fleet.callers[next % fleet.callers.length];
    const answer = await fleet.ask(`/v1/users/${user?.id ?? ''}`, key).catch(() => undefined);
    if (answer?.status !== 200) state.errors += 1;
  }
  async function askOn(): Promise<void> {
    while (!state.over) await askSteadily({ perSecond, seconds: 1 }, askOne);
  }
  const asking = askOn();
  await bench.sleep(4_000);
  await work();
  state.over = true;
  await asking;
  return state.errors;
}

/** A fleet whose callers are all served by the new service. */
async function startServing(
  bench: FaultBench,
  migration: Record<string, unknown> = {},
): Promise<MigratingFleet> {
  const fleet = await startMigratingFleet(bench, { users: 5_000, keys: 10, migration });
  await fleet.goTo('ramp users --percent 100');
  return fleet;
}

/** Waits until the judge has rolled back; how long that took, in seconds. */
async function secondsUntilRolledBack(bench: FaultBench, fleet: MigratingFleet, withinSeconds: number) {
  const startedAt = performance.now();
  await bench.until(async () => (await fleet.status()).stage === 'shadow', withinSeconds * 2_000, 250);
  return (performance.now() - startedAt) / 1_000;
}

/** A row in which the new service does something wrong, and the judge rolls back in time. */
function rollsBack(
  id: string,
  name: string,
  spoil: (next: Faults, fleet: MigratingFleet) => void,
  expected: {
    readonly seconds: number;
    readonly rule: string;
    readonly perSecond?: number;
    readonly migration?: Record<string, unknown>;
  },
): BenchRow {
  return {
    ...{ id, name: `${name}: back within ${expected.seconds} s, and no caller gets an error`, fast: false },
    async run(bench) {
      const fleet = await startServing(bench, expected.migration);
      let seconds = Infinity;
      const work = async () => {
        spoil(fleet.next.faults, fleet);
        seconds = await secondsUntilRolledBack(bench, fleet, expected.seconds);
      };
      const errors = await underCallers(bench, fleet, work, expected.perSecond);
      const { lastRollback, hold } = await fleet.status();
      bench.atMost('s until the rollback', seconds, expected.seconds);
      return promised(errors === 0 && lastRollback?.rule === expected.rule && hold?.by === 'judge', {
        s: Number(seconds.toFixed(1)),
        errors,
        rule: lastRollback?.rule ?? 'none',
      });
    },
  };
}

const failing = (share: number) => (next: Faults) => void (next.failing = share);

const whileOnHold: BenchRow = {
  id: 'judge-6',
  name: 'a rollback by itself also while a person holds the migration: within 5 s',
  async run(bench) {
    const fleet = await startServing(bench);
    await fleet.operate('hold users --reason test');
    let seconds = Infinity;
    const errors = await underCallers(bench, fleet, async () => {
      fleet.next.faults.failing = 1;
      seconds = await secondsUntilRolledBack(bench, fleet, 5);
    });
    bench.atMost('s until the rollback', seconds, 5);
    return promised(errors === 0, { s: Number(seconds.toFixed(1)), errors });
  },
};

const bothFail: BenchRow = {
  id: 'judge-7',
  name: 'faults of both sources: no rollback in 30 s',
  async run(bench) {
    const fleet = await startServing(bench);
    await underCallers(bench, fleet, async () => {
      fleet.next.faults.failing = 1;
      fleet.legacy.faults.failing = 1;
      await bench.sleep(30_000);
    });
    const { stage } = await fleet.status();
    return promised(stage === 'ramp', { stage });
  },
};

const noData: BenchRow = {
  id: 'judge-8',
  name: 'no calls at all: nothing moves in 20 s, whatever the new source would do',
  async run(bench) {
    const fleet = await startServing(bench, { promote: 'auto', gate: { stepRequests: 1 } });
    fleet.next.faults.failing = 1;
    await bench.sleep(20_000);
    const { stage, hold } = await fleet.status();
    return promised(stage === 'ramp' && hold === null, { stage });
  },
};

const quiet: BenchRow = {
  id: 'judge-9',
  name: '0.25 % faults for eight hours on a clock of the test, ten calls a second: no false alarm',
  async run() {
    const judged = await openJudged({ state: { stage: 'ramp', percent: 25 } });
    const random = createRandom(7);
    let failed = 0;
    await judged.pass(8 * 3_600, 10, () => {
      const isFailing = random.chance(0.0025);
      if (isFailing) failed += 1;
      judged.serve(isFailing ? FAILED : {});
    });
    const [position, rollbacks] = [judged.position(), judged.rollbacks.length];
    await judged.close();
    return promised(position === 'ramp:25' && rollbacks === 0, { calls: 288_000, failed, rollbacks });
  },
};

/** Whether the audit says that the judge would have rolled back in a rehearsal. */
async function isRehearsalAudited(fleet: MigratingFleet): Promise<boolean> {
  const answer = await fetch(`${fleet.gateways[0]?.adminUrl ?? ''}/api/audit`);
  const { lines } = (await answer.json()) as { lines: readonly string[] };
  const deeds = lines.map((line) => JSON.parse(line) as { actor: string; action: string; reason?: string });
  return deeds.some(
    ({ actor, action, reason = '' }) =>
      actor === 'judge' && action === 'migrations.rehearse' && reason.includes('would have rolled back'),
  );
}

const rehearsal: BenchRow = {
  id: 'judge-10',
  name: 'a rehearsal in shadow: the judge trips, the audit says so, and no caller gets an error',
  async run(bench) {
    const fleet = await startMigratingFleet(bench, { users: 5_000 });
    await fleet.goTo('shadow users');
    let before: Awaited<ReturnType<MigratingFleet['status']>> | undefined;
    const startedAt = performance.now();
    const errors = await underCallers(bench, fleet, async () => {
      before = await fleet.status();
      await fleet.operate('rehearse users');
      await bench.until(async () => (await fleet.status()).rehearsedAt !== null, 90_000, 500);
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    const { stage, hold } = await fleet.status();
    const isUnchanged = stage === 'shadow' && hold === null && before?.rehearsedAt === null;
    const isAudited = await isRehearsalAudited(fleet);
    return promised(errors === 0 && isUnchanged && isAudited, {
      s: Number(seconds.toFixed(1)),
      errors,
      stage,
      'in the audit': String(isAudited),
    });
  },
};

/** Rows about the judge: when it rolls back by itself, and when it does not. */
export const judgeRows: readonly BenchRow[] = [
  rollsBack('judge-1', 'each call fails at the new source', failing(1), { seconds: 5, rule: 'failures' }),
  rollsBack('judge-2', 'one call in five fails there', failing(0.2), { seconds: 15, rule: 'failures' }),
  rollsBack('judge-3', 'one call in twenty fails there', failing(0.05), { seconds: 45, rule: 'failures' }),
  rollsBack(
    'judge-4',
    'the new source takes three times as long',
    (next, { legacy }) => {
      legacy.faults.delayMs = 100;
      next.delayMs = 300;
    },
    { seconds: 200, rule: 'latency' },
  ),
  rollsBack(
    'judge-5',
    'a critical field is wrong in each record',
    (next) => void (next.change = (user) => ({ ...user, email: `x${user.email ?? ''}` })),
    {
      seconds: 15,
      rule: 'difference',
      migration: { compare: { critical: ['data.email'] }, recheck: { delay: '500ms', maxRps: 100 } },
    },
  ),
  rollsBack(
    'judge-11',
    'one answer in a hundred has another value in a critical field, this once',
    (next) => void (next.faulty = 0.01),
    {
      seconds: 30,
      rule: 'transient',
      perSecond: 40,
      migration: { compare: { critical: ['data.email'], ignore: [] }, shadow: { maxRps: 200 } },
    },
  ),
  whileOnHold,
  bothFail,
  noData,
  quiet,
  rehearsal,
];
