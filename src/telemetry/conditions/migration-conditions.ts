// The conditions of migrations and of webhooks. src/telemetry/conditions/condition.ts says what each key means.

import { sumsBy } from '../history/series-sums.ts';
import { type GatewayCondition, countsAbove, gaugesAbove, label } from './condition.ts';

/** The page's view of a migration. */
const MIGRATION_VIEW = '#/migration/{resource}';

/** States of a migration: a condition holds as long as its gauge is above the threshold. */
export const migrationStateConditions: readonly GatewayCondition[] = [
  {
    ...{ id: 'migration_breaker', severity: 'critical', entry: 'PorticoMigrationFallback' },
    text: 'The new source of {resource} fails: {count} {process serves|processes serve} it from the legacy source.',
    ...{ view: MIGRATION_VIEW, find: gaugesAbove('portico_migration_breaker_open') },
  },
  {
    ...{ id: 'migration_transient', severity: 'critical', entry: 'PorticoMigrationTransient' },
    note: 'The legacy source has not confirmed these answers, and a recheck finds no difference: only their rate shows them.',
    expr: 'max by (resource, operation) (portico_migration_transient_exceeded) > $above',
    summary: 'More answers of the new source differ once than writes explain.',
    text: 'Answers of the new source of {operation} differ once, more often than writes explain.',
    webhook: 'migration.transient',
    ...{ view: MIGRATION_VIEW, find: gaugesAbove('portico_migration_transient_exceeded') },
  },
  {
    ...{ id: 'migration_stopped', severity: 'critical', entry: 'PorticoMigrationStopped' },
    note: 'The judge has rolled back, or holds because the new source is slow: until a person resumes.',
    expr: 'max by (resource) (portico_migration_hold{by="judge"}) > $above',
    summary: 'The judge has stopped a migration.',
    text: 'The judge has stopped the migration of {resource}.',
    view: MIGRATION_VIEW,
    find: gaugesAbove('portico_migration_hold', (gauge) => label(gauge, 'by') === 'judge'),
  },
  {
    ...{ id: 'migration_held', severity: 'info', entry: 'PorticoMigrationReady' },
    text: 'An operator holds the migration of {resource}.',
    view: MIGRATION_VIEW,
    find: gaugesAbove('portico_migration_hold', (gauge) => label(gauge, 'by') !== 'judge'),
  },
  {
    ...{ id: 'migration_ready', severity: 'info', entry: 'PorticoMigrationReady', lasts: '5m' },
    expr: 'max by (resource) (portico_migration_gate_ready) > $above',
    summary: 'The next step of a migration may be taken.',
    text: 'The next step of the migration of {resource} may be taken.',
    webhook: 'migration.gate_ready',
    ...{ view: MIGRATION_VIEW, find: gaugesAbove('portico_migration_gate_ready') },
  },
  {
    ...{ id: 'migration_stale', severity: 'critical', entry: 'PorticoMigrationStale', lasts: '1m' },
    ...{ above: 30, unit: 'seconds' },
    expr: 'max by (instance) (portico_migration_stale_seconds) > $above',
    summary: 'A process serves a migration by a state that it cannot read anew.',
    text: 'The state of migrations could not be read anew for {count} s.',
    find: (facts, above) =>
      gaugesAbove('portico_migration_stale_seconds')(facts, above).map(({ count = 0 }) => ({
        count: Math.round(Number(count)),
      })),
  },
  {
    // Without `text` and `find`, because only Prometheus sees the states of all processes.
    ...{ id: 'migration_behind', severity: 'critical', entry: 'PorticoMigrationBehind', lasts: '1m' },
    expr: 'max by (resource) (portico_migration_rev) - min by (resource) (portico_migration_rev) > $above',
    summary: 'Processes serve a migration by different states.',
  },
];

/** Events of migrations, and events that webhooks could not deliver, in the last minute or hour; they are found in counters. */
export const migrationEventConditions: readonly GatewayCondition[] = [
  {
    ...{ id: 'migration_differs', severity: 'warning', entry: 'PorticoMigrationDiffers' },
    expr: 'sum by (resource, operation) (increase(portico_migration_compare_total{verdict="mismatch"}[1h])) > $above',
    summary: 'Both sources of a resource that moves have different records.',
    text: '{count} {difference|differences} between both sources of {resource} in the last hour.',
    ...{ view: MIGRATION_VIEW, find: countsAbove('differences', 'resource') },
  },
  {
    ...{ id: 'migration_fallback', severity: 'warning', entry: 'PorticoMigrationFallback', lasts: '5m' },
    expr: 'sum by (resource, operation, cause) (rate(portico_migration_fallback_total{cause!="odd"}[2m])) > $above',
    summary: 'The legacy source serves calls in place of the new one.',
    text: '{count} {request|requests} for the new source of {resource} in the last minute {was|were} served by the legacy one.',
    ...{ view: MIGRATION_VIEW, find: countsAbove('fallbacks', 'resource') },
  },
  {
    ...{ id: 'migration_lost', severity: 'critical', entry: 'PorticoMigrationRevRegressed' },
    expr: 'sum by (resource) (increase(portico_migration_rev_regressed_total[15m])) > $above',
    summary: 'Redis had lost the last changes of a migration.',
    text: 'Redis had lost the last changes of the migration of {resource}; the gateway has put them back.',
    ...{ view: MIGRATION_VIEW, find: countsAbove('regressions', 'resource') },
  },
  {
    ...{ id: 'webhooks_dead', severity: 'warning', entry: 'PorticoWebhooksDead' },
    expr: 'sum by (receiver, event) (increase(portico_webhooks_total{outcome="dead"}[1h])) > $above',
    summary: 'A receiver of webhooks has not taken an event; it is not sent again.',
    text: '{count} {event|events} of the last hour {was|were} given up, because {receiver} did not take them.',
    find: ({ lastHour }, above) =>
      [
        ...sumsBy(lastHour, 'webhooks', ([of, receiver]) => (of === 'dead' ? (receiver ?? '') : undefined)),
      ].flatMap(([receiver, count]) => (count > above ? [{ receiver, count }] : [])),
  },
];
