import type { AuditChange } from '../../store/audit/audit-entry.ts';
import { parseDuration } from '../../kernel/duration.ts';
import type { ActionValue } from '../api/action-table.ts';
import { type ActionHandlers, auditActor } from './act.ts';

/** Reads the configuration again, and puts it in force if it is valid. */
export type Reload = (
  request: Pick<AuditChange, 'actor' | 'role' | 'address' | 'reason'> & {
    readonly dryRun: boolean | undefined;
    readonly force: boolean | undefined;
    readonly waitMs: number | undefined;
  },
) => Promise<ActionValue<'config.reload'>>;

/** The functions of the reloader that the actions on the configuration need. */
export type OperatedConfig = { readonly reload: Reload; readonly view: () => Promise<ActionValue<'config'>> };

/** Creates the actions on the configuration. */
export function createConfigActions({ reload, view }: OperatedConfig): ActionHandlers {
  return {
    config: () => view(),
    'config.reload': ({ dryRun, force, wait, reason }, { actor }) =>
      reload({
        ...auditActor(actor),
        reason,
        dryRun: dryRun === true || dryRun === 'true',
        force: force === true || force === 'true',
        waitMs: wait === undefined ? undefined : parseDuration(wait),
      }),
  };
}
