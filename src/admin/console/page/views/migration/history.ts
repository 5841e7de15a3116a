import type { VNode } from 'preact';
import type { AuditAnswer } from '../../../../api/audit-action-specs.ts';
import { auditRows } from '../../show/audit-rows.ts';
import { useConsole } from '../../data/console-context.ts';
import { useLoad } from '../../data/use-load.ts';
import { migratedResource } from '../../show/migration-texts.ts';
import { dataTable } from '../../parts/data-table.ts';
import { html } from '../../parts/html.ts';
import { cardOf, problemNote, timeMark } from '../../parts/marks.ts';
import { differenceText } from '../../show/units.ts';

/** What was done to this migration, from the audit. */
export function HistorySection({ resource }: { resource: string }): VNode {
  const { now } = useConsole();
  const { value, problem, reload } = useLoad<AuditAnswer>('audit', 15_000);
  const rows =
    value &&
    auditRows(value).filter(
      ({ action, target }) => action.startsWith('migrations.') && migratedResource(target) === resource,
    );
  const table =
    rows &&
    dataTable({
      ...{ id: 'history', label: 'history', order: '-number', rows },
      keyOf: ({ number }) => String(number),
      columns: [
        { key: 'number', title: 'When', cell: ({ at }) => timeMark(at, now), sort: ({ number }) => number },
        {
          key: 'action',
          title: 'What',
          cell: ({ action }) => action.replace('migrations.', ''),
          sort: ({ action }) => action,
        },
        { key: 'actor', title: 'Who', cell: ({ actor }) => actor, sort: ({ actor }) => actor },
        {
          key: 'change',
          title: 'Change',
          cell: ({ before, after }) => differenceText(before, after),
        },
        { key: 'reason', title: 'Reason', cell: ({ reason }) => reason ?? '' },
        { key: 'outcome', title: 'Outcome', cell: ({ outcome }) => outcome ?? '' },
      ],
      empty: 'Nobody has moved it yet.',
    });
  return cardOf(
    'History',
    'As the audit has it, the newest first.',
    html`${problemNote(problem, reload)}${table}`,
  );
}
