// Renders the report on a migration as Markdown, for the people who must sign it.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import type { MigrationStage } from '../../config/schema/migration-stages.ts';
import type { AuditEntry } from '../../store/audit/audit-entry.ts';
import type { DifferenceGroup } from '../counts/migration-counts.ts';
import type { Gate } from '../judge/gate.ts';
import { conditionText } from '../judge/gate-facts.ts';
import type { TransientRate } from '../judge/transient-rules.ts';
import { positionText, type EdgeCaseResult } from '../state/migration-state.ts';
import { shareInPercent } from '../statistics/mismatch-bound.ts';
import type { WalkResult } from '../tasks/task-results.ts';
import type { MigrationReport } from './migration-report.ts';

/** What the document is made of: the report, its configuration, differences and history. */
export type ReportFacts = MigrationReport & {
  readonly config: MigrationConfig;
  readonly differences: readonly DifferenceGroup[];
  /** The changes of the migration in the audit, the oldest first. */
  readonly history: readonly Pick<AuditEntry, 'at' | 'actor' | 'action' | 'outcome' | 'reason' | 'after'>[];
  /** When the report is made, in milliseconds since the epoch. */
  readonly now: number;
};

type Row = readonly (string | number)[];

/** Escapes the characters that have a meaning in Markdown. */
const cell = (value: string | number) =>
  String(value)
    .replaceAll(/[\\`*_[\]<>|#]/g, '\\$&')
    .replaceAll(/\s+/g, ' ');

function table(head: readonly string[], rows: readonly Row[]): string {
  if (rows.length === 0) return 'None.';
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

const instant = (ms: number) => new Date(ms).toISOString();
const quantiles = (ms: readonly number[]) => (ms.length === 0 ? 'none' : `${ms.join(' / ')} ms`);

/** The result of a walk over all records, in words. */
export const walkText = (walk: Pick<WalkResult, 'records' | 'differences'>) =>
  `${walk.records} records, ${walk.differences} differences`;

/** The result of a comparison of the edge cases, in words. */
export const edgeCasesText = (edges: Pick<EdgeCaseResult, 'asked' | 'different'>) =>
  `${edges.asked} questions, ${edges.different} differ`;

/** When a rollback was, by whom, and why. */
export const rollbackText = (rollback: Readonly<Record<'at' | 'by' | 'rule' | 'evidence', string>>) =>
  `${rollback.at} by ${rollback.by} (${rollback.rule}): ${rollback.evidence}`;

/**
 * Rows of a table by operation and field, from differences that were gone at a recheck (`once`). `given`: how many such
 * answers callers got. `digits`: the digits of the shares.
 */
export function onceRows(
  compare: Readonly<
    Record<string, { readonly given: number; readonly once: readonly Omit<TransientRate, 'name'>[] }>
  >,
  digits?: number,
) {
  return Object.entries(compare).flatMap(([operation, { once, given }]) =>
    once.map(({ field, isAtOnce, isMeasured, share, noise }) => [
      ...[operation, field, isAtOnce ? 'at once' : 'later', shareInPercent(share, digits)],
      ...[`${shareInPercent(noise, digits)}${isMeasured ? '' : ' so far'}`, String(given)],
    ]),
  );
}

/** Which source answers the callers, by stage. */
const WHERE: Record<MigrationStage, (facts: ReportFacts, names: readonly string[]) => string> = {
  legacy: (_facts, [legacy]) => `${legacy} answers all callers, and nothing has moved yet`,
  shadow: (_facts, [legacy, next]) => `${legacy} answers all callers, and ${next} is asked besides`,
  ramp: ({ percent }, [, next]) => `${next} answers ${percent} % of the callers`,
  live: (_facts, [legacy, next]) => `${next} answers all callers, and ${legacy} stands by`,
  complete: (_facts, [, next]) => `${next} answers all callers alone`,
};

/** What must still happen before the next step. */
function remainsText({ gate: { next, unmet, earliestAt }, hold }: ReportFacts): string {
  if (next === null) return 'Nothing remains to be done.';
  if (hold !== null) return `It is on hold: ${hold.reason}.`;
  if (unmet.length === 0) return `Nothing holds up the next step, ${next}.`;
  const earliest = earliestAt === undefined ? '' : `, and it comes at ${earliestAt} at the earliest`;
  return `Before the next step, ${next}, there remains: ${unmet.map(conditionText).join('; ')}${earliest}.`;
}

/** The report in a few plain sentences, for people who read no tables. */
function summary(facts: ReportFacts): string {
  const { resource, sources, stage, since, evidenceSince, compare } = facts;
  const [legacy, next] = sources;
  const all = Object.values(compare);
  const sum = (
    ...names: readonly ('match' | 'ignored' | 'mismatch' | 'transient' | 'keys' | 'served' | 'given')[]
  ) => all.reduce((total, one) => names.reduce((more, name) => more + one[name], total), 0);
  const fallbacks = Object.values(facts.fallback).reduce((total, count) => total + count, 0);
  const answers = sum('match', 'ignored', 'mismatch', 'transient');
  return cell(
    [
      `${resource} moves from ${legacy} to ${next}. Since ${since}, ${WHERE[stage](facts, sources)}.`,
      `Since ${evidenceSince}, ${answers} answers to ${sum('keys')} different questions were compared:`,
      `${sum('mismatch')} differed, ${sum('transient')} differed once and then no more, and ${sum('ignored')} only as a rule allows.`,
      sum('served') === 0
        ? `No caller has been served by ${next}.`
        : `Of ${sum('served')} calls of callers to ${next}, ${legacy} answered ${fallbacks} instead; ${sum('given')} answers to callers were not what ${legacy} says.`,
      remainsText(facts),
    ].join(' '),
  );
}

function stateTable({ walk, edges, hold, lastRollback, operations, ...report }: ReportFacts): string {
  const walked = walk && `${walkText(walk)}, at ${walk.at}`;
  const probed = edges && `${edgeCasesText(edges)}, at ${edges.at}`;
  const apart = Object.entries(operations).map(([operation, own]) => `${operation} ${positionText(own)}`);
  return table(
    ['', ''],
    [
      ['From, to', report.sources.join(' to ')],
      ['Position', [positionText(report), ...apart].join(', ')],
      ['Since', report.since],
      ['Forced over', report.forced.join('; ') || 'nothing'],
      ['State', `rev ${report.rev}`],
      ['Counted since', report.evidenceSince],
      ['Rehearsed rollback', report.rehearsedAt ?? 'never with these counts'],
      ['Walk over all records', walked ?? 'never with these counts'],
      ['Edge cases', probed ?? 'never with these counts'],
      ['Hold', hold === null ? 'none' : `${hold.at} by ${hold.by}: ${hold.reason}`],
      ['Last rollback', lastRollback === null ? 'none' : rollbackText(lastRollback)],
      ['Made', instant(report.now)],
    ],
  );
}

function gateTable({ gate }: ReportFacts): string {
  const rows = (conditions: Gate['unmet'], isMet: string) =>
    conditions.map(({ id, operation = 'all', have, need }): Row => [id, operation, have, need, isMet]);
  return table(
    ['Condition', 'Operation', 'Have', 'Need', 'Met'],
    [...rows(gate.unmet, 'no'), ...rows(gate.met, 'yes')],
  );
}

function comparisonTable({ compare }: ReportFacts): string {
  const rows = Object.entries(compare).map(([operation, one]): Row => [
    ...[operation, one.keys, one.mismatchedKeys, shareInPercent(one.bound95)],
    ...[one.match, one.ignored, one.mismatch, one.transient, one.inconclusive],
    ...[one.failedNew, one.failedLegacy, one.failedBoth, one.odd],
  ]);
  const distinct = ['Operation', 'Distinct questions', 'of them different', 'At most (95 %)'];
  const verdicts = ['Match', 'Ignored', 'Mismatch', 'Transient', 'Inconclusive'];
  return table([...distinct, ...verdicts, 'New failed', 'Legacy failed', 'Both failed', 'Odd'], rows);
}

function servedTable({ compare }: ReportFacts): string {
  const rows = Object.entries(compare).map(([operation, one]): Row => {
    const causes = Object.entries(one.fallback).map(([cause, count]) => `${cause} ${count}`);
    const fallback = causes.join(', ');
    return [operation, one.served, one.attributable, fallback, quantiles(one.legacyMs), quantiles(one.newMs)];
  });
  const calls = ['Operation', 'Calls at the new source', 'failed there alone', 'Fallbacks'];
  return table([...calls, 'Legacy p50 / p95 / p99', 'New p50 / p95 / p99'], rows);
}

function uncomparedTable({ uncompared }: ReportFacts): string {
  const rows = uncompared.map(({ outcome, count, why }): Row => [outcome, count, why]);
  return table(['Outcome', 'Answers', 'Why'], rows);
}

function rulesTable({ config, rules, acknowledged, now }: ReportFacts): string {
  const { ignore, tolerate } = config.compare;
  const accepted = (id: string) => (acknowledged.includes(id) ? 'yes' : 'no');
  const until = (ms: number) => (ms > now ? instant(ms) : `${instant(ms)}, ended`);
  const all = [
    ...ignore.map((rule) => ({ ...rule, id: rule.path, kind: 'ignore, in the file' })),
    ...tolerate.map((rule) => ({ ...rule, id: rule.path, kind: 'tolerate, in the file' })),
    ...rules.map((rule) => ({ ...rule, kind: `ignore ${rule.hint ?? ''}`.trim() })),
  ];
  return table(
    ['Rule', 'Field', 'Kind', 'Owner', 'Reason', 'Until', 'Acknowledged'],
    all.map((rule) => [
      ...[rule.id, rule.path, rule.kind, rule.owner, rule.reason, until(rule.until), accepted(rule.id)],
    ]),
  );
}

function differencesTable({ differences }: ReportFacts): string {
  const rows = differences.map(({ operation, path, kind, hint = '', count, ignored, ...at }): Row => [
    ...[operation, path, kind, hint, count, ignored ? 'yes' : 'no', at.firstAt, at.lastAt],
  ]);
  return table(['Operation', 'Field', 'Kind', 'Hint', 'Count', 'Ignored', 'First', 'Last'], rows);
}

function historyTable({ history }: ReportFacts): string {
  const rows = history.map(({ at, actor, action, outcome, reason = '', after }) => {
    const { forced = [], pending } = Object(after) as {
      readonly forced?: readonly string[];
      readonly pending?: string;
    };
    const isStep =
      action === 'migrations.approve' || (action === 'migrations.stage' && pending === undefined);
    const over = isStep && forced.length > 0 ? [`forced over ${forced.join('; ')}`] : [];
    const waits = action === 'migrations.stage' && pending !== undefined ? ['waits for an approval'] : [];
    return [at, actor, action, outcome, [reason, ...over, ...waits].join(': ')];
  });
  return table(['When', 'Who', 'What', 'Outcome', 'Why'], rows);
}

/** The report on a migration as a document in Markdown. It contains counts, paths and names, but no value of a record. */
export function reportText(facts: ReportFacts): string {
  const { gate, resource } = facts;
  return [
    `# Migration of ${resource}`,
    summary(facts),
    stateTable(facts),
    `## Gate of the next step: ${gate.next ?? 'none'}, ${gate.ready ? 'ready' : 'not ready'}`,
    gateTable(facts),
    '## Comparisons',
    comparisonTable(facts),
    '## Answers that were not compared',
    uncomparedTable(facts),
    '## Answers of the new source that differed once',
    table(
      ['Operation', 'Field', 'Gone', 'Of answers', 'Writes explain', 'Given to callers'],
      onceRows(facts.compare),
    ),
    '## Calls of callers, and latencies of both sources for the same questions',
    servedTable(facts),
    '## Rules',
    rulesTable(facts),
    '## Differences',
    differencesTable(facts),
    '## History',
    historyTable(facts),
    '',
  ].join('\n\n');
}
