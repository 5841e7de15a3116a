// The view of the audit: who changed what, before and after, and why.

import type { VNode } from 'preact';
import type { AuditAnswer } from '../../../api/audit-action-specs.ts';
import { type AuditRow, auditRows } from '../show/audit-rows.ts';
import { goTo, useConsole } from '../data/console-context.ts';
import { useLoad } from '../data/use-load.ts';
import { dataTable, fieldColumn } from '../parts/data-table.ts';
import { html } from '../parts/html.ts';
import { cardOf, choiceField, loadedPart, stateMark, timeMark, viewHead } from '../parts/marks.ts';
import { pointField } from '../parts/point-field.ts';
import { addressOf, changedQuery } from '../show/address.ts';
import { pointText, readPoint } from '../show/points-in-time.ts';
import { differenceText, spanText } from '../show/units.ts';

const spans = ['1h', '24h', '7d', '30d'];

function chainMark({ chain }: AuditAnswer): VNode {
  if (chain.kind === 'empty') return stateMark('idle', 'no line yet');
  if (chain.kind === 'broken') return stateMark('bad', `the chain is broken at line ${chain.number}`);
  return stateMark(
    'good',
    `chain intact, lines ${chain.first} to ${chain.last}`,
    `SHA-256 of the last line: ${chain.digest}`,
  );
}

function whoCell({ actor, role, address }: AuditRow): VNode {
  return html`<b>${actor}</b> <small>${[role, address].filter(Boolean).join(', ')}</small>`;
}

function changeCell({ before, after }: AuditRow): VNode | string {
  if (before === undefined && after === undefined) return '';
  const full = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value, null, 1));
  return html`<details>
    <summary>${differenceText(before, after)}</summary>
    <p>Before</p>
    <pre>${full(before)}</pre>
    <p>After</p>
    <pre>${full(after)}</pre>
  </details>`;
}

/** The outcomes that say that a change was made. */
const MADE: readonly string[] = ['done', 'applied'];

/** The outcome of a change: a word, and the rest of the sentence. */
function outcomeCell({ outcome = '' }: AuditRow): VNode {
  const [word = '', rest = ''] = outcome.split(/:\s*(.*)/s);
  return html`${stateMark(MADE.includes(outcome) ? 'good' : 'warn', word)} <small>${rest}</small>`;
}

/** A change this long after a point in time may still be what somebody saw then, because clocks and memories are inexact. */
const AFTER_MS = 300_000;

/** When a change was made, and how long before or after the chosen point in time. */
function whenCell({ at, number }: AuditRow, now: number, pointMs: number | undefined): VNode {
  const apart = pointMs === undefined ? 0 : Date.parse(at) - pointMs;
  const relation =
    pointMs === undefined ? '' : `${spanText(Math.abs(apart))} ${apart < 0 ? 'before' : 'after'}`;
  return html`${timeMark(at, now)} <small class="num">${relation} #${number}</small>`;
}

function auditTable(rows: readonly AuditRow[], now: number, pointMs: number | undefined): VNode {
  return dataTable<AuditRow>({
    ...{ id: 'audit', label: 'the audit', order: '-number', rows },
    keyOf: ({ number }) => String(number),
    textOf: (row) =>
      `${row.actor} ${row.action} ${row.target} ${row.reason ?? ''} ${row.outcome ?? ''} ${row.address ?? ''} ${row.at}`,
    toneOf: ({ outcome }) => (outcome === undefined || MADE.includes(outcome) ? '' : 'row-warn'),
    columns: [
      fieldColumn('number', 'When', (row) => whenCell(row, now, pointMs)),
      fieldColumn('actor', 'Who', whoCell),
      fieldColumn('action', 'What', ({ action }) => html`<code>${action}</code>`),
      fieldColumn('target', 'Of'),
      { key: 'change', title: 'Before → after', cell: changeCell },
      { key: 'reason', title: 'Reason', cell: ({ reason }) => reason ?? '' },
      fieldColumn('outcome', 'Outcome', outcomeCell),
    ],
    empty: 'Nothing was changed in this time.',
  });
}

/** The view of the audit: who changed what, before and after, and why. */
export function AuditView(): VNode {
  const { address, now } = useConsole();
  const since = spans.find((one) => one === address.query['since']);
  const audit = useLoad<AuditAnswer>(`audit${since === undefined ? '' : `?since=${since}`}`, 5_000);
  const choose = (value: string) => goTo(changedQuery(address, { since: value }), true);
  const options = [['', 'as far as kept'] as const, ...spans.map((one) => [one, one] as const)];
  const pointMs = readPoint(address.query['at'], now);
  const isMeant = ({ at }: AuditRow) => pointMs === undefined || Date.parse(at) <= pointMs + AFTER_MS;
  const inForce =
    pointMs !== undefined &&
    html`<p class="note">
      What was changed up to ${timeMark(pointMs, now)} and shortly after it, the latest first.
      <a href=${addressOf('config', '', { at: pointText(pointMs) })}>The configuration at that time</a>
    </p>`;
  const choice = html`${pointField({ name: 'at', label: 'What changed at (UTC)' })}
  ${choiceField('Since', options, since ?? '', choose)}`;
  return html`<div>
    ${viewHead('Audit', 'Every change by console, command or API, of the whole fleet with Redis. Times are UTC.', choice)}
    ${loadedPart(audit, (value) => cardOf('Changes', chainMark(value), html`${inForce}${auditTable(auditRows(value).filter(isMeant), now, pointMs)}`))}
  </div>`;
}
