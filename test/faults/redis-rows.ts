import type { FaultRow } from './harness/row.ts';
import { redisDataRows } from './redis-data.ts';
import { redisFailoverRows } from './redis-failover.ts';
import { redisLossRows } from './redis-loss.ts';
import { redisStateRows } from './redis-state.ts';

const all = [...redisLossRows, ...redisStateRows, ...redisFailoverRows, ...redisDataRows];

/** R1 to R17: what can happen to Redis. */
export const redisRows: readonly FaultRow[] = all.sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
