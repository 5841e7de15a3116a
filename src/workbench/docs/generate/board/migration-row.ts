import { stages } from '../../../../config/schema/migration.ts';
import { type BoardRow, increase, lines, max, of, quantile, rate, states, sum } from './panel.ts';

const OPERATION = 'resource, operation';
const metric = (name: string) => `portico_migration_${name}`;

/** How far resources that move are, and what was found. */
export const migrationRow: BoardRow = {
  title: 'Migration',
  panels: [
    states(
      'Stage',
      Object.fromEntries(stages.entries()),
      'How far each operation of a resource that moves is.',
      [max(of(metric('stage')), OPERATION), '{{operation}}'],
    ),
    lines('Share of the ramp', 'percent', 'The share of callers that the new source serves.', [
      max(of(metric('percent')), OPERATION),
      '{{operation}}',
    ]),
    states(
      'Gate and holds',
      { 0: 'no', 1: 'yes' },
      'Whether the next step may be taken, who stops it, and whether the new source fails so often that it is not asked.',
      [max(of(metric('gate_ready')), 'resource'), '{{resource}}: next step may be taken'],
      [max(of(metric('hold')), 'resource, by'), '{{resource}}: held by {{by}}'],
      [max(of(metric('breaker_open')), 'resource'), '{{resource}}: new source not asked'],
    ),
    lines('Evidence for failures', 'none', 'Of the new source alone: at 9.2 the judge rolls back.', [
      max(of(metric('cusum')), OPERATION),
      '{{operation}}',
    ]),
    states(
      'Answers that differed once',
      { 0: 'no', 1: 'yes' },
      'Whether more of them than writes explain came from the new source: the legacy one has not confirmed them.',
      [max(of(metric('transient_exceeded')), OPERATION), '{{operation}}'],
    ),
    lines(
      'Comparisons',
      'ops',
      'Both sources were asked: match, ignored by a rule, transient, mismatch, or no verdict.',
      [sum(rate(metric('compare_total')), 'operation, verdict'), '{{operation}} {{verdict}}'],
    ),
    lines(
      'Differences',
      'none',
      'Confirmed since the processes began, and ignored by no rule, by the path of their field.',
      [sum(of(metric('diff_total')), 'resource, path_group'), '{{resource}} {{path_group}}'],
    ),
    lines(
      'Latency of both sources (p99)',
      's',
      'shadow true: asked for a comparison, with the lowest priority.',
      [
        quantile(0.99, metric('upstream_seconds'), 'resource, origin, shadow'),
        '{{resource}} {{origin}}, shadow {{shadow}}',
      ],
    ),
    lines(
      'Lag of a store (p99)',
      's',
      'How long differences lasted that writes between two reads had made.',
      [quantile(0.99, metric('lag_seconds'), 'operation'), '{{operation}}'],
    ),
    lines('Requests by source', 'reqps', 'Which source was chosen for requests.', [
      sum(rate(metric('requests_total')), 'operation, origin'),
      '{{operation}} {{origin}}',
    ]),
    lines('Served by the legacy source instead', 'reqps', 'The new source was chosen, and did not do.', [
      sum(rate(metric('fallback_total')), 'operation, cause'),
      '{{operation}} {{cause}}',
    ]),
    lines('Rollbacks', 'none', 'Of the judge, by what it went by.', [
      sum(increase(metric('rollbacks_total')), 'resource, rule'),
      '{{resource}} {{rule}}',
    ]),
    lines(
      'Shadow calls',
      'ops',
      'dropped_…: why the other source was not asked.',
      [sum(rate(metric('shadow_total')), 'resource, outcome'), '{{resource}} {{outcome}}'],
      [sum(of(metric('shadow_in_flight'))), 'in flight'],
    ),
    lines('Looked at again', 'ops', 'Differences: confirmed, gone, or inconclusive.', [
      sum(rate(metric('rechecks_total')), 'resource, result'),
      '{{resource}} {{result}}',
    ]),
    lines('Chosen by a header', 'reqps', 'Callers who have chosen the source themselves.', [
      sum(rate(metric('overrides_total')), 'resource, origin'),
      '{{resource}} {{origin}}',
    ]),
    lines(
      'State of the fleet',
      'none',
      'The state that each process serves by, and how long ago it last knew it.',
      [max(of(metric('rev')), 'resource, instance'), '{{resource}} {{instance}}'],
      [max(of(metric('stale_seconds')), 'instance'), 'seconds since {{instance}} knew'],
      [max(of(metric('replicas_at_rev')), 'resource'), '{{resource}}: processes at the last state'],
      [sum(increase(metric('rev_regressed_total')), 'resource'), '{{resource}}: lost by Redis'],
    ),
  ],
};
