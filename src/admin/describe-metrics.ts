import type { Registry } from 'prom-client';

/** A metric as `/metrics` names it, with the labels of its series. */
export type MetricDescription = {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
};

/** Describes Portico's own metrics of a registry, in the order of their registration, without those of the process. */
export function describeMetrics(registry: Registry): readonly MetricDescription[] {
  const metrics = registry.getMetricsAsArray().filter(({ name }) => name.startsWith('portico_'));
  return metrics.map((metric) => {
    // Every metric of prom-client has these two; its type does not say so.
    const { type, labelNames } = metric as unknown as { type: string; labelNames: readonly string[] };
    return { name: metric.name, type, labels: labelNames, help: metric.help };
  });
}
