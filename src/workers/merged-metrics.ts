import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Counts, MetricValues } from './messages.ts';
import { lasting, mergeMetrics } from './merge-metrics.ts';
import { mergeQuality } from './merge-quality.ts';
import type { WorkerLink } from './worker-link.ts';

/** What all workers have counted together, those included that have gone. */
export type Tallies = {
  /** Takes note of a worker that has gone. Of one that died, what it counted since it was last asked is lost. */
  gone(worker: Pick<WorkerLink, 'counts'>, how: 'left' | 'died'): void;
  reloaded(outcome: 'accepted' | 'refused'): void;
  /** Everything counted, in the Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
  quality(): Promise<Counts['quality']>;
};

/** What is told of the workers at a moment. */
export type TalliesDeps = {
  readonly workers: () => readonly { readonly link: WorkerLink; readonly phase: string }[];
};

const PHASES = ['starting', 'serving', 'leaving'] as const;
const ASK_MS = 2_000;

/** Creates the tallies of one primary, with metrics of its own. */
export function createTallies({ workers }: TalliesDeps): Tallies {
  const own = new Registry();
  const registers = [own];
  collectDefaultMetrics({ register: own });
  const present = new Gauge({ name: 'portico_workers', help: 'Workers.', labelNames: ['phase'], registers });
  const ends = new Counter({
    name: 'portico_worker_ends_total',
    help: 'Workers that left, and workers that died.',
    labelNames: ['how'],
    registers,
  });
  const reloads = new Counter({
    name: 'portico_reloads_total',
    help: 'New configurations.',
    labelNames: ['outcome'],
    registers,
  });
  for (const how of ['left', 'died']) ends.labels(how).inc(0);
  for (const outcome of ['accepted', 'refused']) reloads.labels(outcome).inc(0);
  const departed: MetricValues[] = [];
  let departedQuality: Counts['quality'] = [];
  let folding = Promise.resolve();

  async function fold(): Promise<void> {
    const some = [...departed];
    if (some.length < 2) return;
    departed.splice(0, some.length, await mergeMetrics(some).getMetricsAsJSON());
  }

  /** The counts of those that are there; where one does not answer, what it told before. */
  async function countAll(): Promise<readonly Counts[]> {
    const there = workers().filter(({ phase }) => phase !== 'starting');
    const asked = there.map(({ link }) => link.ask({ about: 'counts' }, ASK_MS).catch(() => undefined));
    await Promise.all(asked);
    // Whoever has gone in the meantime is among the departed.
    return workers().flatMap(({ link: { counts } }) => (counts === undefined ? [] : [counts]));
  }

  async function ownMetrics(): Promise<MetricValues> {
    for (const phase of PHASES)
      present.labels(phase).set(workers().filter((worker) => worker.phase === phase).length);
    return own.getMetricsAsJSON();
  }

  return {
    gone({ counts }, how) {
      ends.labels(how).inc();
      if (counts === undefined) return;
      departed.push(lasting(counts.metrics));
      departedQuality = mergeQuality([departedQuality, counts.quality]);
      folding = folding.then(fold);
    },
    reloaded: (outcome) => reloads.labels(outcome).inc(),
    async text() {
      const mine = await ownMetrics();
      const all = await countAll();
      return mergeMetrics([mine, ...departed, ...all.map(({ metrics }) => metrics)]).metrics();
    },
    contentType: own.contentType,
    async quality() {
      const all = await countAll();
      return mergeQuality([departedQuality, ...all.map(({ quality }) => quality)]);
    },
  };
}
