// Reports what each kind of query costs the source, in calls, for `portico check` and `portico infer`.

import { plural } from '../../../kernel/plural.ts';
import type { QueryCost } from '../../../pipeline/query-costs.ts';
import type { ReportBlock } from './report.ts';

function costText({ cost, calls, reason, rowsMax }: QueryCost): string {
  if (calls === 0) return 'no call: the file names no column for the field';
  const made = plural(calls, 'call');
  if (cost === 'page' || cost === 'record') return `${cost} (${made})`;
  return `${cost} (${reason}; at most ${rowsMax} rows in ${made})`;
}

/** The cost with what is asked besides. */
function wholeText(cost: QueryCost): string {
  const { verifyingCalls: most } = cost;
  return `${costText(cost)}${most === undefined ? '' : `; once a minute, at most ${most} more verify the filter`}`;
}

/** The costs in at most `linesMax` lines: queries that cost the same share one. */
function sharedLines(
  costs: readonly QueryCost[],
  textOf: (cost: QueryCost) => string,
  linesMax: number,
): ReportBlock {
  const alike = Map.groupBy(costs, textOf);
  const lines = [...alike].map(([text, same]) => {
    const [first, second, ...others] = same.map(({ query }) => query);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return [`${first ?? ''}${second === undefined ? '' : `, ${second}`}${more}`, text];
  });
  const left = lines.length - linesMax;
  return {
    table: [
      ...lines.slice(0, linesMax),
      ...(left > 0 ? [[`${left} more kinds`, 'see portico explain']] : []),
    ],
  };
}

/** Up to this many queries have a line each. A large contract has hundreds of kinds of queries, but few different costs. */
const LINES_MAX = 16;

/** The costs as a table: a line for each query, or for each cost if there are many queries. */
export function costTable(costs: readonly QueryCost[]): ReportBlock {
  if (costs.length > LINES_MAX) return sharedLines(costs, wholeText, LINES_MAX);
  return { table: costs.map((cost) => [cost.query, wholeText(cost)]) };
}

/** The most lines of a summary. */
const SUMMARY_LINES = 8;

/** The costs in a few lines, for a summary of all resources. */
export function costSummary(costs: readonly QueryCost[]): ReportBlock {
  return sharedLines(costs, costText, SUMMARY_LINES);
}
