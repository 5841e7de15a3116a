// The actions that show the configuration in force and reload it, for the console, `portico config` and `portico reload`.

import type { AuditChange } from '../../store/audit/audit-entry.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { ActionRefusal } from '../api/action.ts';
import type { ActionValue } from '../api/action-table.ts';
import { type ActionHandlers, auditActor } from './act.ts';

/** Who asks for a reload, and how. `actor`: the name of a token, `local` if no token is needed, `signal` or `watch`. */
export type ReloadRequest = Pick<AuditChange, 'actor' | 'role' | 'address' | 'reason'> & {
  /** True: the reload only reports what would change. */
  readonly dryRun?: boolean | undefined;
  /** True: the reload may change the contract of a resource with a migration, or end a migration. */
  readonly force?: boolean | undefined;
  /** How long to wait until every process serves the new configuration, in milliseconds; a few seconds if absent. */
  readonly waitMs?: number | undefined;
};

/** The functions of the reloader that the actions on the configuration need. */
export type OperatedConfig = {
  /** Reads the configuration again, and puts it in force if it is valid. */
  readonly reload: (request: ReloadRequest) => Promise<ActionValue<'config.reload'>>;
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
      const hint = `those that are: ${known}`;
      throw new ActionRefusal('not_found', `the text of revision ${rev} is not kept here`, hint);
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
