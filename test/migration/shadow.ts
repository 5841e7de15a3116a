import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { askSteadily } from '../support/client/steady-load.ts';
import { type MigratingFleet, startMigratingFleet } from './harness/migrating-fleet.ts';

async function look(fleet: MigratingFleet) {
  const { stage, compare, notes } = await fleet.status();
  const why = notes.find((note) => note.startsWith('nothing is compared with new-users'));
  return { stage, why, matches: compare['users.get']?.match ?? 0 };
}

/** A fleet that was rolled back to its shadow, because the new source failed until its breaker opened. */
async function startBroken(bench: FaultBench): Promise<MigratingFleet> {
  const fleet = await startMigratingFleet(bench, { gateways: 1 });
  await fleet.goTo('ramp users --percent 100');
  fleet.next.faults.failing = 1;
  // All at once: after five failures this process leaves the new source by itself.
  await Promise.all(fleet.users.slice(0, 100).map(({ id }) => fleet.ask(`/v1/users/${id}`)));
  await bench.until(async () => (await look(fleet)).stage === 'shadow');
  return fleet;
}

/** Ten callers a second, each with a question that no cache answers; how many got an error. */
async function callers(fleet: MigratingFleet, seconds: number, from: number): Promise<number> {
  const answers = await askSteadily({ perSecond: 10, seconds }, (n) =>
    fleet.ask(`/v1/users/${fleet.users[from + n]?.id ?? ''}`),
  );
  return answers.filter(({ status }) => status !== 200).length;
}

const closes: BenchRow = {
  id: 'shadow-1',
  name: 'a breaker that opened in the ramp closes again in the shadow, where only comparisons ask the new source: within 10 s',
  async run(bench) {
    const fleet = await startBroken(bench);
    const before = await look(fleet);
    fleet.next.faults.failing = 0;
    const errors = await callers(fleet, 10, 200);
    const { matches, why } = await look(fleet);
    return promised(errors === 0 && matches > before.matches + 10 && why === undefined, {
      compared: matches - before.matches,
      errors,
      why: why ?? 'none',
    });
  },
};

const staysOpen: BenchRow = {
  id: 'shadow-2',
  name: 'while the new source still fails, comparisons leave it alone but for a few probes, the status says why nothing is compared, and no caller gets an error',
  async run(bench) {
    const fleet = await startBroken(bench);
    const before = await look(fleet);
    const asked = fleet.next.upstream.calls;
    const errors = await callers(fleet, 20, 200);
    const { matches, why } = await look(fleet);
    const probes = fleet.next.upstream.calls - asked;
    return promised(errors === 0 && matches === before.matches && probes <= 20 && why !== undefined, {
      probes,
      errors,
      compared: matches - before.matches,
      why: why ?? 'none',
    });
  },
};

/** Rows about comparisons with a source that fails. */
export const shadowRows: readonly BenchRow[] = [closes, staysOpen];
