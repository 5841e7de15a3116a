// The first view of the console: what is wrong, the traffic, and one row for each source.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { lineChart } from '../charts/line-chart.ts';
import { sparkline } from '../charts/sparkline.ts';
import {
  fromFirstKnownPoint,
  latencyLines,
  namedLines,
  pointRates,
  statusLines,
  summed,
} from '../charts/traffic-lines.ts';
import type { MetricsHistory, Overview } from '../../../api/metric-specs.ts';
import { goTo, useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { dataTable, fieldColumn, numberColumn, type TableColumn, textColumn } from '../parts/data-table.ts';
import { element, html } from '../parts/html.ts';
import {
  choiceField,
  emptyNote,
  statTiles,
  problemNote,
  cardOf,
  skeleton,
  sourceLink,
  stateMark,
  viewHead,
  spanChoice,
} from '../parts/marks.ts';
import { changedQuery } from '../show/address.ts';
import { breakerTone, troubleOf } from '../show/tones.ts';
import { scopeText } from '../show/times.ts';
import {
  countText,
  durationText,
  quantileText,
  rateSpanText,
  rateText,
  shareText,
  spanText,
} from '../show/units.ts';
import { IncidentsSection } from './incident-list.ts';

type SourceRow = Overview['sources'][number];

/** The large numbers of the last minute, each with its line over time. */
function totals({ totals: of }: Overview, history: MetricsHistory | undefined): VNode {
  const series = history?.series;
  const rate = series && pointRates(summed(Object.values(series.requests.byStatusClass)), history.stepMs);
  const failed = series && pointRates(series.requests.byStatusClass['5xx'] ?? [], history.stepMs);
  const refused = series && pointRates(summed(Object.values(series.refusals.byReason)), history.stepMs);
  const spark = (values: readonly (number | null)[] | undefined, name: string) =>
    values && sparkline(values, `${name} over the time of the charts`);
  return statTiles([
    { name: 'Requests', value: rateText(of.requestsPerSecond), spark: spark(rate, 'Requests') },
    {
      name: 'Errors (5xx)',
      value: shareText(of.errorsShare),
      tone: (of.errorsShare ?? 0) > 0.01 ? 'bad' : 'idle',
      spark: spark(failed, 'Errors'),
    },
    {
      name: 'Refused',
      value: shareText(of.refusedShare),
      tone: (of.refusedShare ?? 0) > 0.05 ? 'warn' : 'idle',
      spark: spark(refused, 'Refusals'),
    },
    { name: 'p50', value: quantileText(of.p50Ms, of.p50UpToMs), spark: spark(series?.latency.p50Ms, 'p50') },
    { name: 'p99', value: quantileText(of.p99Ms, of.p99UpToMs), spark: spark(series?.latency.p99Ms, 'p99') },
    { name: 'Cache hits', value: shareText(of.hitShare) },
  ]);
}

function charts(history: MetricsHistory): VNode {
  const { series, stepMs } = history;
  // The interval of the last data point is not over.
  const at = history.at.slice(0, -1);
  const refusals = namedLines(series.refusals.byReason, stepMs);
  return html`<div class="charts">
    ${lineChart({ title: 'Requests by status', at, lines: statusLines(history), textOf: rateText })}
    ${lineChart({ title: 'Latency (estimated)', at, lines: latencyLines(series.latency), textOf: durationText })}
    ${
      refusals.length === 0
        ? html`<figure class="chart">
            <figcaption><strong>Refused, by reason</strong></figcaption>
            ${emptyNote('Nobody was refused in this time.')}
          </figure>`
        : lineChart({ title: 'Refused, by reason', at, lines: refusals, textOf: rateText })
    }
  </div>`;
}

function loadCell({ inFlight, concurrency, waiting, utilization }: SourceRow): VNode {
  const level = Math.min(1, utilization ?? 0);
  const title = `${countText(inFlight)} of ${countText(concurrency)} calls under way, ${countText(waiting)} wait`;
  return html`<span class="load" title=${title}>
    <meter min="0" max="1" low="0.7" high="0.9" optimum="0" value=${level} aria-label=${title}></meter>
    <span class="num"
      >${countText(inFlight)}/${countText(concurrency)}${waiting > 0 ? ` +${countText(waiting)} wait` : ''}</span
    >
  </span>`;
}

const quantileColumn = (name: 'p50' | 'p99'): TableColumn<SourceRow> => ({
  ...{ key: name, title: name, isNumber: true, sort: (row) => row[`${name}Ms`] },
  cell: (row) => quantileText(row[`${name}Ms`], row[`${name}UpToMs`]),
});

const sourceColumns: readonly TableColumn<SourceRow>[] = [
  fieldColumn('name', 'Source', ({ name }) => sourceLink(name)),
  textColumn<SourceRow>('trouble', 'Breaker', troubleOf, ({ breaker }) =>
    stateMark(breakerTone(breaker), breaker),
  ),
  textColumn('load', 'Under way', ({ utilization }) => utilization, loadCell),
  numberColumn('calls', 'Calls', ({ callsPerSecond }) => callsPerSecond, rateText),
  quantileColumn('p50'),
  quantileColumn('p99'),
  numberColumn(
    'errors',
    'Errors',
    ({ errorShare }) => errorShare,
    (share, { failure = '' }) => html`${shareText(share)} <small>${failure.replace('_', ' ')}</small>`,
  ),
  numberColumn('hits', 'Cache hits', ({ hitShare }) => hitShare, shareText),
  numberColumn('stale', 'Stale', ({ stalePerSecond }) => stalePerSecond, rateText),
  numberColumn('unreadable', 'Unreadable fields', ({ unreadablePerSecond }) => unreadablePerSecond, rateText),
];

/** The first view: what is wrong, the traffic, and one row for each source. */
export function OverviewView(): VNode {
  const { overview: ofFleet, address, now } = useConsole();
  const { process } = address.query;
  const own = useLoad<Overview>(process && `overview?process=${encodeURIComponent(process)}`, 5_000);
  const overview = process === undefined ? ofFleet : own.value;
  const span = address.query['span'] === '48h' ? '48h' : '1h';
  const history = useLoad<MetricsHistory>(`metrics/history?span=${span}`, span === '1h' ? 10_000 : 60_000);
  // The view is drawn every second; the charts only if they have new data.
  const kept = useMemo(() => history.value && fromFirstKnownPoint(history.value), [history.value]);
  const drawn = useMemo(() => kept && charts(kept), [kept]);
  const names = ofFleet?.gateways ?? [];
  const options = [['', 'all gateways'] as const, ...names.map((name) => [name, name] as const)];
  const choose = (name: string) => goTo(changedQuery(address, { process: name }));
  const choice =
    names.length > 1 || process ? choiceField('Figures of', options, process ?? '', choose) : null;
  if (overview === undefined)
    return html`<div>
      ${viewHead('Overview', '', choice)}${problemNote(own.problem, own.reload)}${skeleton(8)}
    </div>`;
  const { scope, since, processes, overMs, sources, redis } = overview;
  const ofWhom = `${scopeText(scope, since, processes, now)}. Rates and shares are of the last ${rateSpanText(overMs)}.`;
  return html`<div>
    ${viewHead('Overview', ofWhom, choice)} ${element(IncidentsSection, {})} ${totals(overview, kept)}
    ${cardOf(
      'Traffic',
      html`${history.value === undefined ? '' : `${scopeText(history.value.scope, history.value.since, undefined, now)}. A point is ${spanText(history.value.stepMs)}; times are UTC.`}`,
      html`${spanChoice(address, span)}${problemNote(history.problem, history.reload)}
      ${drawn ?? (history.problem ? null : skeleton(6))}`,
    )}
    ${cardOf(
      'Sources and pass-through routes',
      'Those in trouble first. Shares are of their calls; cache hits of the requests of their operations.',
      dataTable({
        id: 'sources',
        label: 'sources',
        columns: sourceColumns,
        rows: sources,
        keyOf: ({ name }) => name,
        order: '-trouble',
        textOf: ({ name, kind, breaker }) => `${name} ${kind} ${breaker}`,
        empty: 'The configuration has no source.',
      }),
    )}
    ${
      redis.length === 0
        ? null
        : html`<p class="redis-line">
            Redis:
            ${redis.map(({ role, state }) => html`<span key=${role}>${stateMark(state === 'ready' ? 'good' : 'bad', `${role} ${state}`)}</span>`)}
          </p>`
    }
  </div>`;
}
