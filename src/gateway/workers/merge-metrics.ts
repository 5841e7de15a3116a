import { AggregatorRegistry, type Registry } from 'prom-client';
import { aggregatorOf } from '../../telemetry/metrics/aggregators.ts';
import type { MetricValues } from './messages.ts';

/** Merges the metrics of several processes. Counts and sizes are summed; for the lag of the event loop, the worst counts. */
export function mergeMetrics(processes: readonly MetricValues[]): Registry {
  const withAggregators = processes.map((metrics) =>
    metrics.map((metric) => ({ ...metric, aggregator: aggregatorOf(metric.name) })),
  );
  return AggregatorRegistry.aggregate(withAggregators);
}

/** The metrics of an ended process that must not fall: counters and histograms. */
export function cumulativeMetrics(values: MetricValues): MetricValues {
  // prom-client declares `type` as an enum, but its JSON has the name.
  return values.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}
