import type { OperationRow } from '../operations/row.ts';
import { cacheRows } from './cache.ts';
import { compareRows } from './compare.ts';
import { costRows } from './cost.ts';
import { gateRows } from './gate.ts';
import { goldenRows } from './golden.ts';
import { heapRows } from './heap.ts';
import { judgeRows } from './judge.ts';
import { leakRows } from './leaked-values.ts';
import { onceRows } from './once.ts';
import { redisRows } from './redis.ts';
import { rollbackRows } from './rollback.ts';
import { splitRows } from './split.ts';
import { stickyRows } from './sticky.ts';

/** Every row, by theme, in its order. A new theme is a file of its own and a line here. */
export const themes: Readonly<Record<string, readonly OperationRow[]>> = {
  compare: compareRows,
  cost: costRows,
  heap: heapRows,
  split: splitRows,
  sticky: stickyRows,
  rollback: rollbackRows,
  judge: judgeRows,
  once: onceRows,
  gate: gateRows,
  redis: redisRows,
  cache: cacheRows,
  leaks: leakRows,
  golden: goldenRows,
};
