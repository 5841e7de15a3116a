// The view of callers: who calls, which of their requests were refused, and the API keys.

import type { VNode } from 'preact';
import type { CallerList } from '../../../api/caller-action-specs.ts';
import { useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { dataTable, fieldColumn, numberColumn, textColumn, timeColumn } from '../parts/data-table.ts';
import { element, html } from '../parts/html.ts';
import { cardOf, loadedPart, viewHead } from '../parts/marks.ts';
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

/** A number of requests of a caller, with its share of all requests of that caller. */
const ofRequests = (some: number, { requests }: CallerRow) =>
  html`${countText(some)} <small>${shareText(part(some, requests))}</small>`;

function callersTable(rows: readonly CallerRow[], now: number): VNode {
  return dataTable<CallerRow>({
    ...{ id: 'callers', label: 'callers', order: '-requests', rows },
    keyOf: ({ id }) => id,
    textOf: ({ id, label = '' }) => `${label} ${id}`,
    columns: [
      fieldColumn(
        'id',
        'Caller',
        ({ id, label }) =>
          html`<a href=${addressOf('requests', '', { caller: id, status: 'all' })}>${label ?? id}</a>
            ${label === undefined ? null : html`<small>${id}</small>`}`,
      ),
      numberColumn('requests', 'Requests', ({ requests }) => requests, countText),
      numberColumn('errors', '4xx', ({ clientErrors }) => clientErrors, ofRequests),
      numberColumn('failed', '5xx', ({ serverErrors }) => serverErrors, ofRequests),
      numberColumn('limited', '429', ({ limited }) => limited, ofRequests),
      textColumn(
        'left',
        'Left in its windows',
        ({ windows = [] }) => Math.min(...windows.map(({ limit, remaining }) => part(remaining, limit) ?? 1)),
        windowsCell,
      ),
      timeColumn('lastAt', 'Last', now),
    ],
    empty: 'Nobody has called yet.',
  });
}

/** The view of callers: who calls, which of their requests were refused, and the API keys. */
export function CallersView(): VNode {
  const { now } = useConsole();
  const list = useLoad<CallerList>('callers', 5_000);
  const { value } = list;
  const ofWhom =
    value === undefined
      ? ''
      : `${scopeText(value.scope, value.since, undefined, now)}. The fifty with the most requests. Times are UTC.`;
  return html`<div>
    ${viewHead('Callers & keys', 'Who calls, which of their requests were refused, and how many they may still send.')}
    ${cardOf(
      'Callers',
      ofWhom,
      loadedPart(list, ({ callers }) => callersTable(callers, now), 4),
    )}
    ${element(KeysSection, {})}
  </div>`;
}
