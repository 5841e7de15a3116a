import type { BenchRow } from '../harness/row.ts';
import { clockJumps } from './clock.ts';
import { processEnds } from './ends.ts';
import { processHost } from './host.ts';
import { processLoad } from './load.ts';
import { processOverload } from './overload.ts';
import { soaked } from './soak.ts';

/** P1 to P10: what can happen to the process. */
export const processRows: readonly BenchRow[] = [
  ...processEnds,
  ...processLoad,
  ...processOverload,
  soaked,
  clockJumps,
  ...processHost,
];
