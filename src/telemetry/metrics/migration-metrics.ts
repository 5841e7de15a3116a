// The metrics of resources that move to a new source: the stage, the chosen source, fallbacks and comparison calls.

import { stages, type MigrationStage } from '../../config/schema/migration-stages.ts';
import { createEventCounter, type MetricPlace, registerGauge } from './metric-factories.ts';

/** The position of an operation in its migration. `rev`: the number of the state by which this process serves. */
type OperationPosition = {
  readonly resource: string;
  readonly operation: string;
  readonly stage: MigrationStage;
  readonly percent: number;
  readonly rev: number;
};

/** The state of migrations that the gauges read at each scrape. */
type MigrationsView = {
  readonly positions: () => readonly OperationPosition[];
  readonly staleSeconds: () => number;
  /** The resources that this process serves from the legacy source because the new one fails. */
  readonly openBreakers: () => readonly string[];
};

/** Registers the gauges of the positions of migrations. */
function createPositionMetrics(place: MetricPlace) {
  let view: MigrationsView = { positions: () => [], staleSeconds: () => 0, openBreakers: () => [] };
  const showPosition = (name: string, help: string, valueOf: (position: OperationPosition) => number) =>
    registerGauge(place, {
      name,
      help,
      labelNames: ['resource', 'operation'],
      read: () => view.positions().map((one) => [[one.resource, one.operation], valueOf(one)] as const),
    });

  showPosition(
    'portico_migration_stage',
    'How far an operation of a resource that moves is: 0 legacy, 1 shadow, 2 ramp, 3 live, 4 complete.',
    ({ stage }) => stages.indexOf(stage),
  );
  showPosition(
    'portico_migration_percent',
    'The share of the ramp of an operation of a resource that moves, in percent.',
    ({ percent }) => percent,
  );
  registerGauge(place, {
    name: 'portico_migration_rev',
    help: 'The number of the state that this process serves by; processes that differ for long have not learnt of a change.',
    labelNames: ['resource'],
    read: () => view.positions().map(({ resource, rev }) => [[resource], rev] as const),
  });
  registerGauge(place, {
    name: 'portico_migration_stale_seconds',
    help: 'Seconds since this process last knew the state of the fleet; it serves by what it knows.',
    labelNames: [],
    read: () => [[[], view.positions().length === 0 ? 0 : view.staleSeconds()]],
  });
  registerGauge(place, {
    name: 'portico_migration_breaker_open',
    help: 'Processes that serve a resource from the legacy source for half a minute, because the new source fails there.',
    labelNames: ['resource'],
    read: () => view.openBreakers().map((resource) => [[resource], 1] as const),
  });
  /** Sets the state that the gauges read at each scrape. */
  return { watchMigrations: (next: MigrationsView) => void (view = next) };
}

/** Registers the metrics of calls for comparisons between both sources. */
function createShadowMetrics(place: MetricPlace) {
  let inFlight = () => 0;
  const help = 'Calls of comparisons under way.';
  registerGauge(place, {
    name: 'portico_migration_shadow_in_flight',
    help,
    labelNames: [],
    read: () => [[[], inFlight()]],
  });
  return {
    /** Sets the function that tells at each scrape how many calls for comparisons are in flight. */
    watchShadows: (next: () => number) => void (inFlight = next),
    shadow: createEventCounter(place, {
      name: 'portico_migration_shadow_total',
      help: 'Answers that the other source was asked for, too: ok, timeout, error; or why it was not (dropped_cap, dropped_rate, dropped_overload, dropped_breaker, dropped_source, dropped_scan).',
      labelNames: ['resource', 'outcome'],
    }),
    recheck: createEventCounter(place, {
      name: 'portico_migration_rechecks_total',
      help: 'Differences that were looked at again: confirmed, gone, or inconclusive.',
      labelNames: ['resource', 'result'],
    }),
  };
}

/** Registers the metrics of resources that move to a new source. */
export function createMigrationMetrics(place: MetricPlace) {
  return {
    ...createPositionMetrics(place),
    ...createShadowMetrics(place),
    migrationRequest: createEventCounter(place, {
      name: 'portico_migration_requests_total',
      help: 'Requests of resources that move, by the source that was chosen for them; none in legacy and complete.',
      labelNames: ['resource', 'operation', 'origin'],
    }),
    revRegressed: createEventCounter(place, {
      name: 'portico_migration_rev_regressed_total',
      help: 'Redis had an older state of a migration than this process, or none, and has got it back: Redis had lost data.',
      labelNames: ['resource'],
    }),
    migrationFallback: createEventCounter(place, {
      name: 'portico_migration_fallback_total',
      help: 'Requests that the legacy source served in place of the new one: it was not reached (connect), failed, was late (timeout), answered nothing usable (invalid), lacks a record (missing), or failed where the legacy one has none (odd).',
      labelNames: ['resource', 'operation', 'cause'],
    }),
    migrationOverride: createEventCounter(place, {
      name: 'portico_migration_overrides_total',
      help: 'Requests whose caller has chosen the source by a header.',
      labelNames: ['resource', 'origin'],
    }),
  };
}
