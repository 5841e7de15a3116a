import type { Themes } from '../faults/harness/row.ts';
import { cacheRows } from './cache.ts';
import { callerRows } from './callers.ts';
import { compareRows } from './compare.ts';
import { costRows } from './cost.ts';
import { gateRows } from './gate.ts';
import { goldenRows } from './golden.ts';
import { groupRows } from './groups.ts';
import { heapRows } from './heap.ts';
import { judgeRows } from './judge.ts';
import { leakRows } from './leaked-values.ts';
import { membershipRows } from './membership.ts';
import { onceRows } from './once.ts';
import { redisRows } from './redis.ts';
import { rollbackRows } from './rollback.ts';
import { shadowRows } from './shadow.ts';
import { splitRows } from './split.ts';
import { stickyRows } from './sticky.ts';
import { timeLimitRows } from './time-limit.ts';

/** Every row, by theme, in its order. A new theme is a file of its own and a line here. */
export const themes: Themes = {
  compare: compareRows,
  groups: groupRows,
  membership: membershipRows,
  cost: costRows,
  heap: heapRows,
  shadow: shadowRows,
  split: splitRows,
  sticky: stickyRows,
  rollback: rollbackRows,
  limit: timeLimitRows,
  judge: judgeRows,
  callers: callerRows,
  once: onceRows,
  gate: gateRows,
  redis: redisRows,
  cache: cacheRows,
  leaks: leakRows,
  golden: goldenRows,
};
