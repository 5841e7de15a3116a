// The view of requests that failed or were slow, and its tables and marks, which the views of an incident and of one request
// show, too.

import type { VNode } from 'preact';
import type { IncidentList } from '../../../api/incident-specs.ts';
import type { RequestList } from '../../../api/request-action-specs.ts';
import { goTo, useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { formValues } from '../parts/action-dialog.ts';
import { dataTable, fieldColumn, numberColumn, timeColumn } from '../parts/data-table.ts';
import { html } from '../parts/html.ts';
import { cardOf, loadedPart, stateMark, timeMark, viewHead } from '../parts/marks.ts';
import { type Address, addressOf, changedQuery } from '../show/address.ts';
import { statusTone } from '../show/tones.ts';
import { instantText, scopeText, timeText } from '../show/times.ts';
import { countText, durationText } from '../show/units.ts';

type RequestRow = RequestList['requests'][number];

const asked = ['since', 'until', 'status', 'operation', 'source', 'code', 'caller'] as const;
const spans = ['15m', '1h', '6h', '24h', '48h'];
const statuses = ['all', '5xx', '4xx', '429', '499', '503', '504', 'slow'];
const SHOWN_MAX = 200;

/** The path of the API for a filter. By default the list has no refusals of callers, because they would hide the failures. */
export function requestsPath(query: Readonly<Record<string, string>>, limit: number): string {
  const wanted: Readonly<Record<string, string | undefined>> = { status: 'failed', ...query };
  const given = asked.flatMap((name) => {
    const value = wanted[name] ?? '';
    return value === '' || value === 'all' ? [] : [[name, value]];
  });
  return `requests?${new URLSearchParams([...given, ['limit', String(limit)]]).toString()}`;
}

function filterForm(query: Readonly<Record<string, string>>): VNode {
  const submit = (event: Event) => {
    event.preventDefault();
    goTo(addressOf('requests', '', formValues(event.target as HTMLFormElement)));
  };
  const choice = (name: string, label: string, options: readonly string[], all: string) =>
    html`<label
      >${label}<select
        name=${name}
        onChange=${(event: Event) => (event.target as HTMLSelectElement).form?.requestSubmit()}
      >
        <option value="">${all}</option>
        ${options.map((one) => html`<option key=${one} value=${one} selected=${query[name] === one}>${one}</option>`)}
      </select></label
    >`;
  const time = (name: string, label: string, all: string) => {
    const { [name]: chosen = '' } = query;
    // The link of an incident asks for requests since a moment, which is none of the spans.
    return choice(name, label, chosen === '' || spans.includes(chosen) ? spans : [chosen, ...spans], all);
  };
  const text = (name: string, label: string) =>
    html`<label
      >${label}<input
        name=${name}
        key=${query[name] ?? ''}
        defaultValue=${query[name] ?? ''}
        autocomplete="off"
    /></label>`;
  return html`<div class="filters">
    <form aria-label="Filter requests" onSubmit=${submit}>
      ${time('since', 'Since', 'as far as kept')} ${time('until', 'Until', 'now')}
      ${choice('status', 'Status', statuses, 'failed or slow')} ${text('operation', 'Operation')}
      ${text('code', 'Code')} ${text('source', 'Source')} ${text('caller', 'Caller')}
      <button type="submit">Filter</button>
      ${asked.some((name) => (query[name] ?? '') !== '') && html`<a href=${addressOf('requests')}>Clear</a>`}
    </form>
  </div>`;
}

/** Finds a request by its id, wherever one is in the list. */
function findForm(): VNode {
  const find = (event: Event) => {
    event.preventDefault();
    const { id = '' } = formValues(event.target as HTMLFormElement);
    if (id !== '') goTo(addressOf('request', id));
  };
  return html`<form role="search" class="find" aria-label="Find a request" onSubmit=${find}>
    <input
      type="search"
      name="id"
      aria-label="Request or trace id"
      autocomplete="off"
      placeholder="Request or trace id"
    />
    <button type="submit">Show its trace</button>
  </form>`;
}

/** A status, and what it means in a word. */
export function statusMark({ status, slow }: Pick<RequestRow, 'status' | 'slow'>): VNode {
  const words = status >= 500 ? 'failed' : status === 499 ? 'client left' : status >= 400 ? 'refused' : 'ok';
  return stateMark(
    slow && status < 400 ? 'warn' : statusTone(status),
    `${status} ${slow && status < 400 ? 'slow' : words}`,
  );
}

/** The number of upstream calls, in words. */
export const callsText = ({ upstreamCalls }: Pick<RequestRow, 'upstreamCalls'>) =>
  `${countText(upstreamCalls)} ${upstreamCalls === 1 ? 'call' : 'calls'}`;

type Cause = ReturnType<typeof causesOf>[number];

/** The requests of a list by what was wrong with them. */
function causesOf(rows: readonly RequestRow[]) {
  const causeOf = ({ code, status, source = '' }: RequestRow) =>
    JSON.stringify([code ?? (status < 400 ? 'slow' : String(status)), source]);
  return [...Map.groupBy(rows, causeOf)].map(([key, same]) => {
    const [code, source] = JSON.parse(key) as [string, string];
    const times = same.map(({ at }) => at).sort();
    const callers = new Set(same.map(({ caller }) => caller)).size;
    return { code, source, requests: same.length, callers, first: times[0] ?? '', last: times.at(-1) ?? '' };
  });
}

function causesTable(rows: readonly RequestRow[], isPartial: boolean, address: Address, now: number): VNode {
  return dataTable<Cause>({
    ...{ id: 'causes', label: 'causes', order: '-requests', rows: causesOf(rows) },
    keyOf: ({ code, source }) => `${code} ${source}`,
    columns: [
      fieldColumn('code', 'Cause', ({ code, source }) => {
        const filter = /^(?:slow|\d+)$/.test(code) ? { status: code } : { code };
        return html`<a href=${changedQuery(address, { ...filter, source })}>${code}</a>`;
      }),
      fieldColumn('source', 'Source'),
      numberColumn('requests', isPartial ? 'Kept' : 'Requests', ({ requests }) => requests, countText),
      numberColumn('callers', 'Callers', ({ callers }) => callers, countText),
      // Older ones may be missing.
      timeColumn('first', isPartial ? 'Oldest here' : 'First', now),
      timeColumn('last', 'Last', now),
    ],
    empty: 'None.',
  });
}

/** A table of requests, the newest first. */
export function requestsTable(rows: readonly RequestRow[], now: number): VNode {
  return dataTable<RequestRow>({
    ...{ id: 'requests', label: 'requests', order: '-at', rows },
    keyOf: ({ requestId, at }) => `${requestId} ${at}`,
    textOf: (row) =>
      `${row.requestId} ${row.operation} ${row.code ?? ''} ${row.caller ?? ''} ${row.source ?? ''} ${row.status}`,
    columns: [
      fieldColumn(
        'at',
        'Came',
        ({ at, requestId }) =>
          html`<a href=${addressOf('request', requestId)} title=${requestId}
            >${timeMark(at, now)}<span class="hidden"> trace of ${requestId}</span></a
          >`,
      ),
      fieldColumn('status', 'Status', statusMark),
      fieldColumn(
        'operation',
        'Operation',
        ({ method, operation }) => html`${operation} <small>${method}</small>`,
      ),
      fieldColumn('code', 'Code', ({ code }) => code && html`<code>${code}</code>`),
      numberColumn('duration', 'Took', ({ durationMs }) => durationMs, durationText),
      numberColumn(
        'upstream',
        'At the source',
        ({ upstreamMs }) => upstreamMs,
        (ms, row) => html`${durationText(ms)} <small>${callsText(row)}</small>`,
      ),
      fieldColumn('source', 'Source'),
      fieldColumn('caller', 'Caller'),
    ],
    empty: 'No request failed or was slow, as far as is kept. That is good news.',
  });
}

/** Since when no request is missing, and what the incidents of the listed ones have counted. */
function missingNote({ requests, completeSince }: RequestList, incidents: IncidentList['incidents']): VNode {
  const [last = '', first = ''] = [requests[0]?.at, requests.at(-1)?.at];
  const listed = new Set(requests.map(({ operation }) => operation));
  const meant = incidents.filter(
    (one) => one.since <= last && one.last >= first && one.operations.some(({ name }) => listed.has(name)),
  );
  const since = completeSince && `All are kept since ${instantText(completeSince)}; older ones may be gone. `;
  return html`<div class="note">
    ${since}The counts below are no totals.
    ${meant.map(({ id, text, answers }) => {
      const { failed, total } = answers.flawed ?? answers;
      return html`<p key=${id}>
        Exactly ${countText(failed)} of ${countText(total)} answers of all callers:
        <a href=${addressOf('incident', id)}>${text}</a>
      </p>`;
    })}
  </div>`;
}

/** The view of requests that failed or were slow, the newest first. */
export function RequestsView(): VNode {
  const { address, now } = useConsole();
  const { query } = address;
  const list = useLoad<RequestList>(requestsPath(query, SHOWN_MAX), 5_000);
  const { value } = list;
  const isPartial =
    value !== undefined && (value.completeSince !== undefined || value.requests.length >= SHOWN_MAX);
  const counted = useLoad<IncidentList>(isPartial ? 'incidents' : undefined, 5_000);
  const until = value?.until === undefined ? '' : ` until ${timeText(value.until, now)} UTC`;
  const slow = value?.slowMs === undefined ? '' : ` Slow is from ${durationText(value.slowMs)} on.`;
  return html`<div>
    ${viewHead('Requests', value === undefined ? 'Those that failed or were slow.' : `Those that failed or were slow. ${scopeText(value.scope, value.since, undefined, now)}${until}.${slow} Times are UTC.`, findForm())}
    ${cardOf(
      'Failed or slow',
      'Refusals of callers are under the statuses 4xx and all.',
      html`${filterForm(query)}
      ${loadedPart(list, (listed) => {
        const { notes, requests } = listed;
        const newest = requests.length < SHOWN_MAX ? '' : `, of the newest ${SHOWN_MAX}`;
        return html`${notes.map((note) => html`<p key=${note} class="note">${note}</p>`)}
        ${isPartial && missingNote(listed, counted.value?.incidents ?? [])}
        ${
          requests.length > 0 &&
          html`<h3>By cause${newest}</h3>
            ${causesTable(requests, isPartial, address, now)}
            <h3>The newest first; each links to its trace</h3>`
        }
        ${requestsTable(requests, now)}`;
      })}`,
    )}
  </div>`;
}
