import type { VNode } from 'preact';
import type { CallerList } from '../../../api/caller-action-specs.ts';
import { useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { dataTable, type TableColumn } from '../parts/data-table.ts';
import { element, html } from '../parts/html.ts';
import { problemNote, cardOf, skeleton, timeMark, viewHead } from '../parts/marks.ts';
import { addressOf } from '../show/address.ts';
import { scopeText } from '../show/times.ts';
import { countText, shareText, spanText } from '../show/units.ts';
import { KeysSection } from './keys.ts';

type CallerRow = CallerList['callers'][number];

/** What remains in each window, the tightest first. */
function windowsCell({ windows }: CallerRow): VNode | string {
  if (windows === undefined || windows.length === 0) return '–';
  return html`<span class="windows"
    >${windows.map(({ tier, seconds, limit, remaining, resetMs }, index) => {
      const title = `${countText(remaining)} of ${countText(limit)} left in ${tier} per ${spanText(seconds * 1000)}, free again in ${spanText(resetMs)}`;
      return html`<span key=${index} class="load" title=${title}>
        <meter
          min="0"
          max="1"
          low="0.1"
          high="0.3"
          optimum="1"
          value=${limit > 0 ? remaining / limit : 0}
          aria-label=${title}
        ></meter>
        <span class="num">${countText(remaining)}/${countText(limit)} per ${spanText(seconds * 1000)}</span>
      </span>`;
    })}</span
  >`;
}

const part = (some: number, all: number) => (all > 0 ? some / all : null);

function columnsOf(now: number): readonly TableColumn<CallerRow>[] {
  return [
    {
      key: 'id',
      title: 'Caller',
      cell: ({ id }) => html`<a href=${addressOf('requests', '', { caller: id })}>${id}</a>`,
      sort: ({ id }) => id,
    },
    {
      key: 'requests',
      title: 'Requests',
      isFigure: true,
      cell: (row) => countText(row.requests),
      sort: (row) => row.requests,
    },
    {
      key: 'errors',
      title: '4xx',
      isFigure: true,
      cell: (row) =>
        html`${countText(row.clientErrors)}
          <small>${shareText(part(row.clientErrors, row.requests))}</small>`,
      sort: (row) => row.clientErrors,
    },
    {
      key: 'limited',
      title: '429',
      isFigure: true,
      cell: (row) =>
        html`${countText(row.limited)} <small>${shareText(part(row.limited, row.requests))}</small>`,
      sort: (row) => row.limited,
    },
    {
      key: 'left',
      title: 'Left in its windows',
      cell: windowsCell,
      sort: ({ windows }) =>
        Math.min(...(windows ?? []).map(({ limit, remaining }) => part(remaining, limit) ?? 1)),
    },
    {
      key: 'last',
      title: 'Last',
      isFigure: true,
      cell: ({ lastAt }) => timeMark(lastAt, now),
      sort: ({ lastAt }) => lastAt,
    },
  ];
}

function callersTable(rows: readonly CallerRow[], now: number): VNode {
  return dataTable({
    ...{ id: 'callers', label: 'callers', order: '-requests', rows },
    keyOf: ({ id }) => id,
    textOf: ({ id }) => id,
    columns: columnsOf(now),
    empty: 'Nobody has called yet.',
  });
}

/** Who calls, what was refused of them, and the keys. */
export function CallersView(): VNode {
  const { now } = useConsole();
  const { value, problem, reload } = useLoad<CallerList>('callers', 5_000);
  const ofWhom =
    value === undefined
      ? ''
      : `${scopeText(value.scope, value.since, undefined, now)}. The fifty with the most requests. Times are UTC.`;
  return html`<div>
    ${viewHead('Callers & keys', 'Who calls, what was refused of them, and what they may still ask.')}
    ${cardOf('Callers', ofWhom, html`${problemNote(problem, reload)}${value === undefined ? (problem ? null : skeleton()) : callersTable(value.callers, now)}`)}
    ${element(KeysSection, {})}
  </div>`;
}
