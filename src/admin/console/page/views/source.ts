// The view of one source: its health, the outcomes of its calls, and the claims of its file.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { heatMap } from '../charts/heat-map.ts';
import { lineChart } from '../charts/line-chart.ts';
import { fromFirstKnownPoint, namedLines } from '../charts/traffic-lines.ts';
import type { MetricsHistory, Overview, SourceDetail } from '../../../api/metric-specs.ts';
import { goTo, useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { type Children, html } from '../parts/html.ts';
import {
  cardOf,
  choiceField,
  emptyNote,
  loadedPart,
  problemNote,
  skeleton,
  spanChoice,
  statTiles,
  viewHead,
} from '../parts/marks.ts';
import { addressOf } from '../show/address.ts';
import { breakerTone } from '../show/tones.ts';
import { scopeText } from '../show/times.ts';
import {
  bytesText,
  countText,
  durationText,
  quantileText,
  rateSpanText,
  rateText,
  shareText,
  spanText,
} from '../show/units.ts';
import {
  contradictedClaimsTable,
  costsTable,
  countsTable,
  hostsTable,
  repliesTable,
  scanCachesTable,
  outcomeRulesTable,
} from './source-tables.ts';

type SourceRow = Overview['sources'][number];

function detailSections(detail: SourceDetail, now: number): VNode {
  const { kind } = detail;
  const ofFile = () =>
    html`<div>
      ${cardOf('Outcomes by rule', rulesNote(), outcomeRulesTable(detail))}
      ${cardOf('Claims that replies contradicted', 'With the line of the file that makes the claim. A disabled claim is not relied on until the file changes or somebody resets it.', contradictedClaimsTable(detail, now))}
      ${cardOf('Replies that could not be used', 'Places only, never values.', repliesTable(detail, now))}
      ${cardOf('What queries cost', `Calls for the first page; of a scan, the most it may take.${budgetText(detail)}`, costsTable(detail))}
      ${cardOf('Scan caches', 'What scans have brought, in the process that answers.', scanCachesTable(detail, now))}
    </div>`;
  return html`<div>
    <div class="columns">
      ${cardOf('Outcomes of calls', 'By the class of their status, or by why there is none.', countsTable('outcomes', 'outcomes', detail.outcomes, 'Outcome'))}
      ${cardOf('Calls without a usable answer', 'By why. These are the errors of the source, whatever the status was.', countsTable('failures', 'failures', detail.failures, 'Why'))}
      ${cardOf('Retries, pauses and the breaker', '', countsTable('events', 'events', detail.events, 'Event'))}
    </div>
    ${kind === 'source' ? ofFile() : null} ${cardOf('Hosts', '', hostsTable(detail))}
  </div>`;
}

/** Explains what the table of rules counts. */
function rulesNote(): Children {
  return html`Replies by the rule of <code>outcomes</code> that decided, in the order of the file. A rule that
    the file moves or that means something else begins anew. Which rule decides one reply is in a live answer
    under <a href=${addressOf('try')}>Try it</a>.`;
}

function budgetText({ budget }: SourceDetail): string {
  if (budget === undefined) return '';
  const { calls, rows, bytes, timeMs } = budget;
  return ` A scan may take ${countText(calls)} calls, ${countText(rows)} rows, ${bytesText(bytes)} and ${durationText(timeMs)}.`;
}

function sourceTiles(detail: SourceDetail, row: SourceRow | undefined): VNode {
  const { breaker, inFlight, concurrency, waiting } = detail;
  return statTiles([
    { name: 'Breaker', value: breaker, tone: breakerTone(breaker) },
    { name: 'Calls', value: rateText(row?.callsPerSecond) },
    {
      name: 'Errors',
      value: shareText(row?.errorShare),
      note: row?.failure?.replace('_', ' '),
      tone: (row?.errorShare ?? 0) > 0.01 ? 'bad' : 'idle',
    },
    { name: 'p50', value: quantileText(row?.p50Ms, row?.p50UpToMs) },
    { name: 'p99', value: quantileText(row?.p99Ms, row?.p99UpToMs) },
    {
      name: 'Under way',
      value: `${countText(inFlight)} of ${countText(concurrency)}`,
      note: `${countText(waiting)} wait`,
      tone: waiting > 0 ? 'warn' : 'idle',
    },
  ]);
}

/** The charts of a source. The view is drawn every second, the charts only if there is new data. */
function sourceCharts(name: string, kept: MetricsHistory): VNode {
  const { at, series, stepMs } = kept;
  const ended = at.slice(0, -1);
  return html`<div>
    <h3>Latency</h3>
    ${heatMap({ at, latency: series.callLatency, label: `Latency of calls to ${name}` })}
    <div class="charts">
      ${lineChart({ title: 'Calls by outcome', at: ended, lines: namedLines(series.calls.byOutcome, stepMs), textOf: rateText })}
      ${lineChart({ title: 'Calls without a usable answer', at: ended, lines: namedLines(series.calls.byFailure, stepMs), textOf: rateText })}
      ${lineChart({ title: 'Retries, pauses, breaker', at: ended, lines: namedLines(series.events.byEvent, stepMs), textOf: rateText })}
    </div>
  </div>`;
}

/** The view of one source: its health, the outcomes of its calls, and the claims of its file. */
export function SourceView(): VNode {
  const { address, overview, now } = useConsole();
  const names = (overview?.sources ?? []).map(({ name }) => name);
  const name = address.param === '' ? names[0] : address.param;
  const span = address.query['span'] === '48h' ? '48h' : '1h';
  const encoded = name === undefined ? undefined : encodeURIComponent(name);
  const detail = useLoad<SourceDetail>(encoded && `sources/${encoded}`, 5_000);
  const history = useLoad<MetricsHistory>(
    encoded && `metrics/history?span=${span}&source=${encoded}`,
    10_000,
  );
  const drawn = useMemo(
    () => name && history.value && sourceCharts(name, fromFirstKnownPoint(history.value)),
    [name, history.value],
  );
  const choose = (chosen: string) => goTo(addressOf('source', chosen));
  const options = names.map((one) => [one, one] as const);
  const choice = names.length > 1 && choiceField('Source', options, name, choose);
  if (name === undefined)
    return html`<div>
      ${viewHead('Source', '')}${overview === undefined ? skeleton() : emptyNote('The configuration has no source.')}
    </div>`;
  const { value } = detail;
  const row = overview?.sources.find((one) => one.name === name);
  const kept = history.value;
  const ofWhom =
    value &&
    `${scopeText(value.scope, value.since, overview?.processes, now)}. ${value.kind === 'source' ? `Serves ${value.operations.join(', ')}.` : 'A pass-through route.'} Rates and shares are of the last ${rateSpanText(overview?.overMs ?? 60_000)}.`;
  return html`<div>
    ${viewHead(name, ofWhom ?? '', choice)} ${loadedPart(detail, (found) => sourceTiles(found, row), 3)}
    ${cardOf(
      'Calls over time',
      kept === undefined
        ? ''
        : `${scopeText(kept.scope, kept.since, undefined, now)}. A column is ${spanText(kept.stepMs)}.`,
      html`${spanChoice(address, span)}${problemNote(history.problem, history.reload)} ${drawn}`,
    )}
    ${value && detailSections(value, now)}
  </div>`;
}
