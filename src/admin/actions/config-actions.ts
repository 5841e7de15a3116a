// The actions that show the configuration in force, and reload it.

import type { AuditChange } from '../../store/audit/audit-entry.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { ActionRefusal } from '../api/action.ts';
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
export type OperatedConfig = {
  readonly reload: Reload;
  readonly view: () => Promise<ActionValue<'config'>>;
  readonly revisions: () => readonly ActionValue<'config.revision'>[];
};

/** Creates the actions on the configuration. */
export function createConfigActions({ reload, view, revisions }: OperatedConfig): ActionHandlers {
  return {
    config: () => view(),
    'config.revision'({ rev }) {
      const all = revisions();
      const found = all.find((one) => one.rev === Number(rev));
      if (found !== undefined) return found;
      const known = all.map((one) => one.rev).join(', ');
      throw new ActionRefusal(
        'not_found',
        `the text of revision ${rev} is not kept here`,
        `those that are: ${known}`,
      );
    },
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
