import type { WebhookEventType } from '../../config/schema/telemetry.ts';
import type { GaugeValue, MetricsSnapshot, SeriesCounts } from '../history/metric-sample.ts';
import { type LabelFilter, sumOf, sumsBy } from '../history/series-sums.ts';

/** The metrics by which conditions are judged. */
export type ConditionFacts = {
  readonly gauges: MetricsSnapshot['gauges'];
  /** What the last minute has counted. */
  readonly grown: SeriesCounts;
  /** What the last hour has counted of the families in `JUDGED_BY_HOUR`. */
  readonly lastHour: SeriesCounts;
  /** Why the files on disk were refused. */
  readonly stale?: { readonly since: string; readonly why: string } | undefined;
};

/** The families of counters that need an operator if they counted anything within the last hour, not only the last minute. */
export const JUDGED_BY_HOUR: readonly string[] = ['differences', 'regressions', 'webhooks'];

/** A share of fewer answers or calls than this is not judged: a single failure would be a large part. */
export const COUNTED_MIN = 20;

type Severity = 'critical' | 'warning' | 'info';

/** Where a condition holds: values for the names in braces of its text and its view. */
export type Subject = Readonly<Record<string, string | number>>;

/** Finds where a condition holds: which gauges or counts are above the threshold. */
export type Find = (facts: ConditionFacts, above: number) => readonly Subject[];

/**
 * Something that may be wrong with a gateway and needs an operator. The item of the page, the alert, the webhook and the
 * entry of the runbook have their name and their threshold from here.
 */
export type GatewayCondition = {
  readonly id: string;
  readonly severity: Severity;
  /** The entry of the runbook. If there is an `expr`, the alert has this name, too. */
  readonly entry: string;
  /** The condition holds above this threshold. Absent: 0. */
  readonly above?: number;
  /** The unit of the threshold. Absent: it is a count. */
  readonly unit?: 'share' | 'seconds' | 'days';
  /** The rule of Prometheus; `$above` stands for the threshold, `$job` for the job. Absent: there is no alert, only the page shows it. */
  readonly expr?: string;
  /** How long it holds before the alert fires. Absent: not at all. */
  readonly lasts?: string;
  /** What the alert says. */
  readonly summary?: string;
  /** What the alert adds to its labels, its value and since when it holds: a template of Prometheus. */
  readonly adds?: string;
  /** Explains the rule to those who read the file. */
  readonly note?: string;
  /** The alert calls somebody at once, though the page calls it no critical condition. */
  readonly pages?: boolean;
  /** The webhook event that reports it. */
  readonly webhook?: WebhookEventType;
  /** What the page says, such as `{count} {reply|replies} of {source}`; the first word is for a count of 1. */
  readonly text?: string;
  /** The view of the console with more about it. */
  readonly view?: string;
  /** Absent: a gateway cannot find it out about itself. */
  readonly find?: Find;
};

/**
 * The rule that a part of what a metric counts is too large over two minutes and over thirty (burn rates, SRE workbook): a
 * short fault is silent, and the rule ends soon after a long one. Of fewer than 20 it says nothing.
 */
export function burnRate(by: string, metric: string, some: string): string {
  const share = (range: string) =>
    `sum by (${by}) (rate(${metric}{${some}}[${range}])) / sum by (${by}) (rate(${metric}[${range}])) > $above`;
  return `${share('2m')} and ${share('30m')} and sum by (${by}) (increase(${metric}[30m])) >= ${COUNTED_MIN}`;
}

/** The threshold in words. */
export function thresholdText({ above = 0, unit }: Pick<GatewayCondition, 'above' | 'unit'>): string {
  if (unit === 'share') return percentText(above);
  if (unit === 'seconds' && above === 1) return 'a second';
  return unit === undefined ? String(above) : `${above} ${unit === 'seconds' ? 's' : unit}`;
}

/** Writes a share in percent for a sentence. */
export const percentText = (share: number) =>
  `${share < 0.1 ? Number((share * 100).toFixed(1)) : Math.round(share * 100)} %`;

/** The value of a label of a gauge. */
export const label = ({ labels }: GaugeValue, name: string) => String(labels[name] ?? '');

/** Finds the values of a gauge that are above the threshold: their labels, and the value as `count`. */
export const gaugesAbove =
  (name: string, isMeant = (_: GaugeValue) => true): Find =>
  ({ gauges }, above) =>
    gauges(name).flatMap((gauge) =>
      gauge.value > above && isMeant(gauge) ? [{ ...gauge.labels, count: gauge.value }] : [],
    );

/** Sums a family of counters by its first label, which texts call `name`, and finds the sums above the threshold. */
export const countsAbove =
  (family: string, name: string): Find =>
  (facts, above) =>
    [...sumsBy(countedIn(facts, family), family, ([first]) => first)].flatMap(([first, count]) =>
      count > above ? [{ [name]: first, count }] : [],
    );

/** Finds whether the sum of a family of counters is above the threshold. */
export const sumAbove =
  (family: string, isMeant?: LabelFilter): Find =>
  (facts, above) => {
    const count = sumOf(countedIn(facts, family), family, isMeant);
    return count > above ? [{ count }] : [];
  };

const countedIn = ({ grown, lastHour }: ConditionFacts, family: string) =>
  JUDGED_BY_HOUR.includes(family) ? lastHour : grown;
