// Reports the requests that a running gateway remembers because they failed or were slow, for `portico requests`.

import type { ActionValue } from '../../../admin/api/action-table.ts';
import { objectTable } from './object-tables.ts';
import { type Report, type ReportBlock, section } from './report.ts';

type Listed = ActionValue<'requests'>;
type Recorded = ActionValue<'request'>;
type Incident = ActionValue<'incidents'>['incidents'][number];

const SCOPES: Readonly<Record<Listed['scope'], string>> = {
  process: 'of this process',
  workers: 'of the workers of this gateway',
  fleet: 'of all gateways on its Redis',
};

const msText = (ms: number) => `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;

/** Requests by their cause, the most frequent first: a table of the causes, then the requests of each. */
function causeBlocks(requests: Listed['requests'], isCut: boolean): readonly ReportBlock[] {
  const groups = Map.groupBy(requests, ({ code = 'slow', source = '-' }) => `${code} ${source}`);
  const all = [...groups].sort(([, one], [, other]) => other.length - one.length);
  const causes = all.map(([name, group]) => {
    const [cause, source] = name.split(' ');
    const [first, last] = [group.at(-1)?.at, group[0]?.at];
    const known = new Set(group.flatMap(({ caller }) => caller ?? []));
    return {
      count: group.length,
      cause,
      source,
      // Older ones may be missing.
      ...(isCut ? { 'oldest here': first } : { since: first }),
      last,
      callers: known.size || undefined,
    };
  });
  const tables = all.flatMap(([name, group]) => {
    const rows = group.map(
      ({ at: time, requestId: request, operation, status: http, durationMs, caller }) => ({
        ...{ time, request, operation, http, ms: Math.round(durationMs), caller },
      }),
    );
    return section(name, [objectTable(rows)]);
  });
  return [objectTable(causes), ...tables];
}

const MORE = 'without refusals of callers: --status failed; more: --limit, at most 1000';

/** Whether requests may be missing from a list of at most `limit`, so that its counts are no totals. */
export const isPartial = ({ requests, completeSince }: Listed, limit: number): boolean =>
  requests.length >= limit || completeSince !== undefined;

/** What the incidents of the listed requests have counted. */
function exactBlocks(requests: Listed['requests'], incidents: readonly Incident[]): readonly ReportBlock[] {
  const [last = '', first = ''] = [requests[0]?.at, requests.at(-1)?.at];
  const listed = new Set(requests.map(({ operation }) => operation));
  const meant = incidents.filter(
    (one) => one.since <= last && one.last >= first && one.operations.some(({ name }) => listed.has(name)),
  );
  const rows = meant.map(({ answers, text, id }) => {
    const { failed, total } = answers.flawed ?? answers;
    return { answers: failed, of: total, text, incident: id };
  });
  return rows.length === 0 ? [] : section('Exact counts, of all callers', [objectTable(rows)]);
}

/**
 * Reports the requests that failed or were slow, of which at most `limit` were asked for. `incidents`: what has exact counts, if
 * requests may be missing.
 */
export function requestsReport(listed: Listed, limit: number, incidents: readonly Incident[] = []): Report {
  const { scope, until, slowMs, notes, requests, completeSince } = listed;
  const isCut = requests.length >= limit;
  const since = isCut ? (requests.at(-1)?.at ?? listed.since) : listed.since;
  const what = `${isCut ? 'the newest ' : ''}${requests.length} that failed, or took longer than ${slowMs} ms`;
  const times = [`since ${since}, ${SCOPES[scope]}`, ...(until === undefined ? [] : [`until ${until}`])];
  const gone =
    completeSince === undefined ? [] : [`all are kept since ${completeSince}; older ones may be gone`];
  const heading = [what, ...times, ...gone, ...(isCut ? [MORE] : [])].join('\n');
  const groups = requests.length === 0 ? [] : causeBlocks(requests, isPartial(listed, limit));
  const blocks = [...exactBlocks(requests, incidents), ...groups];
  return { json: listed, blocks: [heading, ...blocks, ...notes.map((note) => `note: ${note}`)] };
}

function errorBlocks({ error }: Recorded): readonly ReportBlock[] {
  if (error === undefined) return [];
  const { code, reason, detail, cause, entry } = error;
  const said = [code, reason, detail, cause].filter((part) => part !== undefined);
  return section('Why', [...said, `config/docs/runbook.md has the entry ${entry}`]);
}

/** Reports one request: which steps took its time, and why it failed. */
export function requestReport(recorded: Recorded): Report {
  const { requestId, at, operation, method, status, durationMs, caller, process, plan, timings } = recorded;
  const about = [
    `${method} ${operation}: ${status} after ${msText(durationMs)}, for ${caller ?? 'nobody known'}`,
    `${at}, by ${process}`,
  ];
  const rows = timings.map(({ name, startMs, ms, detail = '' }) => [
    `+${msText(startMs)}`,
    name,
    msText(ms),
    detail,
  ]);
  return {
    json: recorded,
    blocks: [
      { heading: requestId, blocks: about },
      ...errorBlocks(recorded),
      ...section('Timings: begin, name, length', [{ table: rows }]),
      ...(plan === undefined ? [] : section('Plan', [[plan.kind, plan.why ?? ''].join(' ').trim()])),
    ],
  };
}
