// Panels and rows of the board, and the PromQL that they are written in.

/** A query of a panel, and what its series are called: `{{label}}` stands for the value of a label. */
export type BoardQuery = readonly [expr: string, legend: string];

/** How a panel shows its series. */
type PanelKind = 'timeseries' | 'stat' | 'state-timeline';

/** One panel of the board, before it has a place on it. */
export type BoardPanel = {
  readonly title: string;
  /** What the panel tells, and what to make of it: one or two sentences. */
  readonly about: string;
  readonly kind: PanelKind;
  /** The unit by its name in Grafana: `reqps`, `s`, `percentunit` … */
  readonly unit: string;
  readonly queries: readonly BoardQuery[];
  /** Names for the values of a state. */
  readonly names: Readonly<Record<number, string>>;
};

/** A heading of the board and the panels below it. */
export type BoardRow = { readonly title: string; readonly panels: readonly BoardPanel[] };

/** Every query is about the gateways that were chosen at the top of the board. */
const CHOSEN = 'job="$job",instance=~"$instance"';

/** The series of a metric of the chosen gateways; `matchers` narrow them. */
export const of = (metric: string, matchers = ''): string =>
  `${metric}{${CHOSEN}${matchers === '' ? '' : `,${matchers}`}}`;

/** What a counter grows by in a second. */
export const rate = (metric: string, matchers = ''): string =>
  `rate(${of(metric, matchers)}[$__rate_interval])`;

/** What a counter has grown by within the resolution of the board: for events that are rare. */
export const increase = (metric: string, matchers = ''): string =>
  `increase(${of(metric, matchers)}[$__rate_interval])`;

/** The sum of series, by the labels in `by`. */
export const sum = (expr: string, by = ''): string =>
  by === '' ? `sum(${expr})` : `sum by (${by}) (${expr})`;

/** The greatest of series, by the labels in `by`: for states, which are the same in several gateways. */
export const max = (expr: string, by: string): string => `max by (${by}) (${expr})`;

/** A quantile of a histogram, by the labels in `by`. */
export const quantile = (share: number, histogram: string, by = ''): string =>
  `histogram_quantile(${share}, ${sum(rate(`${histogram}_bucket`), by === '' ? 'le' : `${by}, le`)})`;

/** Lines over time. */
export function lines(title: string, unit: string, about: string, ...queries: BoardQuery[]): BoardPanel {
  return { title, about, kind: 'timeseries', unit, queries, names: {} };
}

/** One number each, as it is now. */
export function numbers(title: string, unit: string, about: string, ...queries: BoardQuery[]): BoardPanel {
  return { title, about, kind: 'stat', unit, queries, names: {} };
}

/** States over time, with names for their values. */
export function states(
  title: string,
  names: Readonly<Record<number, string>>,
  about: string,
  ...queries: BoardQuery[]
): BoardPanel {
  return { title, about, kind: 'state-timeline', unit: 'none', queries, names };
}
