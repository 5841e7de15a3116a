// The table and the forms of the rules by which differences of a migration do not count, as far as they were made while the
// gateway runs. Rules of the configuration stand in its key `ignore`.

import type { VNode } from 'preact';
import type { DifferenceList, MigrationStatus } from '../../../../api/migration-schemas.ts';
import { type ActionForm, reasonField } from '../../parts/action-dialog.ts';
import { buttonColumn, dataTable, fieldColumn, timeColumn } from '../../parts/data-table.ts';
import { html } from '../../parts/html.ts';
import { stateMark } from '../../parts/marks.ts';
import { change, type FormDeps } from './actions.ts';

type DiffRow = DifferenceList['differences'][number];

type RuleRow = MigrationStatus['rules'][number];

const DAYS = 30;

/** The form by which differences at a path no longer count; if the row has a hint, only those with this hint. */
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
    run: (values) => change(deps, 'rules', values),
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
    run: (values) => change(deps, `rules/${encodeURIComponent(id)}`, values, 'DELETE'),
  };
}

function ruleMark(isEnded: boolean, isAccepted: boolean): VNode {
  if (isEnded) return stateMark('idle', 'ended');
  return isAccepted ? stateMark('good', 'accepted by name') : stateMark('info', 'ignores');
}

/** The table of the rules. `remove` is absent if the user may only read. */
export function rulesTable(
  { rules, acknowledged }: MigrationStatus,
  now: number,
  remove: ((rule: RuleRow) => void) | undefined,
): VNode {
  return dataTable<RuleRow>({
    ...{ id: 'rules', label: 'rules', order: 'path', rows: rules },
    keyOf: ({ id }) => id,
    columns: [
      fieldColumn(
        'path',
        'Path',
        ({ path, hint = '', id }) => html`<code>${path}</code> ${hint} <small>${id}</small>`,
      ),
      {
        key: 'state',
        title: 'State',
        cell: ({ id, until }) => ruleMark(until < now, acknowledged.includes(id)),
      },
      fieldColumn('owner', 'Who'),
      { key: 'reason', title: 'Reason', cell: ({ reason }) => reason },
      timeColumn('until', 'Until', now),
      ...buttonColumn<RuleRow>('Remove', ({ path }) => `the rule ${path}`, remove),
    ],
    empty: 'No rule was made while the gateway runs.',
  });
}
