import { Counter, type CounterConfiguration, type Histogram, type Registry } from 'prom-client';

/** What was counted under some label values. */
type Child<T> = { readonly values: readonly string[]; readonly tally: T };

/** The tally of two or three label values. */
type ChildOf<T> = (first: string, second: string, third?: string) => T;

/**
 * Something that was counted, in a plain number until prom-client is asked for it: its own children look their labels
 * up anew each time they count, which would be felt in every request.
 */
export class CounterChild {
  count = 0;

  add(count = 1): void {
    this.count += count;
  }
}

/** Things that took time. */
export class HistogramChild {
  count = 0;
  sum = 0;
  /** How many took at most as long as a bound, and longer than the one before. */
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

function createTallies<T>(make: () => T): { of: ChildOf<T>; children: readonly Child<T>[] } {
  const tree = new Map<string, Map<string, Map<string, T>>>();
  const children: Child<T>[] = [];

  function add(values: readonly [string, string, string]): T {
    const tally = make();
    children.push({ values, tally });
    const [first, second, third] = values;
    const seconds = tree.get(first) ?? new Map<string, Map<string, T>>();
    const thirds = seconds.get(second) ?? new Map<string, T>();
    tree.set(first, seconds.set(second, thirds.set(third, tally)));
    return tally;
  }

  return {
    of: (first, second, third = '') =>
      tree.get(first)?.get(second)?.get(third) ?? add([first, second, third]),
    children,
  };
}

type Described = Pick<CounterConfiguration<string>, 'name' | 'help' | 'labelNames'>;

/** Registers a counter that shows what `children` come to. */
function showCounts(
  registry: Registry,
  described: Described,
  children: readonly Child<{ readonly count: number }>[],
): void {
  const labels = described.labelNames?.length ?? 0;
  new Counter({
    ...described,
    registers: [registry],
    collect() {
      this.reset();
      for (const { values, tally } of children) this.labels(...values.slice(0, labels)).inc(tally.count);
    },
  });
}

/** A counter with two or three labels. */
export function createCounter(registry: Registry, described: Described): ChildOf<CounterChild> {
  const { of, children } = createTallies(() => new CounterChild());
  showCounts(registry, described, children);
  return of;
}

/** The samples of one child of a histogram, as Prometheus has them: cumulative, and with the sum and the count. */
function samplesOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  tally: HistogramChild,
  bounds: readonly number[],
) {
  let atMost = 0;
  const buckets = bounds.map((le, index) => {
    atMost += tally.buckets[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: atMost };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: tally.count },
    { metricName: `${name}_sum`, labels, value: tally.sum },
    { metricName: `${name}_count`, labels, value: tally.count },
  ];
}

/** A counter `<name>s_total` and a histogram `<name>_duration_seconds` of the same things. */
export function createTimedCounter(
  registry: Registry,
  timed: { name: string; help: string; durationHelp: string; labelNames: readonly string[] },
  bounds: readonly number[],
): ChildOf<HistogramChild> {
  const { name, help, durationHelp, labelNames } = timed;
  const { of, children } = createTallies(() => new HistogramChild(bounds));
  showCounts(registry, { name: `${name}s_total`, help, labelNames }, children);
  const described = {
    name: `${name}_duration_seconds`,
    help: durationHelp,
    type: 'histogram',
    aggregator: 'sum',
  };
  const samples = ({ values, tally }: Child<HistogramChild>) => {
    const labels = Object.fromEntries(labelNames.map((label, index) => [label, values[index] ?? '']));
    return samplesOf(described.name, labels, tally, bounds);
  };
  const histogram = {
    ...described,
    labelNames,
    get: () => Promise.resolve({ ...described, values: children.flatMap(samples) }),
  };
  // The registry asks for no more than this; prom-client's type knows its own classes only.
  registry.registerMetric(histogram as unknown as Histogram);
  return of;
}
