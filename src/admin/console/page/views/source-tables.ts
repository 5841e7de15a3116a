// The tables of the view of a source.

import type { VNode } from 'preact';
import type { NamedCounts, SourceDetail } from '../../../api/figure-specs.ts';
import { dataTable } from '../parts/data-table.ts';
import { type Children, html } from '../parts/html.ts';
import { stateMark, timeMark } from '../parts/marks.ts';
import { countText, spanText } from '../show/units.ts';

/** A table of names with their counts, the largest of the last hour first. */
export function countsTable(id: string, label: string, counts: NamedCounts, title: string): VNode {
  return dataTable({
    ...{ id, label, order: '-hour' },
    rows: Object.entries(counts)
      .filter(([, { total }]) => total > 0)
      .map(([name, { total, lastHour }]) => ({ name, total, lastHour })),
    keyOf: ({ name }) => name,
    columns: [
      { key: 'name', title, cell: ({ name }) => name, sort: ({ name }) => name },
      {
        key: 'hour',
        title: 'Last hour',
        isFigure: true,
        cell: (row) => countText(row.lastHour),
        sort: (row) => row.lastHour,
      },
      {
        key: 'total',
        title: 'In all',
        isFigure: true,
        cell: (row) => countText(row.total),
        sort: (row) => row.total,
      },
    ],
    empty: 'None yet.',
  });
}

/** The outcome rules of a source's file in their order, with the replies that each decided. */
export function outcomeRulesTable({ rules }: SourceDetail): VNode {
  const rows = rules.map((rule, place) => ({ ...rule, place }));
  return dataTable({
    ...{ id: 'rules', label: 'outcome rules', order: 'rule', rows },
    keyOf: ({ rule }) => rule,
    columns: [
      {
        key: 'rule',
        title: 'Rule',
        cell: ({ rule }) => (rule === 'none' ? 'no rule fits' : html`<code>${rule}</code>`),
        sort: ({ place }) => place,
      },
      {
        key: 'is',
        title: 'Means',
        cell: ({ is }) => (is === 'by_status' ? 'what the status says' : is),
        sort: ({ is }) => is,
      },
      {
        key: 'hour',
        title: 'Last hour',
        isFigure: true,
        cell: ({ replies }) => countText(replies.lastHour),
        sort: ({ replies }) => replies.lastHour,
      },
      {
        key: 'total',
        title: 'In all',
        isFigure: true,
        cell: ({ replies }) => countText(replies.total),
        sort: ({ replies }) => replies.total,
      },
      { key: 'line', title: 'Line', cell: ({ file, line }) => placeText(file, line) },
    ],
    empty: 'A pass-through route has no rules: it hands replies on.',
  });
}

/** The hosts of a source, and what happened to each. */
export function hostsTable({ hosts }: SourceDetail): VNode {
  return dataTable({
    ...{ id: 'hosts', label: 'hosts', order: 'name', rows: hosts },
    keyOf: ({ name }) => name,
    columns: [
      { key: 'name', title: 'Host', cell: ({ name }) => name, sort: ({ name }) => name },
      {
        key: 'events',
        title: 'Events of the last hour (in all)',
        cell: ({ events }) =>
          Object.entries(events)
            .map(([name, { lastHour, total }]) => `${name} ${countText(lastHour)} (${countText(total)})`)
            .join(', ') || 'none',
      },
    ],
    empty: 'It has one host.',
  });
}

/** A line of a source's file. */
function placeText(file: string | undefined, line: number | undefined): Children {
  return file === undefined ? '' : html`<code>${file}${line === undefined ? '' : `:${line}`}</code>`;
}

