import type { ActionValue } from '../../../admin/api/action-table.ts';
import { type Report, type ReportBlock, section } from './report.ts';

type Listed = ActionValue<'requests'>;
type Recorded = ActionValue<'request'>;

const SCOPES: Readonly<Record<Listed['scope'], string>> = {
  process: 'of this process',
  workers: 'of the workers of this gateway',
  fleet: 'of all gateways on its Redis',
};

const msText = (ms: number) => `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;

function row(one: Listed['requests'][number]): readonly string[] {
  const { at, requestId, operation, status, code = one.slow ? 'slow' : '', durationMs, upstreamCalls } = one;
  return [
    at,
    requestId,
    operation,
    String(status),
    code,
    msText(durationMs),
    `${upstreamCalls} calls`,
    one.caller ?? '',
  ];
}

/** Reports the requests that failed or were slow. */
export function requestsReport(listed: Listed): Report {
  const { scope, since, slowMs, notes, requests } = listed;
  const heading = `failed, or slower than ${slowMs} ms, ${SCOPES[scope]} since ${since}: ${requests.length}`;
  const blocks = requests.length === 0 ? [] : [{ table: requests.map(row) }];
  return { json: listed, blocks: [{ heading, blocks }, ...notes.map((note) => `note: ${note}`)] };
}

function errorBlocks({ error }: Recorded): readonly ReportBlock[] {
  if (error === undefined) return [];
  const { code, reason, detail, cause, entry } = error;
  const said = [code, reason, detail, cause].filter((part) => part !== undefined);
  return section('Why', [...said, `config/docs/runbook.md has the entry ${entry}`]);
}

/** Reports one request: where its time went, and why it failed. */
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
