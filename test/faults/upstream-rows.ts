import type { FaultRow } from './harness/row.ts';
import { upstreamLoss } from './upstream-loss.ts';

/** U1 to U23: what upstreams can do. */
export const upstreamRows: readonly FaultRow[] = [...upstreamLoss].sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
