// Builds the answer of the action `callers`: who calls, how often, and how much of each limit is left.

import type { Clock } from '../../kernel/clock.ts';
import { type CallerCount, type CallerSnapshot, topCallers } from '../../telemetry/caller-counts.ts';
import type { ActionValue } from '../api/action-table.ts';

type CallersValue = ActionValue<'callers'>;
type CallerView = CallersValue['callers'][number];

const CALLERS_SHOWN = 50;

/** How many requests a caller may still send: what its last request left, or the full limit if the window has ended since. */
function windowsOf({ tier, windows, lastAt }: Readonly<CallerCount>, now: number): CallerView['windows'] {
  if (tier === undefined) return undefined;
  return windows?.map(({ points, seconds, remaining, resetSeconds }) => {
    const resetMs = Math.max(0, resetSeconds * 1_000 - (now - lastAt));
    return { tier, seconds, limit: points, remaining: resetMs === 0 ? points : remaining, resetMs };
  });
}

/** The answer to `callers`, from what was counted. */
export function callersView(
  snapshot: CallerSnapshot,
  scope: CallersValue['scope'],
  clock: Pick<Clock, 'now'>,
): CallersValue {
  const now = clock.now();
  const callers = topCallers(snapshot, CALLERS_SHOWN).map((caller): CallerView => {
    const { id, label, requests, clientErrors, serverErrors, limited, missedMax, lastAt } = caller;
    const windows = windowsOf(caller, now);
    const last = new Date(lastAt).toISOString();
    return {
      ...{ id, requests, clientErrors, serverErrors, limited, missedMax, lastAt: last },
      errorShare: requests > 0 ? serverErrors / requests : 0,
      ...(label !== undefined && { label }),
      ...(windows && { windows }),
    };
  });
  return { scope, since: new Date(snapshot.since).toISOString(), callers };
}
