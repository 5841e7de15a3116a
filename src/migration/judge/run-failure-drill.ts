// Runs a failure drill for an operator (`portico migration rehearse`), and waits until the judge has ended it.

import type { Clock } from '../../kernel/clock.ts';
import type { MigrationCounts } from '../counts/count-comparisons.ts';
import { waitMs } from '../tasks/ask-at-low-priority.ts';
import type { DrillResult, Run } from '../tasks/task-results.ts';
import { type MigrationState, positionText } from '../state/migration-state.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import { DRILL_MS, drillPercent, withoutDrill } from './failure-drill.ts';

/** What a drill needs. `states` tells all processes of the drill, and tells this process when the judge has ended it. */
export type FailureDrillDeps = {
  readonly states: Pick<MigrationStateStore, 'shared' | 'change'>;
  readonly counts: Pick<MigrationCounts, 'read'>;
  readonly clock: Pick<Clock, 'now'>;
};

/** How long to wait for the judge after the last failed comparison call. */
const WAIT_MS = 15_000;
const POLL_MS = 200;

/** The result of a drill that the judge has ended. */
function resultOf(begun: MigrationState, ended: MigrationState | undefined, seconds: number): DrillResult {
  const percent = begun.rehearsal?.percent ?? 0;
  const tripped = ended?.rehearsedAt !== undefined && ended.rehearsedAt !== begun.rehearsedAt;
  const found = tripped
    ? 'the judge would have rolled back'
    : 'too few comparison calls failed for the judge';
  return { tripped, reason: `${percent} % of the comparison calls failed; after ${seconds} s ${found}` };
}

/**
 * Creates the function that runs a failure drill: in `shadow`, some comparison calls fail until the judge would have rolled
 * back. No caller notices. It rejects in another stage, or if somebody else changes the state first.
 */
export function createFailureDrill({ states, counts, clock }: FailureDrillDeps) {
  function stateOf(resource: string): MigrationState {
    const state = states.shared(resource);
    if (state?.stage === 'shadow') return state;
    const found = state === undefined ? 'it does not move' : `it is at ${positionText(state)}`;
    throw new Error(`a rollback is rehearsed in shadow, and ${found}`);
  }

  async function begin(resource: string): Promise<MigrationState> {
    const found = await counts.read(resource);
    const state = stateOf(resource);
    const percent = drillPercent(found, state, clock.now());
    const until = new Date(clock.now() + DRILL_MS).toISOString();
    const begun = await states.change(state, { ...state, rehearsal: { until, percent } });
    if (begun.kind === 'changed') return begun.state;
    throw new Error('somebody else has just changed the migration: try again');
  }

  /** Ends the drill in the state, so that no more comparison calls fail after the task was aborted. */
  async function giveUp(resource: string): Promise<void> {
    const state = states.shared(resource);
    if (state?.rehearsal !== undefined) await states.change(state, withoutDrill(state, undefined));
  }

  return async function runFailureDrill(resource: string, { signal, progress }: Run): Promise<DrillResult> {
    const begun = await begin(resource);
    const startedAt = clock.now();
    const seconds = () => Math.round((clock.now() - startedAt) / 1_000);
    try {
      while (clock.now() - startedAt < DRILL_MS + WAIT_MS) {
        const state = states.shared(resource);
        if (state?.rehearsal === undefined) return resultOf(begun, state, seconds());
        progress(seconds(), DRILL_MS / 1_000);
        await waitMs(POLL_MS, signal);
      }
      return { tripped: false, reason: 'no process judges: look whether Redis can be reached' };
    } finally {
      await giveUp(resource);
    }
  };
}
