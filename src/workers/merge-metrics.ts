import { AggregatorRegistry, type Registry } from 'prom-client';
import type { MetricValues } from './messages.ts';

/** What is not summed up, by the beginning of its name; the first that fits decides. */
const AGGREGATORS: readonly (readonly [name: string, aggregator: 'max' | 'min'])[] = [
  ['nodejs_eventloop_lag_min_seconds', 'min'],
  // A mean would hide the one worker that is held up.
  ['nodejs_eventloop_lag', 'max'],
  ['process_start_time_seconds', 'min'],
  // The bound is one of each process, and so is what comes near it.
  ['process_open_fds', 'max'],
  ['process_max_fds', 'min'],
  ['nodejs_version_info', 'max'],
  ['portico_build_info', 'max'],
  // A source that one worker does not ask any more is trouble.
  ['portico_breaker_state', 'max'],
];

/** Merges the metrics of several processes: counts and sizes are sums, the event loop's lag is that of the worst. */
export function mergeMetrics(values: readonly MetricValues[]): Registry {
  const told = values.map((metrics) =>
    metrics.map((metric) => {
      const [, aggregator = 'sum'] = AGGREGATORS.find(([name]) => metric.name.startsWith(name)) ?? [];
      return { ...metric, aggregator };
    }),
  );
  return AggregatorRegistry.aggregate(told);
}

/** Of the metrics of a process that has gone, those that must not sink: counters and histograms. */
export function lasting(values: MetricValues): MetricValues {
  // Told as words in JSON, whatever the declaration says.
  return values.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}
