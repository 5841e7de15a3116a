// The metrics of the judge, which decides about the migrations of a fleet; only the one process that judges shows them.

import { Gauge } from 'prom-client';
import { createEventCounter, type MetricPlace, registerGauge } from './metric-factories.ts';

/** Who has stopped a migration. */
type Hold = { readonly resource: string; readonly by: 'judge' | 'operator' };

/** A migration with its operations, which are labels of the gauges. */
type JudgedOperations = { readonly resource: string; readonly operations: readonly string[] };

/** Registers the metrics of the judge. */
export function createJudgeMetrics(place: MetricPlace) {
  const { registry } = place;
  const gauge = (name: string, labelNames: readonly string[], help: string) =>
    new Gauge({ name, labelNames, help, registers: [registry] });
  let holds: () => readonly Hold[] = () => [];
  const cusum = gauge(
    'portico_migration_cusum',
    ['resource', 'operation'],
    'The CUSUM of failures of the new source only: at 9.2 the judge rolls back. In the process that judges.',
  );
  const transient = gauge(
    'portico_migration_transient_exceeded',
    ['resource', 'operation'],
    '1 where more answers of the new source differ once, and the legacy one has not confirmed them, than writes explain. In the process that judges.',
  );
  const ready = gauge(
    'portico_migration_gate_ready',
    ['resource'],
    '1 where the next step of a migration may be taken. In the process that judges.',
  );
  const atRev = gauge(
    'portico_migration_replicas_at_rev',
    ['resource'],
    'Processes that serve by the last state of a migration, as they have acknowledged it. In the process that judges.',
  );
  registerGauge(place, {
    name: 'portico_migration_hold',
    help: '1 where no step forward is possible: by the judge, which has rolled back or found the new source slow, or by an operator.',
    labelNames: ['resource', 'by'],
    read: () => holds().map(({ resource, by }) => [[resource, by], 1] as const),
  });
  return {
    migrationCusum: (resource: string, operation: string, value: number) =>
      cusum.labels(resource, operation).set(value),
    migrationTransient: (resource: string, operation: string, isExceeded: boolean) =>
      transient.labels(resource, operation).set(isExceeded ? 1 : 0),
    migrationGate: (resource: string, isReady: boolean) => ready.labels(resource).set(isReady ? 1 : 0),
    migrationReplicas: (resource: string, replicas: number) => atRev.labels(resource).set(replicas),
    forgetJudgement(ended?: JudgedOperations) {
      if (ended === undefined) {
        for (const gauge of [cusum, transient, ready, atRev]) gauge.reset();
        return;
      }
      for (const gauge of [ready, atRev]) gauge.remove(ended.resource);
      for (const gauge of [cusum, transient])
        for (const operation of ended.operations) gauge.remove(ended.resource, operation);
    },
    /** Sets the function that tells at each scrape which migrations are on hold. */
    watchHolds: (next: () => readonly Hold[]) => void (holds = next),
    migrationRollback: createEventCounter(place, {
      name: 'portico_migration_rollbacks_total',
      help: 'Rollbacks of the judge, by what it went by: failures, difference, transient, latency; rehearsal, nothing was rolled back.',
      labelNames: ['resource', 'rule'],
    }),
  };
}
