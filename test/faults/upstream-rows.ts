import type { FaultRow } from './harness/row.ts';
import { upstreamHealth } from './upstream-health.ts';
import { upstreamLoss } from './upstream-loss.ts';
import { upstreamManners } from './upstream-manners.ts';
import { upstreamPassed } from './upstream-passed.ts';
import { upstreamReplies } from './upstream-replies.ts';
import { upstreamValues } from './upstream-values.ts';

const groups = [
  ...upstreamLoss,
  ...upstreamReplies,
  ...upstreamValues,
  ...upstreamManners,
  ...upstreamHealth,
  ...upstreamPassed,
];

/** U1 to U23: what upstreams can do. */
export const upstreamRows: readonly FaultRow[] = groups.sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
