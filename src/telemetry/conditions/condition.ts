import type { WebhookEventType } from '../../config/schema/telemetry.ts';
import type { FigureSample, GaugeValue } from '../figures/figure-sample.ts';
import { type Figures, type LabelFilter, sumOf, sumsBy } from '../figures/figure-sums.ts';

/** What is judged. */
export type ConditionFacts = {
  readonly gauges: FigureSample['gauges'];
  /** What the last minute has counted. */
  readonly grown: Figures;
  /** What the last hour has counted of `HOURLY`. */
  readonly lastHour: Figures;
  /** Why the files on disk were refused. */
  readonly stale?: { readonly since: string; readonly why: string } | undefined;
};

/** The families of figures of which one event within an hour needs an operator. */
export const HOURLY: readonly string[] = ['differences', 'regressions', 'webhooks'];

/** Of fewer answers or calls, one would be a large part. */
export const COUNTED_MIN = 20;

type Severity = 'critical' | 'warning' | 'info';

/** Where a condition holds, by the names that its text and its view have in braces. */
export type Subject = Readonly<Record<string, string | number>>;

/** Finds where a condition holds: where a gauge, or what is counted, is above the threshold. */
export type Find = (facts: ConditionFacts, above: number) => readonly Subject[];

/**
 * Something that may be wrong with a gateway and needs an operator. The item of the page, the alert, the webhook and the
 * entry of the runbook have their name and their threshold from here.
 */
export type GatewayCondition = {
  readonly id: string;
  readonly severity: Severity;
  /** The entry of the runbook. Where there is an `expr`, the alert has this name. */
  readonly entry: string;
  /** The condition holds above this threshold. Absent: 0. */
  readonly above?: number;
  /** Of the threshold. Absent: it is a count. */
  readonly unit?: 'share' | 'seconds' | 'days';
  /** The rule of Prometheus, `$above` stands for the threshold. Absent: only the page tells. */
  readonly expr?: string;
  /** How long it holds before the alert fires. Absent: not at all. */
  readonly lasts?: string;
  /** What the alert says. */
  readonly summary?: string;
  /** Explains the rule to those who read the file. */
  readonly note?: string;
  /** The alert calls somebody at once, though the page calls it no critical condition. */
  readonly pages?: boolean;
  /** The event that tells receivers of webhooks of it. */
  readonly webhook?: WebhookEventType;
  /** What the page says of a subject, such as `{count} {reply|replies} of {source}`: the first word is that of one. */
  readonly text?: string;
  /** The view of the console that says more of a subject. */
  readonly view?: string;
  /** Absent: no gateway can tell it of itself. */
  readonly find?: Find;
};

/** The threshold in words. */
export function thresholdText({ above = 0, unit }: Pick<GatewayCondition, 'above' | 'unit'>): string {
  if (unit === 'share') return percentText(above);
  if (unit === 'seconds' && above === 1) return 'a second';
  return unit === undefined ? String(above) : `${above} ${unit === 'seconds' ? 's' : unit}`;
}

/** A share in percent, as a sentence says it. */
export const percentText = (share: number) =>
  `${share < 0.1 ? Number((share * 100).toFixed(1)) : Math.round(share * 100)} %`;

/** A label of a gauge. */
export const label = ({ labels }: GaugeValue, name: string) => String(labels[name] ?? '');

/** Finds each value of a gauge that is above the threshold: its labels, and the value as `count`. */
export const eachGauge =
  (name: string, isMeant = (_: GaugeValue) => true): Find =>
  ({ gauges }, above) =>
    gauges(name).flatMap((gauge) =>
      gauge.value > above && isMeant(gauge) ? [{ ...gauge.labels, count: gauge.value }] : [],
    );

/** Finds each sum of a counted family above the threshold by its first label; `name` is what a text calls this label. */
export const eachCount =
  (family: string, name: string): Find =>
  (facts, above) =>
    [...sumsBy(countedIn(facts, family), family, ([first]) => first)].flatMap(([first, count]) =>
      count > above ? [{ [name]: first, count }] : [],
    );

/** Finds out whether the sum of a counted family is above the threshold. */
export const sumAbove =
  (family: string, isMeant?: LabelFilter): Find =>
  (facts, above) => {
    const count = sumOf(countedIn(facts, family), family, isMeant);
    return count > above ? [{ count }] : [];
  };

const countedIn = ({ grown, lastHour }: ConditionFacts, family: string) =>
  HOURLY.includes(family) ? lastHour : grown;
