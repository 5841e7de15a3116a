import type { BenchRow } from '../harness/row.ts';
import { upstreamHealth } from './health.ts';
import { upstreamHangingQuestions } from './hanging-questions.ts';
import { upstreamOneCaller } from './one-caller.ts';
import { upstreamLoss } from './loss.ts';
import { upstreamManners } from './manners.ts';
import { upstreamPassed } from './passed.ts';
import { upstreamReplies } from './replies.ts';
import { upstreamSlowQuestions } from './slow-questions.ts';
import { upstreamValues } from './values.ts';

const groups = [
  ...upstreamLoss,
  ...upstreamReplies,
  ...upstreamValues,
  ...upstreamManners,
  ...upstreamHealth,
  ...upstreamPassed,
  ...upstreamOneCaller,
  ...upstreamHangingQuestions,
  ...upstreamSlowQuestions,
];

/** U1 to U29: what upstreams can do. */
export const upstreamRows: readonly BenchRow[] = groups.sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
