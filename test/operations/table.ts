import { alertRows } from './alerts.ts';
import { httpRows } from './http.ts';
import { redisFullRows } from './redis-full.ts';
import { redisMemoryRows } from './redis-memory.ts';
import { reloadRows } from './reload.ts';
import type { OperationRow } from './row.ts';
import { traceRows } from './trace.ts';

/** Every row, by theme, in its order. A new theme is a file of its own and a line here. */
export const themes: Readonly<Record<string, readonly OperationRow[]>> = {
  reload: reloadRows,
  alerts: alertRows,
  http: httpRows,
  'redis-full': redisFullRows,
  'redis-memory': redisMemoryRows,
  trace: traceRows,
};
