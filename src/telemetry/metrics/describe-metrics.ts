import type { Registry } from 'prom-client';

/** A metric with its labels, as `/metrics` shows it. */
export type MetricDescription = {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
};

/** Describes Portico's own metrics in a registry, in the order of their registration, without those of the process. */
export function describeMetrics(registry: Registry): readonly MetricDescription[] {
  const metrics = registry.getMetricsAsArray().filter(({ name }) => name.startsWith('portico_'));
  return metrics.map((metric) => {
    // Every metric of prom-client has these two fields; its type does not declare them.
    const { type, labelNames } = metric as unknown as { type: string; labelNames: readonly string[] };
    return { name: metric.name, type, labels: labelNames, help: metric.help };
  });
}
