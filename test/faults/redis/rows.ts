import type { BenchRow } from '../harness/row.ts';
import { redisDataRows } from './data.ts';
import { redisFailoverRows } from './failover.ts';
import { redisLossRows } from './loss.ts';
import { redisStateRows } from './state.ts';

const all = [...redisLossRows, ...redisStateRows, ...redisFailoverRows, ...redisDataRows];

/** R1 to R17: what can happen to Redis. */
export const redisRows: readonly BenchRow[] = all.sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
