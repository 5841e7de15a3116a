// Renders the status of a migration as text for the terminal, for `portico migration status` and the commands that change
// it.

import type { ActionValue } from '../../admin/api/action-table.ts';
import { edgeCasesText, onceRows, rollbackText, walkText } from '../../migration/report/report-text.ts';
import { shareInPercent } from '../../migration/statistics/mismatch-bound.ts';
import { type Report, type ReportBlock, section } from '../../workbench/explain/report/report.ts';

type Status = ActionValue<'migrations.status'>;

/** A position as people read it: `ramp at 5 %`. */
export function positionWords({ stage, percent }: Pick<Status, 'stage' | 'percent'>): string {
  return stage === 'ramp' ? `ramp at ${percent} %` : stage;
}

/** The step that waits for an approval: where to, who has asked for it and why, and what it goes over. */
export function pendingLines(pending: NonNullable<Status['pending']>): readonly string[] {
  const { to, operation, by, until, reason, over } = pending;
  const step = [to, operation ?? []].flat().join(' of ');
  const why = reason === undefined ? '' : `: ${reason}`;
  return [
    `  ${step} waits until ${until} for an approval; ${by} has asked for it${why}`,
    ...over.map((one) => `    forced over ${one}`),
  ];
}

function headOf({ resource, sources, replicas, staleSeconds, hold, ...status }: Status): readonly string[] {
  const stale = replicas.stale.length === 0 ? '' : `; not yet: ${replicas.stale.join(', ')}`;
  const apart = Object.entries(status.operations).map(([name, own]) => `  ${name}: ${positionWords(own)}`);
  const seconds = Math.round(staleSeconds);
  const known =
    status.scope === 'process'
      ? `  Redis does not answer, so this is what the gateway has known for ${seconds} s; counts and other processes are not known`
      : `  ${replicas.atRev} of ${replicas.total} processes have it${stale}`;
  const age =
    status.scope === 'process' || staleSeconds < 5
      ? []
      : [`  Redis has not been read for ${seconds} s: the last known state counts`];
  return [
    `${resource}: ${sources.join(' -> ')}, ${positionWords(status)} since ${status.since} (rev ${status.rev})`,
    ...apart,
    known,
    ...age,
    ...status.forced.map((one) => `  forced over ${one}`),
    ...(status.pending === null ? [] : pendingLines(status.pending)),
    ...(hold === null ? [] : [`  on hold since ${hold.at} by ${hold.by}: ${hold.reason}`]),
  ];
}

function gateBlocks({ next, ready, unmet, earliestAt }: Status['gate']): readonly ReportBlock[] {
  if (next === null) return [];
  const rows = unmet.map(({ id, operation = '', have, need, at }) => [
    ...[id, operation, String(have), `needs ${need}`, at === undefined ? '' : `from ${at}`],
  ]);
  const heading = `Next: ${next}, ${ready ? 'ready' : 'not ready'}`;
  if (rows.length === 0) return ['', heading];
  const earliest = earliestAt === undefined ? [] : [`at the earliest at ${earliestAt}`];
  return section(heading, [{ table: rows }, ...earliest]);
}

function compareBlocks(compare: Status['compare']): readonly ReportBlock[] {
  const rows = Object.entries(compare).map(([operation, one]) => [
    operation,
    ...[one.keys, one.match, one.mismatch, one.transient, one.inconclusive].map(String),
    ...[one.ignored, one.failedNew, one.odd].map(String),
    shareInPercent(one.bound95),
    one.lagP99Ms === null ? '' : `${one.lagP99Ms} ms`,
    one.cusum.toFixed(1),
  ]);
  const verdicts = ['MATCH', 'MISMATCH', 'TRANSIENT', 'INCONCLUSIVE', 'IGNORED', 'FAILED AT NEW', 'ODD'];
  const head = ['OPERATION', 'QUESTIONS', ...verdicts, 'AT MOST', 'LAG P99', 'CUSUM'];
  return rows.length === 0 ? [] : section('Compared', [{ head, table: rows }]);
}

/** Differences that the new source showed only once, by field. */
function onceBlocks(compare: Status['compare']): readonly ReportBlock[] {
  const rows = onceRows(compare, 2);
  const head = ['OPERATION', 'FIELD', 'GONE', 'OF ANSWERS', 'WRITES EXPLAIN', 'GIVEN TO CALLERS'];
  return rows.length === 0 ? [] : section('Differed once', [{ head, table: rows }]);
}

/** A task of a migration and its progress, in words. */
export function taskText({ kind, by, startedAt, outcome, ...task }: NonNullable<Status['task']>): string {
  const { phase, done, of } = task;
  const far = `${phase === undefined ? '' : `${phase}, `}${done}${of === undefined ? '' : ` of ${of}`}`;
  if (outcome.kind === 'running') return `${kind} by ${by} since ${startedAt}: ${far}`;
  if (outcome.kind === 'failed') return `${kind} by ${by} failed at ${outcome.at}: ${outcome.problem}`;
  const entries = Object.entries(Object(outcome.result) as object);
  const found = entries.flatMap(([name, value]) =>
    typeof value === 'object' ? [] : [`${name} ${String(value)}`],
  );
  return `${kind} by ${by} done at ${outcome.at}: ${found.join(', ')}`;
}

function restBlocks({ fallback, uncompared, rules, task, ...last }: Status): readonly string[] {
  const { lastRollback, walk, edges, rehearsedAt } = last;
  const causes = Object.entries(fallback).filter(([, count]) => count > 0);
  return [
    ...(causes.length === 0
      ? []
      : [`Fallbacks: ${causes.map(([cause, count]) => `${count} ${cause}`).join(', ')}`]),
    ...uncompared.map(({ outcome, count, why }) => `Not compared: ${count} ${outcome}, because ${why}`),
    ...(lastRollback === null ? [] : [`Last rollback: ${rollbackText(lastRollback)}`]),
    ...(walk === null ? [] : [`Last walk: ${walkText(walk)}`]),
    ...(edges === null ? [] : [`Edge cases: ${edgeCasesText(edges)}`]),
    ...(rehearsedAt === null ? [] : [`Rehearsed: ${rehearsedAt}`]),
    ...rules.map(({ path, hint, id, owner, reason }) =>
      [`Ignored: ${path}`, hint ?? [], id, owner, reason].flat().join('  '),
    ),
    ...(task === null ? [] : [`Work: ${taskText(task)}`]),
  ];
}

/** Reports where a migration is, and what its next step needs. */
export function statusReport(status: Status): Report {
  const rest = restBlocks(status);
  return {
    json: status,
    blocks: [
      ...headOf(status),
      ...gateBlocks(status.gate),
      ...compareBlocks(status.compare),
      ...onceBlocks(status.compare),
      ...(rest.length === 0 ? [] : ['', ...rest]),
      ...(status.notes.length === 0 ? [] : ['', ...status.notes]),
    ],
  };
}
