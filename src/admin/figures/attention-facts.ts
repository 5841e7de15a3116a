import type { FigureSample, GaugeValue } from '../../telemetry/figures/figure-sample.ts';
import type { ActionValue } from '../api/action-table.ts';
import type { Figures } from './figure-sums.ts';

/** Something that needs an operator, with the entry of the runbook and the view of the console that say more. */
export type Attention = ActionValue<'overview'>['attention'][number];

/** The families of figures of which one event within an hour needs an operator. */
export const HOURLY: readonly string[] = ['differences', 'regressions', 'webhooks'];

/** What is judged. */
export type AttentionFacts = {
  readonly gauges: FigureSample['gauges'];
  /** What the last minute has counted. */
  readonly grown: Figures;
  /** What the last hour has counted of `HOURLY`. */
  readonly lastHour: Figures;
  /** Why the files on disk were refused. */
  readonly stale?: { readonly since: string; readonly why: string } | undefined;
};

/** A share in percent, as a sentence says it. */
export const percentText = (share: number) =>
  `${share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;

/** A label of a gauge. */
export const label = ({ labels }: GaugeValue, name: string) => String(labels[name] ?? '');

/** A number of things, in words. */
export const some = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

/** The view of a migration. */
export const migrationView = (resource: string) => `#/migration/${encodeURIComponent(resource)}`;

/** The view of a source. */
export const viewOf = (source: string) => `#/source/${encodeURIComponent(source)}`;
