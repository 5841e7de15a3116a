// The form of a condition (something that may be wrong with a gateway), and helpers that find conditions in metrics.

import type { WebhookEventType } from '../../config/schema/telemetry.ts';
import type { GaugeValue, MetricsSnapshot, SeriesCounts } from '../history/metric-sample.ts';
import { type LabelFilter, sumOf, sumsBy } from '../history/series-sums.ts';

/** The metrics from which conditions are found. */
export type ConditionFacts = {
  /** The time, in milliseconds since the epoch. */
  readonly now: number;
  readonly gauges: MetricsSnapshot['gauges'];
  /** The counts of the last minute. */
  readonly grown: SeriesCounts;
  /** The counts of its last seconds: a condition that they do not show is over. */
  readonly latest: SeriesCounts;
  /** True: `grown` has the counts of a few seconds only, of which a single one is enough. */
  readonly isBrief?: boolean;
  /** The counts of the last hour, for the families in `JUDGED_BY_HOUR`. */
  readonly lastHour: SeriesCounts;
  /** Since when and why the configuration on disk is refused; absent if it is in force. */
  readonly stale?: { readonly since: string; readonly why: string } | undefined;
};

/** The families of counters that need an operator if they counted anything in the last hour, not only in the last minute. */
export const JUDGED_BY_HOUR: readonly string[] = ['differences', 'regressions', 'webhooks'];

/** A share of fewer answers or calls than this is not judged, because a single failure would be a large share. */
export const COUNTED_MIN = 20;

/** Whether so many were counted that their share can be judged. */
export const isJudged = ({ isBrief = false }: ConditionFacts, count: number, min = COUNTED_MIN): boolean =>
  isBrief || count >= min;

type Severity = 'critical' | 'warning' | 'info';

/** Where a condition holds, such as a source: values for the names in braces of its text and its view. */
export type Subject = Readonly<Record<string, string | number>>;

/** Finds where a condition holds: the gauges or counts that are above the threshold. Empty: it does not hold. */
export type Find = (facts: ConditionFacts, above: number) => readonly Subject[];

/**
 * Something that may be wrong with a gateway and needs an operator. The item on the page of the console, the alert, the
 * webhook and the entry of the runbook all take their name and their threshold from here.
 */
export type GatewayCondition = {
  readonly id: string;
  readonly severity: Severity;
  /** The entry of the runbook. If there is an `expr`, this is also the name of the alert. */
  readonly entry: string;
  /** The threshold: the condition holds above it. Absent: 0. */
  readonly above?: number;
  /** The unit of the threshold. Absent: the threshold is a count. */
  readonly unit?: 'share' | 'seconds' | 'days';
  /** The rule of Prometheus, with `$above` for the threshold and `$job` for the job. Absent: only the page shows the condition. */
  readonly expr?: string;
  /** How long the condition must hold before the alert fires. Absent: the alert fires at once. */
  readonly lasts?: string;
  /** The sentence of the alert. */
  readonly summary?: string;
  /** A template of Prometheus, which the alert shows after its labels and its value. */
  readonly adds?: string;
  /** A comment on the rule in the generated file of alerts. */
  readonly note?: string;
  /** True: the alert calls somebody at once, although the severity is not `critical`. */
  readonly pages?: boolean;
  /** The webhook event that reports the condition. */
  readonly webhook?: WebhookEventType;
  /** The sentence of the page, such as `{count} {reply|replies} of {source}`; the first word is for a count of 1. */
  readonly text?: string;
  /** The view of the console that shows more. */
  readonly view?: string;
  /** What happens by itself, what is to do, and a command for it; texts as `text`. */
  readonly next?: string;
  readonly todo?: string;
  readonly command?: string;
  /** Absent: only Prometheus can find the condition, because a gateway cannot see it by itself. */
  readonly find?: Find;
};

/**
 * The rule of Prometheus that the share of `some` in a metric is too large both over two and over thirty minutes (burn rates,
 * SRE workbook). So a short fault is silent, and the alert ends soon after a long fault. Below 20 events it does not fire.
 */
export function burnRate(by: string, metric: string, some: string): string {
  const share = (range: string) =>
    `sum by (${by}) (rate(${metric}{${some}}[${range}])) / sum by (${by}) (rate(${metric}[${range}])) > $above`;
  return `${share('2m')} and ${share('30m')} and sum by (${by}) (increase(${metric}[30m])) >= ${COUNTED_MIN}`;
}

/** The threshold of a condition in words, such as `5 %`. */
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

/** Creates a `find` for the values of a gauge above the threshold. A subject has their labels, and the value as `count`. */
export const gaugesAbove =
  (name: string, isMeant = (_: GaugeValue) => true): Find =>
  ({ gauges }, above) =>
    gauges(name).flatMap((gauge) =>
      gauge.value > above && isMeant(gauge) ? [{ ...gauge.labels, count: gauge.value }] : [],
    );

/** Creates a `find` that sums a family of counters by its first label, and finds the sums above the threshold. */
export const countsAbove =
  (family: string, name: string): Find =>
  (facts, above) =>
    [...sumsBy(countedIn(facts, family), family, ([first]) => first)].flatMap(([first, count]) =>
      count > above ? [{ [name]: first, count }] : [],
    );

/** Creates a `find` that says whether the sum of a family of counters is above the threshold. */
export const sumAbove =
  (family: string, isMeant?: LabelFilter): Find =>
  (facts, above) => {
    const count = sumOf(countedIn(facts, family), family, isMeant);
    return count > above ? [{ count }] : [];
  };

const countedIn = ({ grown, lastHour }: ConditionFacts, family: string) =>
  JUDGED_BY_HOUR.includes(family) ? lastHour : grown;
