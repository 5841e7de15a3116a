// The rules by which differences do not count: those that were made while the gateway runs.

import type { VNode } from 'preact';
import type { DifferenceList, MigrationStatus } from '../../../../api/migration-schemas.ts';
import type { ActionForm } from '../../parts/action-dialog.ts';
import { reasonField } from '../../parts/action-dialog.ts';
import { dataTable, figureColumn, textColumn } from '../../parts/data-table.ts';
import { html } from '../../parts/html.ts';
import { stateMark, timeMark } from '../../parts/marks.ts';
import { change, type FormDeps, reasonOf } from './actions.ts';

type DiffRow = DifferenceList['differences'][number];

type RuleRow = MigrationStatus['rules'][number];

const DAYS = 30;

/** The form that lets the differences at a path not count; of a row with a hint, only those with it. */
export function ignoreForm(
  deps: FormDeps,
  { path = '', hint = '' }: Partial<DiffRow>,
  now: number,
): ActionForm {
  return {
    title: 'Let differences not count',
    text: html`<p>
      Differences of <b>${deps.status.resource}</b> at this path, and below it, no longer hold up a step. They
      go on being counted and shown as ignored, and <code>complete</code> asks for the rule to be accepted by
      name.
    </p>`,
    verb: 'Add the rule',
    fields: [
      {
        name: 'path',
        label: 'Path',
        value: path,
        isNeeded: true,
        hint: 'Such as data[].name, data.name or meta.total.',
      },
      {
        name: 'hint',
        label: 'Only with the hint (optional)',
        value: hint,
        hint: 'Such as numeric-equal. Empty: every difference at the path.',
      },
      {
        name: 'until',
        label: 'Until the day',
        kind: 'date',
        value: new Date(now + DAYS * 86_400_000).toISOString().slice(0, 10),
        isNeeded: true,
        hint: 'A rule ends by itself.',
      },
      reasonField(true),
    ],
    run: ({ hint: only, ...values }) => change(deps, 'rules', { ...values, ...(only ? { hint: only } : {}) }),
  };
}

/** The form that takes a rule away. */
export function unignoreForm(deps: FormDeps, { id, path }: RuleRow): ActionForm {
  return {
    title: 'Remove the rule',
    text: html`<p>
      Differences of <b>${deps.status.resource}</b> at <code>${path}</code> count again from now on, in every
      process.
    </p>`,
    verb: 'Remove the rule',
    fields: [reasonField(false)],
    run: (values) => change(deps, `rules/${encodeURIComponent(id)}`, reasonOf(values), 'DELETE'),
  };
}

function ruleMark(isEnded: boolean, isAccepted: boolean): VNode {
  if (isEnded) return stateMark('idle', 'ended');
  return isAccepted ? stateMark('good', 'accepted by name') : stateMark('info', 'ignores');
}

const removeColumn = (remove: (rule: RuleRow) => void) => ({
  key: 'do',
  title: 'Change',
  cell: (rule: RuleRow) =>
    html`<button type="button" onClick=${() => remove(rule)}>
      Remove<span class="hidden"> the rule ${rule.path}</span>
    </button>`,
});

/** The rules; `remove` is absent for those who only look. */
export function rulesTable(
  { rules, acknowledged }: MigrationStatus,
  now: number,
  remove: ((rule: RuleRow) => void) | undefined,
): VNode {
  return dataTable<RuleRow>({
    ...{ id: 'rules', label: 'rules', order: 'path', rows: rules },
    keyOf: ({ id }) => id,
    columns: [
      {
        key: 'path',
        title: 'Path',
        cell: ({ path, hint = '', id }) => html`<code>${path}</code> ${hint} <small>${id}</small>`,
        sort: ({ path }) => path,
      },
      {
        key: 'state',
        title: 'State',
        cell: ({ id, until }) => ruleMark(until < now, acknowledged.includes(id)),
      },
      textColumn('owner', 'Who', ({ owner }) => owner),
      { key: 'reason', title: 'Reason', cell: ({ reason }) => reason },
      figureColumn(
        'until',
        'Until',
        ({ until }) => until,
        (until) => timeMark(until, now),
      ),
      ...(remove === undefined ? [] : [removeColumn(remove)]),
    ],
    empty: 'No rule was made while the gateway runs.',
  });
}
