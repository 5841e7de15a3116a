import { parseDuration } from '../../kernel/duration.ts';
import type { ActionValue } from '../api/action-table.ts';
import type { ActionHandlers } from './act.ts';

/** Reads the configuration again, and puts it in force if it is sound. */
export type Reload = (request: {
  readonly actor: string;
  readonly dryRun: boolean | undefined;
  readonly waitMs: number | undefined;
}) => Promise<ActionValue<'config.reload'>>;

/** Creates the actions on the configuration. */
export function createConfigActions(reload: Reload): ActionHandlers {
  return {
    'config.reload': ({ dryRun, wait }, { actor }) =>
      reload({
        actor: actor.name,
        dryRun: dryRun === true || dryRun === 'true',
        waitMs: wait === undefined ? undefined : parseDuration(wait),
      }),
  };
}
