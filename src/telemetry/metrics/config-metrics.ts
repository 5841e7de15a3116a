// The metrics of the configuration in force and of its reloads, for a process that serves and for the primary of workers.

import { Counter, Gauge, type Registry } from 'prom-client';

/** The result of a reload. `unchanged`: the configuration was in force already. */
export type ReloadResult = 'applied' | 'unchanged' | 'refused';

const RESULTS: readonly ReloadResult[] = ['applied', 'unchanged', 'refused'];

/** The metrics of the configuration. */
export type ConfigMetrics = ReturnType<typeof createConfigMetrics>;

/** Registers the metrics of the configuration in force and of its reloads. */
export function createConfigMetrics(registry: Registry) {
  const registers = [registry];
  const info = new Gauge({
    name: 'portico_config_info',
    help: 'Always 1; the label is the digest of the configuration in force. Replicas that serve the same have the same.',
    labelNames: ['digest'],
    registers,
  });
  const reloads = new Counter({
    name: 'portico_config_reloads_total',
    help: 'Reloads of the configuration: applied; unchanged, it was in force already; refused because of its problems.',
    labelNames: ['outcome'],
    registers,
  });
  const stale = new Gauge({
    name: 'portico_config_stale',
    help: '1 where the files on disk were refused, so that an older configuration is in force; 0 otherwise.',
    registers,
  });
  for (const outcome of RESULTS) reloads.labels(outcome).inc(0);
  stale.set(0);
  return {
    configInForce(digest: string) {
      info.reset();
      info.labels(digest).set(1);
    },
    reloaded: (result: ReloadResult) => reloads.labels(result).inc(),
    configStale: (isStale: boolean) => stale.set(isStale ? 1 : 0),
  };
}
