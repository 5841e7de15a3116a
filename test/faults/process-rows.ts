import type { FaultRow } from './harness/row.ts';
import { clockJumps } from './process-clock.ts';
import { processEnds } from './process-ends.ts';
import { processHost } from './process-host.ts';
import { processLoad } from './process-load.ts';
import { processOverload } from './process-overload.ts';
import { soaked } from './process-soak.ts';

/** P1 to P10: what can happen to the process. */
export const processRows: readonly FaultRow[] = [
  ...processEnds,
  ...processLoad,
  ...processOverload,
  soaked,
  clockJumps,
  ...processHost,
];
