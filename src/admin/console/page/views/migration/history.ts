import type { VNode } from 'preact';
import type { AuditAnswer } from '../../../../api/audit-action-specs.ts';
import { type AuditRow, auditRows } from '../../show/audit-rows.ts';
import { useConsole } from '../../data/console-context.ts';
import { useLoad } from '../../data/use-load.ts';
import { resourceOfAuditTarget } from '../../show/migration-texts.ts';
import { dataTable, fieldColumn, textColumn } from '../../parts/data-table.ts';
import { cardOf, loadedPart, timeMark } from '../../parts/marks.ts';
import { differenceText } from '../../show/units.ts';

/** The part of a view with the changes of a migration, read from the audit. */
export function HistorySection({ resource }: { resource: string }): VNode {
  const { now } = useConsole();
  const audit = useLoad<AuditAnswer>('audit', 15_000);
  const isOfResource = ({ action, target }: AuditRow) =>
    action.startsWith('migrations.') && resourceOfAuditTarget(target) === resource;
  const table = (value: AuditAnswer) =>
    dataTable<AuditRow>({
      ...{ id: 'history', label: 'history', order: '-number', rows: auditRows(value).filter(isOfResource) },
      keyOf: ({ number }) => String(number),
      columns: [
        fieldColumn('number', 'When', ({ at }) => timeMark(at, now)),
        textColumn('action', 'What', ({ action }) => action.replace('migrations.', '')),
        fieldColumn('actor', 'Who'),
        { key: 'change', title: 'Change', cell: ({ before, after }) => differenceText(before, after) },
        { key: 'reason', title: 'Reason', cell: ({ reason }) => reason ?? '' },
        { key: 'outcome', title: 'Outcome', cell: ({ outcome }) => outcome },
      ],
      empty: 'Nobody has moved it yet.',
    });
  return cardOf('History', 'As the audit has it, the newest first.', loadedPart(audit, table));
}