/** Claims of the file that replies contradicted. */
export function claimsTable({ claims }: SourceDetail, now: number): VNode {
  return dataTable({
    ...{ id: 'claims', label: 'contradicted claims', order: '-at', rows: claims },
    keyOf: ({ resource, claim, at }) => `${resource} ${claim} ${at}`,
    toneOf: ({ isDisabled }) => (isDisabled ? 'row-warn' : ''),
    columns: [
      {
        key: 'claim',
        title: 'Claim',
        cell: ({ resource, claim }) => html`<b>${claim}</b> <small>${resource}</small>`,
        sort: ({ claim }) => claim,
      },
      {
        key: 'state',
        title: 'Since then',
        cell: ({ isDisabled }) =>
          isDisabled ? stateMark('warn', 'computed by scan') : stateMark('info', 'seen'),
        sort: ({ isDisabled }) => Number(isDisabled),
      },
      {
        key: 'place',
        title: 'Line',
        cell: ({ file, line }) => placeText(file, line),
        sort: ({ file }) => file,
      },
      { key: 'at', title: 'When', isFigure: true, cell: ({ at }) => timeMark(at, now), sort: ({ at }) => at },
      { key: 'detail', title: 'What contradicted it', cell: ({ detail }) => detail ?? '' },
    ],
    empty: 'No reply has contradicted a claim of the file.',
  });
}

const costTone = { page: 'good', record: 'good', scan: 'warn', refused: 'bad' } as const;

/** What each kind of query costs. */
export function costsTable({ costs }: SourceDetail): VNode {
  return dataTable({
    ...{ id: 'costs', label: 'costs of queries', order: 'query', rows: costs },
    keyOf: ({ resource, query }) => `${resource} ${query}`,
    textOf: ({ resource, query, cost, reason }) => `${resource} ${query} ${cost} ${reason ?? ''}`,
    columns: [
      {
        key: 'query',
        title: 'Query',
        cell: ({ resource, query }) => html`<code>${query}</code> <small>${resource}</small>`,
        sort: ({ resource, query }) => `${resource} ${query}`,
      },
      {
        key: 'cost',
        title: 'Takes',
        cell: ({ cost }) => stateMark(costTone[cost], cost),
        sort: ({ cost }) => cost,
      },
      {
        key: 'calls',
        title: 'Calls',
        isFigure: true,
        cell: ({ calls, verifyingCalls }) =>
          `${countText(calls)}${verifyingCalls === undefined ? '' : ` +${countText(verifyingCalls)} a minute`}`,
        sort: ({ calls }) => calls,
      },
      {
        key: 'rows',
        title: 'Rows at most',
        isFigure: true,
        cell: ({ rowsMax }) => countText(rowsMax),
        sort: ({ rowsMax }) => rowsMax,
      },
      { key: 'reason', title: 'Why', cell: ({ reason }) => reason ?? '' },
    ],
    empty: 'A pass-through route has no costs: it hands requests on.',
  });
}

/** Replies that could not be used, by reason. */
export function repliesTable({ invalidReplies }: SourceDetail, now: number): VNode {
  return dataTable({
    ...{ id: 'invalid', label: 'replies that could not be used', order: '-count', rows: invalidReplies },
    keyOf: ({ resource, reason }) => `${resource} ${reason}`,
    columns: [
      {
        key: 'reason',
        title: 'Reason',
        cell: ({ reason, resource }) => html`${reason} <small>${resource}</small>`,
        sort: ({ reason }) => reason,
      },
      {
        key: 'count',
        title: 'Replies',
        isFigure: true,
        cell: ({ count }) => countText(count),
        sort: ({ count }) => count,
      },
      {
        key: 'at',
        title: 'Last',
        isFigure: true,
        cell: ({ last }) => timeMark(last.at, now),
        sort: ({ last }) => last.at,
      },
      { key: 'detail', title: 'What was wrong with it', cell: ({ last }) => last.detail },
    ],
    empty: 'Every reply could be used.',
  });
}

/** The scan caches in memory. */
export function scanCachesTable({ scanCaches }: SourceDetail, now: number): VNode {
  return dataTable({
    ...{ id: 'scan-caches', label: 'scan caches', order: 'resource', rows: scanCaches },
    keyOf: ({ resource }) => resource,
    columns: [
      {
        key: 'resource',
        title: 'Resource',
        cell: ({ resource }) => resource,
        sort: ({ resource }) => resource,
      },
      {
        key: 'count',
        title: 'Held',
        isFigure: true,
        cell: ({ count }) => countText(count),
        sort: ({ count }) => count,
      },
      {
        key: 'age',
        title: 'Age of the oldest',
        isFigure: true,
        cell: ({ oldestAt }) => (oldestAt === null ? '–' : spanText(now - Date.parse(oldestAt))),
        sort: ({ oldestAt }) => oldestAt,
      },
    ],
    empty: 'No scan is held in memory.',
  });
}
