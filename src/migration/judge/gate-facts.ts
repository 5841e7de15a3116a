// The facts from which a gate is evaluated (evaluate-gate.ts reads them), and the type of a condition of a gate.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import { writeDuration } from '../../kernel/duration.ts';
import type { OperationCounts } from '../counts/counts-store.ts';
import type { MigrationState } from '../state/migration-state.ts';
import type { Preview } from '../tasks/task-results.ts';
import type { NoiseMemory } from './transient-rules.ts';

/** A condition of a step forward, with the present value (`have`) and the needed value (`need`). */
export type Condition = {
  /** The name of the condition, such as `keys`, `soak`, `rehearsal`. */
  readonly id: string;
  /** The operation that has to meet the condition; absent if the whole resource has to. */
  readonly operation?: string | undefined;
  readonly have: string | number;
  readonly need: string | number;
  /** When the condition will be met just by waiting, as an instant in UTC; absent if it is met, or waiting is not enough. */
  readonly at?: string | undefined;
};

/** A condition by name: `users.get keys`. */
export function conditionName({ id, operation }: Condition): string {
  return operation === undefined ? id : `${operation} ${id}`;
}

/** A condition that is not met, as text: `users.get keys: 10, needs 300`. */
export function conditionText(condition: Condition): string {
  return `${conditionName(condition)}: ${condition.have}, needs ${condition.need}`;
}

/** A condition, and whether it is met. */
export type CheckedCondition = Condition & { readonly isMet: boolean };

/** The facts from which a gate is evaluated. */
export type GateFacts = {
  readonly config: MigrationConfig;
  readonly state: MigrationState;
  /** The operation that takes the step; absent if the whole resource takes it. */
  readonly operation?: string | undefined;
  /** The operations of the resource, such as `users.list`. */
  readonly operations: readonly string[];
  readonly counts: Readonly<Record<string, OperationCounts>>;
  /** The CUSUM of failures by operation, if the judge has one. */
  readonly cusum: Readonly<Record<string, number>>;
  /** How often writes explain a transient difference, by operation, if it was measured. */
  readonly noise: Readonly<Record<string, NoiseMemory>>;
  /** The callers that the share of the step reaches; absent if the step is no ramp, or this is not known. */
  readonly reach?: Preview | undefined;
  /** How long answers are cached, in milliseconds. The new source may lag behind by this time. */
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
