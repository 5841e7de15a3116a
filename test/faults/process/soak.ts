import type { BenchRow } from '../harness/row.ts';
import { soak } from '../harness/soak/soak.ts';

/** Set where the row is run alone: each stretch is then reported to it. */
const { SOAK_MINUTES: given, SOAK_SNAPSHOTS: snapshots } = process.env;
const minutes = Number(given ?? 5);

function tell(text: string): void {
  if (given !== undefined) process.stdout.write(`    ${text}\n`);
}

/**
 * `npm run test:soak` runs it alone, for half an hour; with `SOAK_SNAPSHOTS=<folder>` it leaves there two heap snapshots
 * of the gateway to compare.
 */
export const soaked: BenchRow = {
  id: 'P5',
  name: `${minutes} minutes of mixed load with mixed faults of Redis, the services, callers, the issuer and operators – no wrong answer, no unhandled rejection, and neither memory nor descriptors that grow`,
  run: (bench) => soak(bench, { minutes, tell, snapshots }),
};
