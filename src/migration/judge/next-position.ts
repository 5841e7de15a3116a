// Finds the position of a migration that follows the present one, for its gate and its status.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import { type MigrationState, type Position, positionOf } from '../state/migration-state.ts';

const ramp = (percent: number): Position => ({ stage: 'ramp', percent });
const LIVE: Position = { stage: 'live', percent: 0 };

/** The first step of the ramp after a rollback: the step before the one that failed. */
function restart(steps: readonly number[], failed: Position): Position {
  const before = failed.stage === 'live' ? steps : steps.filter((step) => step < failed.percent);
  return ramp(before.at(-1) ?? steps[0] ?? 1);
}

/** The next position forward; `undefined` if there is none. */
export function nextPosition(
  { steps }: Pick<MigrationConfig, 'steps'>,
  state: MigrationState,
  operation?: string,
): Position | undefined {
  const { stage, percent } = positionOf(state, operation);
  const { lastRollback } = state;
  switch (stage) {
    case 'legacy':
      return { stage: 'shadow', percent: 0 };
    case 'shadow': {
      const isOfTheseCounts =
        lastRollback !== null && Date.parse(lastRollback.at) >= Date.parse(state.evidenceSince);
      return isOfTheseCounts && lastRollback.from.stage !== 'shadow'
        ? restart(steps, lastRollback.from)
        : ramp(steps[0] ?? 1);
    }
    case 'ramp': {
      const step = steps.find((one) => one > percent);
      return step === undefined ? LIVE : ramp(step);
    }
    case 'live':
      return { stage: 'complete', percent: 0 };
    case 'complete':
      return undefined;
  }
}
