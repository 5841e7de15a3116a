import { Counter, type Registry } from 'prom-client';

/** Registers the metrics of the audit. */
export function createAccessMetrics(registry: Registry) {
  const auditLines = new Counter({
    name: 'portico_audit_lines_total',
    help: 'Lines of the audit: kept; waiting, because Redis did not take them at once (the log has them); lost, as too many waited.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['kept', 'waiting', 'lost']) auditLines.labels(outcome).inc(0);
  return {
    auditLine: (outcome: 'kept' | 'waiting' | 'lost') => auditLines.labels(outcome).inc(),
  };
}
