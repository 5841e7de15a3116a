// Merges the metrics of all workers, so that the primary shows one set, whose counters do not fall when a worker ends.

import { collectDefaultMetrics, Counter, Gauge, Registry, AggregatorRegistry } from 'prom-client';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import { createConfigMetrics } from '../../telemetry/metrics/config-metrics.ts';
import { describeMetrics } from '../../telemetry/metrics/metric-factories.ts';
import { createWebhookMetrics } from '../../telemetry/webhooks/webhook-metrics.ts';
import { type MetricsJson, sampledMetrics } from '../../telemetry/history/metric-sample.ts';
import { mergeQuality } from './merge-quality.ts';
import type { WorkerCounts } from './messages.ts';
import type { WorkerLink } from './worker-link.ts';
import { aggregatorOf } from '../../telemetry/metrics/aggregators.ts';

/** The metrics and the quality reports of all workers together, ended workers included. */
export type MergedMetrics = ReturnType<typeof createMergedMetrics>;

/** Returns the workers at this moment. */
type Workers = () => readonly { readonly link: WorkerLink; readonly phase: string }[];

const PHASES = ['starting', 'serving', 'leaving'] as const;
const ASK_MS = 2_000;
const wanted = new Set(sampledMetrics);

/** Merges the metrics of several processes: sums, or what `aggregatorOf` says, such as the worst event loop lag. @internal */
export function mergeMetrics(processes: readonly MetricsJson[]): Registry {
  const withAggregators = processes.map((metrics) =>
    metrics.map((metric) => ({ ...metric, aggregator: aggregatorOf(metric.name) })),
  );
  return AggregatorRegistry.aggregate(withAggregators);
}

/** The metrics of an ended process that stay in the sums: counters and histograms. @internal */
export function cumulativeMetrics(values: MetricsJson): MetricsJson {
  // prom-client declares `type` as an enum, but its JSON has the name.
  return values.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}

/** Creates the metrics of the primary itself, in a separate registry. */
function createOwnMetrics(workers: Workers) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const present = new Gauge({
    name: 'portico_workers',
    help: 'Workers, by phase: starting, serving, leaving.',
    labelNames: ['phase'],
    registers,
  });
  const ends = new Counter({
    name: 'portico_worker_ends_total',
    help: 'Workers that ended: left in order, or died.',
    labelNames: ['how'],
    registers,
  });
  const config = createConfigMetrics(registry);
  const webhooks = createWebhookMetrics(registry);
  for (const how of ['left', 'died']) ends.labels(how).inc(0);
  async function values(): Promise<MetricsJson> {
    for (const phase of PHASES)
      present.labels(phase).set(workers().filter((worker) => worker.phase === phase).length);
    return registry.getMetricsAsJSON();
  }
  return {
    ends,
    config,
    webhooks,
    values,
    describe: () => describeMetrics(registry),
    contentType: registry.contentType,
  };
}

/**
 * Creates the metrics that a primary shows: its own, merged with those of all its workers. A worker is asked for its counts once
 * it serves; the counts of an ended worker stay.
 */
export function createMergedMetrics({ workers }: { readonly workers: Workers }) {
  const own = createOwnMetrics(workers);
  const ended: MetricsJson[] = [];
  let endedQuality: WorkerCounts['quality'] = [];
  const oneByOne = createSerialQueue();

  /** Merges the counts of ended workers into one, so that memory does not grow with their number. */
  async function fold(): Promise<void> {
    const some = [...ended];
    if (some.length < 2) return;
    ended.splice(0, some.length, await mergeMetrics(some).getMetricsAsJSON());
  }

  /** Asks all workers for their counts. For a worker that does not answer, its last answer counts. */
  async function countAll(): Promise<readonly WorkerCounts[]> {
    const running = workers().filter(({ phase }) => phase !== 'starting');
    await Promise.all(
      running.map(({ link }) => link.ask({ about: 'counts' }, ASK_MS).catch(() => undefined)),
    );
    // A worker that ended meanwhile is in `ended`, so the list is read again.
    return workers().flatMap(({ link: { counts } }) => (counts === undefined ? [] : [counts]));
  }

  async function everybody(): Promise<readonly MetricsJson[]> {
    const mine = await own.values();
    const all = await countAll();
    return [mine, ...ended, ...all.map(({ metrics }) => metrics)];
  }

  return {
    /** Keeps the counts of an ended worker. After a crash, its counts since its last answer are lost. */
    workerEnded: ({ counts }: Pick<WorkerLink, 'counts'>, how: 'left' | 'died'): void => {
      own.ends.labels(how).inc();
      if (counts === undefined) return;
      ended.push(cumulativeMetrics(counts.metrics));
      endedQuality = mergeQuality([endedQuality, counts.quality]);
      void oneByOne(fold);
    },
    reloaded: own.config.reloaded,
    configStale: own.config.configStale,
    ...own.webhooks,
    /** All metrics in the Prometheus text format. */
    text: async () => mergeMetrics(await everybody()).metrics(),
    /** The metrics from which the metric sampler takes its samples. */
    sampled: async (): Promise<MetricsJson> => {
      const values = (await everybody()).map((all) => all.filter(({ name }) => wanted.has(name)));
      return mergeMetrics(values).getMetricsAsJSON();
    },
    contentType: own.contentType,
    /** The metrics that only a primary has, for the documents. */
    describe: own.describe,
    quality: async () => {
      const all = await countAll();
      return mergeQuality([endedQuality, ...all.map(({ quality }) => quality)]);
    },
  };
}
