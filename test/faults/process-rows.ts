import type { FaultRow } from './harness/row.ts';
import { clockJumps } from './process-clock.ts';

/** P1 to P10: what can happen to the process. */
export const processRows: readonly FaultRow[] = [clockJumps];
