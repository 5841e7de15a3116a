// The row of a replica that gets too little CPU: no service is blamed.

import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import type { Fleet } from './harness/fleet.ts';
import { type Harm, openIn, spendNight } from './harness/night.ts';
import { isAt } from './harness/truth.ts';

/** A call that is under way as the process is stopped takes longer than the second from which on it is slow. */
const STOPPED_MS = 1_500;

/** Stops a replica for half of the time, as a machine without CPU does. Its services answer in some tenths of a second. */
function starve(): Harm {
  let [isOn, ended] = [true, Promise.resolve()];
  async function stopAgainAndAgain({ gateways: [first] }: Fleet): Promise<void> {
    while (isOn) {
      first?.process.signal('SIGSTOP');
      await sleep(STOPPED_MS);
      first?.process.signal('SIGCONT');
      await sleep(STOPPED_MS);
    }
  }
  return {
    async begin(fleet) {
      for (const service of [fleet.people, fleet.goods]) service.inject({ manner: 'lags' });
      // Calls must be under way as it is stopped first.
      await sleep(500);
      ended = stopAgainAndAgain(fleet);
    },
    async end({ people, goods }) {
      isOn = false;
      await ended;
      for (const service of [people, goods]) service.inject({ manner: 'well' });
    },
  };
}

async function starved(bench: FaultBench) {
  const { early, late, over, from } = await spendNight(bench, starve());
  const seen = [early.page, early.json, late.page, over.page].map(({ incidents }) => incidents);
  const [one] = openIn(early.page);
  return promised(
    seen.every(([found, ...more]) => more.length === 0 && found?.kind === 'gateway') &&
      one?.fault === 'gateway' &&
      one.cause === 'too little CPU, so it answers late' &&
      isAt(one.since, from) &&
      openIn(over.page).length === 0,
    {
      incidents: seen.map((all) => all.map(({ text }) => text).join(', ') || 'none').join('; '),
      since: one?.since ?? 'never',
      open: openIn(over.page).length,
    },
  );
}

/** The row of a replica that gets too little CPU. */
export const starving: BenchRow = {
  id: 'incidents-starved',
  name: 'a replica stands still for half of the time: one incident of the gateway, and no service is blamed',
  run: starved,
};
