import { plural } from '../../../kernel/plural.ts';
import type { QueryCost } from '../../../pipeline/query-costs.ts';
import type { ReportBlock } from './report.ts';

function costText({ cost, calls, reason, rowsMax }: QueryCost): string {
  const made = plural(calls, 'call');
  if (cost === 'page' || cost === 'record') return `${cost} (${made})`;
  return `${cost} (${reason}; at most ${rowsMax} rows in ${made})`;
}

/** The costs as a table. */
export function costTable(costs: readonly QueryCost[]): ReportBlock {
  const besides = ({ verifyingCalls: most }: QueryCost) =>
    most === undefined ? '' : `; once a minute, at most ${most} more verify the filter`;
  return { table: costs.map((cost) => [cost.query, `${costText(cost)}${besides(cost)}`]) };
}

/** The most lines of a summary. */
const SUMMARY_LINES = 8;

/** The costs in a few lines: queries that cost the same share one. */
export function costSummary(costs: readonly QueryCost[]): ReportBlock {
  const alike = Map.groupBy(costs, costText);
  const lines = [...alike].map(([text, same]) => {
    const [first, second, ...others] = same.map(({ query }) => query);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return [`${first ?? ''}${second === undefined ? '' : `, ${second}`}${more}`, text];
  });
  const left = lines.length - SUMMARY_LINES;
  return {
    table: [
      ...lines.slice(0, SUMMARY_LINES),
      ...(left > 0 ? [[`${left} more kinds`, 'see portico explain']] : []),
    ],
  };
}
