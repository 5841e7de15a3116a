// A service that fails again within ten minutes: its incident reopens, or a second one opens if the cause is another.

import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import type { Fleet } from './harness/fleet.ts';
import type { Manner } from './harness/injector.ts';
import { listed, spendNight } from './harness/night.ts';
import { isAt } from './harness/truth.ts';

/** A service fails, is well for two minutes, and fails in a manner whose cause is of the same kind or of another. */
const comeBack = (manner: Manner, isSame: boolean) => async (bench: FaultBench) => {
  const harm = {
    begin: ({ people }: Fleet) => people.inject({ manner: 'fails' }),
    end: ({ people }: Fleet) => people.inject({ manner: 'well' }),
  };
  const { fleet, over, from } = await spendNight(bench, harm, { harmMs: 12_000 });
  const [first] = over.page.incidents;
  const again = Date.now();
  fleet.people.inject({ manner });
  // Its callers have gone: what fails now is asked here.
  const asked = Array.from({ length: 30 }, async (_, n) => {
    await sleep(n * 200);
    await fleet.gateways[n % 2]?.ask(`/v1/users?limit=3&page=${n + 1}`);
  });
  await Promise.all(asked);
  await sleep(4_000);
  const { page, terminal } = await listed(fleet);
  const [one] = page;
  const runs = isSame ? 2 : undefined;
  return promised(
    first?.state === 'ended' &&
      [page, terminal].every((all) => all.length === (isSame ? 1 : 2)) &&
      one?.state === 'open' &&
      (one.cause === first.cause) === isSame &&
      (one.id === first.id) === isSame &&
      isAt(first.since, from) &&
      isAt(one.since, again) &&
      [page, terminal].every(([of]) => of?.reopened === Number(isSame) && of.runs?.length === runs),
    { incidents: page.length, reopened: one?.reopened ?? 0, 'in terminal': terminal[0]?.reopened ?? 0 },
  );
};

const reopening: BenchRow = {
  id: 'incidents-reopened',
  name: 'a service fails again two minutes later: the same incident, reopened once, since it failed again, with both runs',
  run: comeBack('fails', true),
};

const another: BenchRow = {
  id: 'incidents-another',
  name: 'a service fails again two minutes later by another cause: an incident of its own beside the ended one',
  run: comeBack('other', false),
};

/** A service that fails again within ten minutes. */
export const againRows: readonly BenchRow[] = [reopening, another];
