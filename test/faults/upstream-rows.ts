import type { FaultRow } from './harness/row.ts';
import { upstreamLoss } from './upstream-loss.ts';
import { upstreamReplies } from './upstream-replies.ts';
import { upstreamValues } from './upstream-values.ts';

/** U1 to U23: what upstreams can do. */
export const upstreamRows: readonly FaultRow[] = [
  ...upstreamLoss,
  ...upstreamReplies,
  ...upstreamValues,
].sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
