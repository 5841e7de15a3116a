import { marked } from './harness/model-service.ts';
import { forEachOf, type MigratingFleet, startMigratingFleet } from './harness/migrating-fleet.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

/** Asks once for every caller; the callers whom the new service served. Counts what was no 200. */
async function askAll(fleet: MigratingFleet, round: number) {
  const id = fleet.users[round % fleet.users.length]?.id ?? '';
  const path = round % 2 === 0 ? `/v1/users/${id}` : `/v1/users?limit=2&page=${String(1 + (round % 40))}`;
  const answers = await forEachOf(fleet.callers, 16, (key) => fleet.ask(path, key));
  return {
    errors: answers.filter(({ status }) => status !== 200).length,
    isNew: answers.map((answer) => answer.isNew),
  };
}

const differing = (one: readonly boolean[], other: readonly boolean[]) =>
  one.filter((isNew, at) => isNew !== other[at]).length;

const ROUNDS = 50;
const RESTARTS = new Map([
  [10, 1],
  [20, 2],
  [30, 3],
]);

const noFlips: BenchRow = {
  id: 'sticky-1',
  name: 'each of 1,000 callers stays with one source over four replicas, three restarts, and a rollback with its resume',
  async run(bench) {
    const fleet = await startMigratingFleet(bench, { keys: 1_000 });
    fleet.next.faults.change = marked;
    await fleet.goTo('ramp users --percent 50');
    const first = await askAll(fleet, 0);
    let [flips, errors] = [0, first.errors];
    for (let round = 1; round < ROUNDS; round += 1) {
      const replica = RESTARTS.get(round);
      if (replica !== undefined) await fleet.restart(replica);
      const now = await askAll(fleet, round);
      flips += differing(first.isNew, now.isNew);
      errors += now.errors;
    }
    await fleet.operate('rollback users');
    const back = await askAll(fleet, 1);
    await fleet.operate('resume users --ack test');
    await fleet.goTo('ramp users --percent 50');
    const again = await askAll(fleet, 2);
    const changed = differing(first.isNew, again.isNew);
    return promised(flips === 0 && errors === 0 && changed === 0 && !back.isNew.includes(true), {
      requests: ROUNDS * fleet.callers.length,
      flips,
      errors,
      'callers at the new source': first.isNew.filter(Boolean).length,
      'callers elsewhere after resume': changed,
    });
  },
};

const onlyForward: BenchRow = {
  id: 'sticky-2',
  name: 'a raised share takes no caller away from the new source: 1, 5, 25, 50, 100 percent of 1,000',
  async run(bench) {
    const fleet = await startMigratingFleet(bench, { keys: 1_000 });
    fleet.next.faults.change = marked;
    let before: readonly boolean[] = fleet.callers.map(() => false);
    let [left, errors] = [0, 0];
    const counts: number[] = [];
    for (const [step, percent] of [1, 5, 25, 50, 100].entries()) {
      await fleet.goTo(`ramp users --percent ${String(percent)}`);
      const now = await askAll(fleet, step);
      left += before.filter((isNew, at) => isNew && now.isNew[at] === false).length;
      errors += now.errors;
      counts.push(now.isNew.filter(Boolean).length);
      before = now.isNew;
    }
    return promised(left === 0 && errors === 0 && counts.at(-1) === fleet.callers.length, {
      'callers who left': left,
      errors,
      'callers by step': counts.join(' '),
    });
  },
};

/** Who stays with which source. */
export const stickyRows: readonly BenchRow[] = [noFlips, onlyForward];
