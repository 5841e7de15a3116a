// The facts that a gate is evaluated from, and the type of a condition.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import { writeDuration } from '../../kernel/duration.ts';
import type { OperationCounts } from '../counts/migration-counts.ts';
import type { MigrationState } from '../state/migration-state.ts';
import type { Preview } from '../tasks/task-results.ts';
import type { NoiseMemory } from './transient-rules.ts';

/** A condition of a step forward: the value that there is, and the value that is needed. */
export type Condition = {
  /** Such as `keys`, `soak`, `rehearsal`. */
  readonly id: string;
  /** The operation that has to meet it; absent if it is for the resource. */
  readonly operation?: string | undefined;
  readonly have: string | number;
  readonly need: string | number;
  /** When time alone meets it, an instant in UTC; absent if it is met, or time alone does not meet it. */
  readonly at?: string | undefined;
};

/** A condition that is not met, as text: `users.get keys: 10, needs 300`. */
export function conditionText({ id, operation, have, need }: Condition): string {
  return `${operation === undefined ? '' : `${operation} `}${id}: ${have}, needs ${need}`;
}

/** A condition, and whether it is met. */
export type CheckedCondition = Condition & { readonly isMet: boolean };

/** The facts that a gate is evaluated from. */
export type GateFacts = {
  readonly config: MigrationConfig;
  readonly state: MigrationState;
  /** The operation whose step it is; absent if it is the step of the resource. */
  readonly operation?: string | undefined;
  /** The operations of the resource, such as `users.list`. */
  readonly operations: readonly string[];
  readonly counts: Readonly<Record<string, OperationCounts>>;
  /** The CUSUM of failures by operation, if the judge has one. */
  readonly cusum: Readonly<Record<string, number>>;
  /** How often writes explain a transient difference, by operation, if it was measured. */
  readonly noise: Readonly<Record<string, NoiseMemory>>;
  /** Whom the share of the step reaches; absent if the step is no ramp, or nobody can say. */
  readonly reach?: Preview | undefined;
  /** How long answers are cached, in milliseconds. The new source may lag behind by so much. */
  readonly freshMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
};

/** A duration in one unit. It is rounded down, so that a duration that is one second too short does not look long enough. */
function roughly(ms: number): string {
  const unit = [86_400_000, 3_600_000, 60_000].find((one) => ms >= 2 * one) ?? 1_000;
  return ms < unit ? '0s' : writeDuration(Math.floor(ms / unit) * unit);
}

/** The condition that something has lasted long enough. `since` is in milliseconds since the epoch. */
export function lasting(id: string, since: number, now: number, needMs: number): CheckedCondition {
  const have = Math.max(0, now - since);
  const isMet = have >= needMs;
  const at = isMet ? undefined : new Date(since + needMs).toISOString();
  return { id, have: roughly(have), need: writeDuration(needMs), at, isMet };
}
