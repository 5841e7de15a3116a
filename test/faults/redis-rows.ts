import type { FaultRow } from './harness/row.ts';
import { redisDataRows } from './redis-data.ts';
import { redisLossRows } from './redis-loss.ts';

const groups = [...redisLossRows, ...redisDataRows];

/** R1 to R17: what can happen to Redis. */
export const redisRows: readonly FaultRow[] = groups.sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
