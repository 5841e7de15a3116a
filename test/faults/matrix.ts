import { clientRows } from './client/rows.ts';
import type { BenchRow } from './harness/row.ts';
import { processRows } from './process/rows.ts';
import { redisRows } from './redis/rows.ts';
import { securityRows } from './security/rows.ts';
import { upstreamRows } from './upstream/rows.ts';

/** Every row of the fault matrix, in its order. A new group is a file of its own and a line here. */
export const matrix: readonly BenchRow[] = [
  ...redisRows,
  ...upstreamRows,
  ...clientRows,
  ...processRows,
  ...securityRows,
];
