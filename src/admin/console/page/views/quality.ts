// The view of the quality of replies: how often each field of a source is null or cannot be read, and what has changed.

import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { sparkline } from '../charts/sparkline.ts';
import { summed } from '../charts/traffic-lines.ts';
import type { PointCounts } from '../../../api/metric-specs.ts';
import type { DisabledClaimList, QualityDetail } from '../../../api/quality-specs.ts';
import { useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import {
  actionDialog,
  type ActionForm,
  type ChangeDeps,
  reasonField,
  sendChange,
} from '../parts/action-dialog.ts';
import {
  buttonColumn,
  dataTable,
  fieldColumn,
  numberColumn,
  type TableColumn,
  textColumn,
  timeColumn,
} from '../parts/data-table.ts';
import { html } from '../parts/html.ts';
import { cardOf, loadedPart, sourceLink, stateMark, viewHead } from '../parts/marks.ts';
import { pointField } from '../parts/point-field.ts';
import { beforeAndSince, changeOf, beforeAndSinceText, readPoint } from '../show/points-in-time.ts';
import { scopeText } from '../show/times.ts';
import { countText, shareText, spanText } from '../show/units.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** If the address names no point in time, fields are compared with what they were this long ago. */
const LATELY_MS = 10 * MINUTE_MS;

type FieldRow = ReturnType<typeof fieldRows>[number];

/** The line of a field without any null: 0 at each point in time that has counts. */
function noneOf({ at, since }: NonNullable<QualityDetail['trend']>): PointCounts {
  const from = Date.parse(since);
  return at.map((start) => (start >= from ? 0 : null));
}

/** One row for each field of each source, for the list and for the single record. */
function fieldRows({ sources, trend }: QualityDetail, pointMs: number) {
  const trendOf = (source: string, field: string) => {
    const found = trend?.fields.filter(
      (one) => one.source === source && (one.field === field || one.field.endsWith(`.${field}`)),
    );
    return found === undefined || found.length === 0 ? undefined : summed(found.map(({ counts }) => counts));
  };
  const none = trend && noneOf(trend);
  const changeSince = (counts: PointCounts | undefined) => {
    const known = counts ?? none;
    return trend === undefined || known === undefined ? undefined : beforeAndSince(known, trend, pointMs);
  };
  return sources.flatMap(({ source, resource, file, views }) =>
    views.flatMap(({ view, records, fields }) =>
      fields.map(({ field, line, missing, unreadable, steps }) => {
        const counts = trendOf(source, field);
        return {
          ...{ source, view: `${resource}, ${view}`, field, missing, unreadable, records },
          from: `${file}${line === undefined ? '' : `:${line}`}`,
          steps: Object.entries(steps)
            .map(([step, count]) => `${step} ${countText(count)}`)
            .join(', '),
          trend: counts,
          // Absent: there is no trend.
          change: changeSince(counts),
        };
      }),
    ),
  );
}

const share = (some: number, all: number) => (all > 0 ? some / all : null);

const changeColumn = (title: string): TableColumn<FieldRow> => ({
  ...{ key: 'change', title, isNumber: true },
  cell({ change }) {
    if (change === undefined) return '';
    const { tone, word } = changeOf(change);
    const rates =
      change.since === null ? null : html` <small class="num">${beforeAndSinceText(change)}</small>`;
    return html`${stateMark(tone, word)}${rates}`;
  },
  sort: ({ change }) => change && changeOf(change).order + 1 - 1 / (1 + (change.since ?? 0)),
});

const columns: readonly TableColumn<FieldRow>[] = [
  fieldColumn('field', 'Field', ({ field }) => html`<b>${field}</b>`),
  textColumn(
    'source',
    'Source',
    ({ source, view }) => `${source} ${view}`,
    ({ source, view }) => html`${sourceLink(source)} <small>${view}</small>`,
  ),
  numberColumn(
    'unreadable',
    'Unreadable',
    ({ unreadable, records }) => share(unreadable, records),
    (part, { unreadable }) => html`${countText(unreadable)} <small>${shareText(part)}</small>`,
  ),
  numberColumn(
    'missing',
    'Missing',
    ({ missing, records }) => share(missing, records),
    (part, { missing }) => html`${countText(missing)} <small>${shareText(part)}</small>`,
  ),
  numberColumn('records', 'Records', ({ records }) => records, countText),
  textColumn(
    'trend',
    'Trend',
    ({ trend }) => trend?.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    ({ trend, field }) => trend && sparkline(trend, `Missing values of ${field} over time`),
  ),
  { key: 'steps', title: 'By step', cell: ({ steps }) => steps },
  fieldColumn('from', 'Line', ({ from }) => html`<code>${from}</code>`),
];

/** The place of the column: behind the one with what is missing now. */
const CHANGE_AT = 4;

type DisabledRow = DisabledClaimList['disabled'][number];

function resetForm(deps: ChangeDeps, { source, claim }: DisabledRow): ActionForm {
  return {
    title: `Believe ${claim} again`,
    text: html`<p>
      Every process relies on this claim of <b>${source}</b> again. If a reply contradicts it once more, it is
      disabled again.
    </p>`,
    verb: 'Believe again',
    fields: [reasonField(false)],
    async run(values) {
      await sendChange(deps, 'claims/reset', { source, claim, ...values });
      return undefined;
    },
  };
}

function disabledTable(
  rows: readonly DisabledRow[],
  now: number,
  reset: ((claim: DisabledRow) => void) | undefined,
): VNode {
  return dataTable<DisabledRow>({
    ...{ id: 'disabled', label: 'disabled claims', order: '-at', rows },
    keyOf: ({ source, resource, claim }) => `${source} ${resource} ${claim}`,
    columns: [
      fieldColumn('claim', 'Claim', ({ claim }) => html`<b>${claim}</b>`),
      { key: 'state', title: 'State', cell: () => stateMark('warn', 'computed by scan') },
      fieldColumn(
        'source',
        'Source',
        ({ source, resource }) => html`${sourceLink(source)} <small>${resource}</small>`,
      ),
      timeColumn('at', 'Since', now),
      { key: 'detail', title: 'What contradicted it', cell: ({ detail }) => detail },
      ...buttonColumn<DisabledRow>('Believe again', ({ claim }) => claim, reset),
    ],
    empty: 'No claim of a source file has been disabled.',
  });
}

/** The view of quality: how well replies fit the source files, field by field. It has counts and places, never values. */
export function QualityView(): VNode {
  const { address, ask, canWrite, now, overview } = useConsole();
  const askedMs = readPoint(address.query['since'], now);
  const pointMs = askedMs ?? Math.floor((now - LATELY_MS) / MINUTE_MS) * MINUTE_MS;
  const isLong = now - pointMs > HOUR_MS;
  const path = isLong ? 'quality?span=48h' : 'quality';
  const quality = useLoad<QualityDetail>(path, 10_000);
  const { value } = quality;
  const disabled = useLoad<DisabledClaimList>('claims', 10_000);
  const [form, setForm] = useState<ActionForm>();
  // The view is drawn every second; the rows are made only of new counts.
  const rows = useMemo(() => value && fieldRows(value, pointMs), [value, pointMs]);
  const reset = canWrite
    ? (claim: DisabledRow) => setForm(resetForm({ ask, reload: disabled.reload }, claim))
    : undefined;
  const trend = value?.trend;
  const since =
    trend === undefined ? '' : `${scopeText(trend.scope, trend.since, overview?.processes, now)}. `;
  const step = trend === undefined ? '' : ` A point of a trend is ${spanText(trend.stepMs)}.`;
  const isEarlier = trend !== undefined && askedMs !== undefined && askedMs < Date.parse(trend.since);
  const lately =
    askedMs === undefined ? 'The last ten minutes are held against the time before, the worst first. ' : '';
  const earlier = isEarlier
    ? 'What came before that is not kept: missing values are counted from then on. '
    : '';
  const note = `${since}${earlier}${lately}Shares are of the records that were read.${step}`;
  return html`<div>
    ${viewHead('Data quality', 'Fields that became null because they were missing or could not be read. Shapes and counts only, never values.', pointField({ name: 'since', label: 'Which went bad since (UTC)' }))}
    ${cardOf(
      'Fields',
      note,
      loadedPart({ ...quality, value: rows }, (fields) =>
        dataTable({
          ...{ id: 'fields', label: 'fields', rows: fields },
          order: '-change',
          columns: columns.toSpliced(
            CHANGE_AT,
            0,
            changeColumn(askedMs === undefined ? 'Missing values of late' : 'Missing values since then'),
          ),
          keyOf: ({ source, view, field }) => `${source} ${view} ${field}`,
          textOf: ({ source, view, field, steps }) => `${source} ${view} ${field} ${steps}`,
          toneOf: ({ unreadable }) => (unreadable > 0 ? 'row-warn' : ''),
          empty: 'No record was read yet.',
        }),
      ),
    )}
    ${cardOf(
      'Disabled claims',
      'Of the whole fleet. What a reply has contradicted is computed, until the file changes or somebody believes it again. `field.…` is a field that many records suddenly lack: to believe it again is to accept that.',
      loadedPart(disabled, (list) => disabledTable(list.disabled, now, reset)),
    )}
    ${actionDialog(form, () => setForm(undefined))}
  </div>`;
}
