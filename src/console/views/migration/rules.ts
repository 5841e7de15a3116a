// The rules by which differences do not count: those that were made while the gateway runs.

import type { VNode } from 'preact';
import type { AskApi } from '../../data/api.ts';
import type { MigrationStatus } from '../../data/migration-shapes.ts';
import type { ActionForm } from '../../parts/action-dialog.ts';
import { reasonField } from '../../parts/action-dialog.ts';
import { dataTable } from '../../parts/data-table.ts';
import { html } from '../../parts/html.ts';
import { stateMark, timeMark } from '../../parts/marks.ts';

/** What a form of a rule needs. */
export type RuleFormDeps = { readonly ask: AskApi; readonly resource: string; readonly reload: () => void };

type RuleRow = MigrationStatus['rules'][number];

const DAYS = 30;

const pathOf = (resource: string) => `migrations/${encodeURIComponent(resource)}/rules`;

/** The form that lets the differences at a path not count. */
export function ignoreForm({ ask, resource, reload }: RuleFormDeps, path: string, now: number): ActionForm {
  return {
    title: 'Let differences not count',
    text: html`<p>
      Differences of <b>${resource}</b> at this path, and below it, no longer hold up a step. They go on being
      counted and shown as ignored, and <code>complete</code> asks for the rule to be accepted by name.
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
        name: 'until',
        label: 'Until the day',
        kind: 'date',
        value: new Date(now + DAYS * 86_400_000).toISOString().slice(0, 10),
        isNeeded: true,
        hint: 'A rule ends by itself.',
      },
      reasonField(true),
    ],
    async run(values) {
      await ask(pathOf(resource), { method: 'POST', body: values });
      reload();
      return undefined;
    },
  };
}

/** The form that takes a rule away. */
export function unignoreForm({ ask, resource, reload }: RuleFormDeps, { id, path }: RuleRow): ActionForm {
  return {
    title: 'Remove the rule',
    text: html`<p>
      Differences of <b>${resource}</b> at <code>${path}</code> count again from now on, in every process.
    </p>`,
    verb: 'Remove the rule',
    fields: [reasonField(false)],
    async run({ reason = '' }) {
      const body = reason === '' ? {} : { reason };
      await ask(`${pathOf(resource)}/${encodeURIComponent(id)}`, { method: 'DELETE', body });
      reload();
      return undefined;
    },
  };
}

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
        cell: ({ path, id }) => html`<code>${path}</code> <small>${id}</small>`,
        sort: ({ path }) => path,
      },
      {
        key: 'state',
        title: 'State',
        cell: ({ id, until }) =>
          until < now
            ? stateMark('idle', 'ended')
            : acknowledged.includes(id)
              ? stateMark('good', 'accepted by name')
              : stateMark('info', 'ignores'),
      },
      { key: 'owner', title: 'Who', cell: ({ owner }) => owner, sort: ({ owner }) => owner },
      { key: 'reason', title: 'Reason', cell: ({ reason }) => reason },
      {
        key: 'until',
        title: 'Until',
        isFigure: true,
        cell: ({ until }) => timeMark(until, now),
        sort: ({ until }) => until,
      },
      ...(remove === undefined
        ? []
        : [
            {
              key: 'do',
              title: 'Change',
              cell: (rule: RuleRow) =>
                html`<button type="button" onClick=${() => remove(rule)}>
                  Remove<span class="hidden"> the rule ${rule.path}</span>
                </button>`,
            },
          ]),
    ],
    empty: 'No rule was made while the gateway runs.',
  });
}
