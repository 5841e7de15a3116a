// The tables in the view of one source: outcome rules, hosts, contradicted claims, costs, replies and scan caches.

import type { VNode } from 'preact';
import type { NamedCounts, SourceDetail } from '../../../api/metric-specs.ts';
import { dataTable, fieldColumn, numberColumn, textColumn, timeColumn } from '../parts/data-table.ts';
import { type Children, html } from '../parts/html.ts';
import { stateMark, timeMark } from '../parts/marks.ts';
import { countText, spanText, UNKNOWN } from '../show/units.ts';

/** A table of names with their counts, the largest of the last hour first. */
export function countsTable(id: string, label: string, counts: NamedCounts, title: string): VNode {
  const rows = Object.entries(counts)
    .filter(([, { total }]) => total > 0)
    .map(([name, count]) => ({ name, ...count }));
  return dataTable<(typeof rows)[number]>({
    ...{ id, label, order: '-hour', rows },
    keyOf: ({ name }) => name,
    columns: [
      fieldColumn('name', title),
      numberColumn('hour', 'Last hour', ({ lastHour }) => lastHour, countText),
      numberColumn('total', 'In all', ({ total }) => total, countText),
    ],
    empty: 'None yet.',
  });
}

/** The outcome rules of a source's file in their order, with the replies that each decided. */
export function outcomeRulesTable({ rules }: SourceDetail): VNode {
  const rows = rules.map((rule, place) => ({ ...rule, place }));
  return dataTable<(typeof rows)[number]>({
    ...{ id: 'rules', label: 'outcome rules', order: 'rule', rows },
    keyOf: ({ rule }) => rule,
    columns: [
      textColumn(
        'rule',
        'Rule',
        ({ place }) => place,
        ({ rule }) => (rule === 'none' ? 'no rule fits' : html`<code>${rule}</code>`),
      ),
      fieldColumn('is', 'Means', ({ is }) => (is === 'by_status' ? 'what the status says' : is)),
      numberColumn('hour', 'Last hour', ({ replies }) => replies.lastHour, countText),
      numberColumn('total', 'In all', ({ replies }) => replies.total, countText),
      { key: 'line', title: 'Line', cell: ({ file, line }) => placeText(file, line) },
    ],
    empty: 'A pass-through route has no rules: it hands replies on.',
  });
}

/** The hosts of a source, and what happened to each. */
export function hostsTable({ hosts }: SourceDetail): VNode {
  return dataTable<SourceDetail['hosts'][number]>({
    ...{ id: 'hosts', label: 'hosts', order: 'name', rows: hosts },
    keyOf: ({ name }) => name,
    columns: [
      fieldColumn('name', 'Host'),
      {
        key: 'events',
        title: 'Events of the last hour',
        cell: ({ events }) =>
          Object.entries(events)
            .map(
              ([name, { lastHour, total }]) => `${name} ${countText(lastHour)} (${countText(total)} in all)`,
            )
            .join(', ') || 'none',
      },
    ],
    empty: 'It has one host.',
  });
}

function placeText(file: string | undefined, line: number | undefined): Children {
  return file === undefined ? '' : html`<code>${file}${line === undefined ? '' : `:${line}`}</code>`;
}

/** The claims of the file that replies contradicted. */
export function contradictedClaimsTable({ claims }: SourceDetail, now: number): VNode {
  return dataTable<SourceDetail['claims'][number]>({
    ...{ id: 'claims', label: 'contradicted claims', order: '-at', rows: claims },
    keyOf: ({ resource, claim, at }) => `${resource} ${claim} ${at}`,
    toneOf: ({ isDisabled }) => (isDisabled ? 'row-warn' : ''),
    columns: [
      fieldColumn(
        'claim',
        'Claim',
        ({ resource, claim }) => html`<b>${claim}</b> <small>${resource}</small>`,
      ),
      textColumn(
        'state',
        'Since then',
        ({ isDisabled }) => Number(isDisabled),
        ({ isDisabled }) => (isDisabled ? stateMark('warn', 'computed by scan') : stateMark('info', 'seen')),
      ),
      textColumn(
        'place',
        'Line',
        ({ file }) => file,
        ({ file, line }) => placeText(file, line),
      ),
      timeColumn('at', 'When', now),
      { key: 'detail', title: 'What contradicted it', cell: ({ detail }) => detail ?? '' },
    ],
    empty: 'No reply has contradicted a claim of the file.',
  });
}

const costTone = { page: 'good', record: 'good', scan: 'warn', refused: 'bad' } as const;

/** What each kind of query costs. */
export function costsTable({ costs }: SourceDetail): VNode {
  return dataTable<SourceDetail['costs'][number]>({
    ...{ id: 'costs', label: 'costs of queries', order: 'query', rows: costs },
    keyOf: ({ resource, query }) => `${resource} ${query}`,
    textOf: ({ resource, query, cost, reason }) => `${resource} ${query} ${cost} ${reason ?? ''}`,
    columns: [
      textColumn(
        'query',
        'Query',
        ({ resource, query }) => `${resource} ${query}`,
        ({ resource, query }) => html`<code>${query}</code> <small>${resource}</small>`,
      ),
      fieldColumn('cost', 'Takes', ({ cost }) => stateMark(costTone[cost], cost)),
      numberColumn(
        'calls',
        'Calls',
        ({ calls }) => calls,
        (calls, { verifyingCalls }) =>
          `${countText(calls)}${verifyingCalls === undefined ? '' : ` +${countText(verifyingCalls)} a minute`}`,
      ),
      numberColumn('rows', 'Rows at most', ({ rowsMax }) => rowsMax, countText),
      { key: 'reason', title: 'Why', cell: ({ reason }) => reason ?? '' },
    ],
    empty: 'A pass-through route has no costs: it hands requests on.',
  });
}

/** Replies that could not be used, by reason. */
export function repliesTable({ invalidReplies }: SourceDetail, now: number): VNode {
  return dataTable<SourceDetail['invalidReplies'][number]>({
    ...{ id: 'invalid', label: 'replies that could not be used', order: '-count', rows: invalidReplies },
    keyOf: ({ resource, reason }) => `${resource} ${reason}`,
    columns: [
      fieldColumn('reason', 'Reason', ({ reason, resource }) => html`${reason} <small>${resource}</small>`),
      numberColumn('count', 'Replies', ({ count }) => count, countText),
      numberColumn(
        'at',
        'Last',
        ({ last }) => last.at,
        (at) => timeMark(at, now),
      ),
      { key: 'detail', title: 'What was wrong with it', cell: ({ last }) => last.detail },
    ],
    empty: 'Every reply could be used.',
  });
}

/** The scan caches in memory. */
export function scanCachesTable({ scanCaches }: SourceDetail, now: number): VNode {
  return dataTable<SourceDetail['scanCaches'][number]>({
    ...{ id: 'scan-caches', label: 'scan caches', order: 'resource', rows: scanCaches },
    keyOf: ({ resource }) => resource,
    columns: [
      fieldColumn('resource', 'Resource'),
      numberColumn('count', 'Held', ({ count }) => count, countText),
      numberColumn(
        'age',
        'Age of the oldest',
        ({ oldestAt }) => oldestAt,
        (at) => (at === null ? UNKNOWN : spanText(now - Date.parse(at))),
      ),
    ],
    empty: 'No scan is held in memory.',
  });
}
