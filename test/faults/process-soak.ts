import type { FaultRow } from './harness/row.ts';
import { soak } from './harness/soak.ts';

/** Set by whoever runs the row alone, and then told of every stretch. */
const given = process.env['SOAK_MINUTES'];
const MINUTES = Number(given ?? 5);

function tell(text: string): void {
  if (given !== undefined) process.stdout.write(`    ${text}\n`);
}

/** `npm run test:soak` runs it alone, for half an hour. */
export const soaked: FaultRow = {
  id: 'P5',
  fault: `${MINUTES} minutes of mixed load with mixed faults of Redis, the users' service and callers`,
  expected:
    'no wrong answer, no unhandled rejection, no memory and no descriptor more at the end than in the middle',
  figure: 'requests; heap after collection and its slope; descriptors',
  fast: false,
  run: (bench) => soak(bench, MINUTES, tell),
};
