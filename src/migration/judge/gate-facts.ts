// The facts that a gate is evaluated from, and the type of a condition.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import { writeDuration } from '../../kernel/duration.ts';
import type { OperationCounts } from '../counts/migration-counts.ts';
import type { MigrationState } from '../state/migration-state.ts';
import type { NoiseMemory } from './transient-rules.ts';

/** A condition of a step forward: what there is, and what is needed. */
export type Condition = {
  /** Such as `keys`, `soak`, `rehearsal`. */
  readonly id: string;
  /** The operation that has to meet it; absent: the resource. */
  readonly operation?: string | undefined;
  readonly have: string | number;
  readonly need: string | number;
};

/** A condition, and whether it is met. */
export type CheckedCondition = Condition & { readonly isMet: boolean };

/** The facts that a gate is evaluated from. */
export type GateFacts = {
  readonly config: MigrationConfig;
  readonly state: MigrationState;
  /** Absent: the step is of the resource; else of this operation alone. */
  readonly operation?: string | undefined;
  /** The operations of the resource, such as `users.list`. */
  readonly operations: readonly string[];
  readonly counts: Readonly<Record<string, OperationCounts>>;
  /** The CUSUM of failures by operation, where the judge has one. */
  readonly cusum: Readonly<Record<string, number>>;
  /** How often writes explain that an answer differs once, by operation, as far as that was measured. */
  readonly noise: Readonly<Record<string, NoiseMemory>>;
  /** How long answers of the resource are cached, in milliseconds. The new source may lag behind as long as that. */
  readonly freshMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
};

/** A duration in one unit. It is rounded down, so that one that is too short by a second is not shown as long enough. */
function roughly(ms: number): string {
  const unit = [86_400_000, 3_600_000, 60_000].find((one) => ms >= 2 * one) ?? 1_000;
  return ms < unit ? '0s' : writeDuration(Math.floor(ms / unit) * unit);
}

/** The condition that something has lasted since an instant, in milliseconds since the epoch. */
export function lasting(id: string, since: number, now: number, needMs: number): CheckedCondition {
  const have = Math.max(0, now - since);
  return { id, have: roughly(have), need: writeDuration(needMs), isMet: have >= needMs };
}
