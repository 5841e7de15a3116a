import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { MigrationEvidence, OperationEvidence } from '../evidence/evidence.ts';
import type { MigrationState } from '../state/migration-state.ts';
import type { MigrationStates } from '../state/migration-states.ts';
import { positionText } from './next-step.ts';
import { afterRehearsal, rehearsing } from './rehearsal.ts';

export type RehearseDeps = {
  readonly states: Pick<MigrationStates, 'current' | 'change'>;
  readonly evidence: Pick<MigrationEvidence, 'read'>;
  readonly clock: Pick<Clock, 'now'>;
};

type Run = { readonly signal: AbortSignal; readonly progress: (done: number, of?: number) => void };

/** How long second legs fail, and how long the judge has after that. */
const FAILING_MS = 60_000;
const WAIT_MS = 15_000;
const LOOK_MS = 200;
/** Four failed second legs are enough; with twice as many expected, chance hardly leaves too few. */
const LEGS_WANTED = 8;

/** The share of second legs that has to fail so that enough do: 1 percent, and more where there is little traffic. */
export function rehearsedPercent(
  evidence: Readonly<Record<string, OperationEvidence>>,
  { since }: Pick<MigrationState, 'since'>,
  now: number,
): number {
  const compared = Object.values(evidence).reduce(
    (sum, { match, mismatch, ignored, inconclusive, failedNew }) => {
      return sum + match + mismatch + ignored + inconclusive + failedNew;
    },
    0,
  );
  const expected = (compared * FAILING_MS) / Math.max(1, now - Date.parse(since));
  return expected === 0 ? 100 : Math.min(100, Math.max(1, Math.ceil((100 * LEGS_WANTED) / expected)));
}

/**
 * Makes the function that rehearses a rollback: in `shadow`, some second legs are made to fail until the judge would have
 * rolled back. Nothing of that reaches a caller. It throws an Error where nothing can be rehearsed.
 */
export function createRehearse({ states, evidence, clock }: RehearseDeps) {
  function stateOf(resource: string): MigrationState {
    const state = states.current(resource);
    if (state?.stage === 'shadow') return state;
    const found = state === undefined ? 'it does not move' : `it is at ${positionText(state)}`;
    throw new Error(`a rollback is rehearsed in shadow, and ${found}`);
  }

  async function begin(resource: string): Promise<MigrationState> {
    const found = await evidence.read(resource);
    const state = stateOf(resource);
    const percent = rehearsedPercent(found, state, clock.now());
    const until = new Date(clock.now() + FAILING_MS).toISOString();
    const begun = await states.change(state, rehearsing(state, { until, percent }));
    if (begun.kind === 'changed') return begun.state;
    throw new Error('somebody else has just changed the migration: try again');
  }

  /** A rehearsal that is given up must not go on failing second legs. */
  async function giveUp(resource: string): Promise<void> {
    const state = states.current(resource);
    if (state?.rehearsal !== undefined) await states.change(state, afterRehearsal(state, undefined));
  }

  return async function rehearse(
    resource: string,
    { signal, progress }: Run,
  ): Promise<{ readonly tripped: boolean; readonly evidence: string }> {
    const begun = await begin(resource);
    const percent = begun.rehearsal?.percent ?? 0;
    const startedAt = clock.now();
    const seconds = () => Math.round((clock.now() - startedAt) / 1_000);
    try {
      while (clock.now() - startedAt < FAILING_MS + WAIT_MS) {
        const state = states.current(resource);
        if (state?.rehearsal === undefined) {
          const tripped = state?.rehearsedAt !== undefined && state.rehearsedAt !== begun.rehearsedAt;
          const found = tripped
            ? 'the judge would have rolled back'
            : 'too few second legs failed for the judge';
          return {
            tripped,
            evidence: `${percent} % of the second legs failed; after ${seconds()} s ${found}`,
          };
        }
        progress(seconds(), FAILING_MS / 1_000);
        await sleep(LOOK_MS, undefined, { signal });
      }
      return { tripped: false, evidence: 'no process judges: look whether Redis can be reached' };
    } finally {
      await giveUp(resource);
    }
  };
}
