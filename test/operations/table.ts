import { alertRows } from './alerts.ts';
import { redisFullRows } from './redis-full.ts';
import { redisMemoryRows } from './redis-memory.ts';
import type { OperationRow } from './row.ts';

/** Every row, by theme, in its order. A new theme is a file of its own and a line here. */
export const themes: Readonly<Record<string, readonly OperationRow[]>> = {
  alerts: alertRows,
  'redis-full': redisFullRows,
  'redis-memory': redisMemoryRows,
};
