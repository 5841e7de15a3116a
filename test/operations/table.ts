import { alertRows } from './alerts.ts';
import { httpRows } from './http.ts';
import { auditRows } from './audit.ts';
import { backupRows } from './backup.ts';
import { keyRows } from './keys.ts';
import { onePageRows } from './one-page.ts';
import { operatorListenerRows } from './operator-listener.ts';
import { redisFullRows } from './redis-full.ts';
import { redisMemoryRows } from './redis-memory.ts';
import { reloadRows } from './reload.ts';
import { rotatedSecretRows } from './rotated-secrets.ts';
import { roleRows } from './roles.ts';
import type { Themes } from '../faults/harness/row.ts';
import { traceRows } from './trace.ts';

/** Every row, by theme, in its order. A new theme is a file of its own and a line here. */
export const themes: Themes = {
  reload: reloadRows,
  alerts: alertRows,
  'one-page': onePageRows,
  audit: auditRows,
  backup: backupRows,
  http: httpRows,
  keys: keyRows,
  'operator-listener': operatorListenerRows,
  'redis-full': redisFullRows,
  'redis-memory': redisMemoryRows,
  'rotated-secrets': rotatedSecretRows,
  roles: roleRows,
  trace: traceRows,
};
