// Creates counters, gauges and histograms that count fast. The metrics themselves are in metrics.ts and `*-metrics.ts`.

import { Counter, type CounterConfiguration, Gauge, type Histogram, type Registry } from 'prom-client';

/** The child (the counting part) of a metric for some label values. */
type LabelledChild<T> = { readonly values: readonly string[]; readonly child: T };

/** Finds the child for up to three label values; creates it on first use. */
type ChildOf<T> = (first: string, second?: string, third?: string) => T;

/**
 * The child of a counter: a plain number, which prom-client reads at each scrape. prom-client's own children look up their
 * labels at each count, which would slow every request.
 */
export class CounterChild {
  count = 0;

  add(amount = 1): void {
    this.count += amount;
  }
}

/** The child of a histogram, in plain numbers for the same reason as `CounterChild`. */
export class HistogramChild {
  count = 0;
  sum = 0;
  /** The count of each bucket alone: values above the previous bound and not above its own bound. */
  readonly buckets: number[];
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.buckets = bounds.map(() => 0);
  }

  add(seconds: number): void {
    this.count += 1;
    this.sum += seconds;
    let index = 0;
    while (seconds > (this.#bounds[index] ?? Infinity)) index += 1;
    if (index < this.buckets.length) this.buckets[index] = (this.buckets[index] ?? 0) + 1;
  }
}

/** Where metrics are registered. `counters` finds the children of a counter by its name. */
export type MetricPlace = {
  readonly registry: Registry;
  readonly counters: Map<string, ChildOf<unknown>>;
};

/** The label values that a counter will have, by the name of the counter. */
export type KnownSeries = Readonly<Record<string, readonly (readonly string[])[]>>;

/**
 * Creates series with the value 0, before their first event. Otherwise a series would begin with 1, `increase()` and
 * `rate()` of Prometheus would not see that event, and an alert on a rare event would never fire. @throws if no counter has
 * this name
 */
export function declareSeries({ counters }: MetricPlace, known: KnownSeries): void {
  for (const [name, series] of Object.entries(known)) {
    const childOf = counters.get(name);
    if (childOf === undefined) throw new Error(`no counter is named ${name}`);
    for (const [first = '', second = '', third] of series) childOf(first, second, third);
  }
}

/** Creates an empty set of children. It uses nested maps, because joining the label values to one key is slower. */
function createChildren<T>(create: () => T): { childOf: ChildOf<T>; children: readonly LabelledChild<T>[] } {
  const tree = new Map<string, Map<string, Map<string, LabelledChild<T>>>>();
  const children: LabelledChild<T>[] = [];
  /** The child of the latest event. The next event is often of the same series. */
  let latest: LabelledChild<T> | undefined;

  function add(first: string, second: string, third: string): LabelledChild<T> {
    const added = { values: [first, second, third], child: create() };
    children.push(added);
    const seconds = tree.get(first) ?? new Map<string, Map<string, LabelledChild<T>>>();
    const thirds = seconds.get(second) ?? new Map<string, LabelledChild<T>>();
    tree.set(first, seconds.set(second, thirds.set(third, added)));
    return added;
  }

  return {
    childOf(first, second = '', third = '') {
      const values = latest?.values;
      if (latest === undefined || values?.[0] !== first || values[1] !== second || values[2] !== third)
        latest = tree.get(first)?.get(second)?.get(third) ?? add(first, second, third);
      return latest.child;
    },
    children,
  };
}

/** The name, help text and labels of a metric. */
type Described = Pick<CounterConfiguration<string>, 'name' | 'help'> & {
  readonly labelNames: readonly string[];
};

/** A gauge. `read` returns its values at a scrape: each has label values and a number. */
type DescribedGauge = Described & {
  readonly read: () => Iterable<readonly [labelValues: readonly string[], value: number]>;
};

/** A histogram with the upper bounds of its buckets. */
type DescribedHistogram = Described & { readonly bounds: readonly number[] };

/** Registers a gauge that reads its values at each scrape. */
export function registerGauge(
  { registry }: Pick<MetricPlace, 'registry'>,
  { read, ...described }: DescribedGauge,
): void {
  new Gauge({
    ...described,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labelValues, value] of read()) this.labels(...labelValues).set(value);
    },
  });
}

/** Registers a counter that reports the counts of its children. */
function registerCounts<T extends { readonly count: number }>(
  { registry, counters }: MetricPlace,
  described: Described,
  { childOf, children }: ReturnType<typeof createChildren<T>>,
): ChildOf<T> {
  counters.set(described.name, childOf);
  new Counter({
    ...described,
    registers: [registry],
    collect() {
      this.reset();
      for (const { values, child } of children)
        this.labels(...values.slice(0, described.labelNames.length)).inc(child.count);
    },
  });
  return childOf;
}

/** Creates a counter with up to three labels. */
export function createCounter(place: MetricPlace, described: Described): ChildOf<CounterChild> {
  return registerCounts(
    place,
    described,
    createChildren(() => new CounterChild()),
  );
}

/** Creates a counter with up to three labels that counts one event at a time. */
export function createEventCounter(place: MetricPlace, described: Described): ChildOf<void> {
  const childOf = createCounter(place, described);
  return (first, second, third) => childOf(first, second, third).add();
}

/** The samples of a histogram's child in Prometheus' form: cumulative buckets, the sum and the count. */
function samplesOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  child: HistogramChild,
  bounds: readonly number[],
) {
  let atMost = 0;
  const buckets = bounds.map((le, index) => {
    atMost += child.buckets[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: atMost };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: child.count },
    { metricName: `${name}_sum`, labels, value: child.sum },
    { metricName: `${name}_count`, labels, value: child.count },
  ];
}

/** Registers a histogram that reports those of its children that have counted something. */
function registerHistogram(
  { registry }: MetricPlace,
  { name, help, labelNames, bounds }: DescribedHistogram,
  { children }: ReturnType<typeof createChildren<HistogramChild>>,
): void {
  const described = { name, help, type: 'histogram', aggregator: 'sum' };
  const samples = ({ values, child }: LabelledChild<HistogramChild>) => {
    const labels = Object.fromEntries(labelNames.map((label, index) => [label, values[index] ?? '']));
    return samplesOf(name, labels, child, bounds);
  };
  const histogram = {
    ...described,
    labelNames,
    get() {
      const seen = children.filter(({ child }) => child.count > 0);
      return Promise.resolve({ ...described, values: seen.flatMap(samples) });
    },
  };
  // The registry uses only these members, although its type demands prom-client's own class. That class does not fit,
  // because its `collect` can only add observations, but not counts of buckets.
  registry.registerMetric(histogram as unknown as Histogram);
}

/** Creates a histogram with up to three labels. */
export function createHistogram(place: MetricPlace, described: DescribedHistogram): ChildOf<HistogramChild> {
  const all = createChildren(() => new HistogramChild(described.bounds));
  registerHistogram(place, described, all);
  return all.childOf;
}

/**
 * Creates a counter `<name>s_total` and a histogram `<name>_duration_seconds` of the same events. The histogram has no
 * declared series, because each would have many buckets.
 */
export function createTimedCounter(
  place: MetricPlace,
  timed: DescribedHistogram & { readonly durationHelp: string },
): ChildOf<HistogramChild> {
  const { name, help, durationHelp, labelNames, bounds } = timed;
  const all = createChildren(() => new HistogramChild(bounds));
  registerCounts(place, { name: `${name}s_total`, help, labelNames }, all);
  const durations = { name: `${name}_duration_seconds`, help: durationHelp, labelNames, bounds };
  registerHistogram(place, durations, all);
  return all.childOf;
}

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
