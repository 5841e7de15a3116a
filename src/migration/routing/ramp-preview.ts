// Estimates which callers of the last hour a share would reach, and how much of the traffic, for operators and the gate.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import type { Preview } from '../tasks/task-results.ts';
import { bucketsBelow, shareReaching } from './bucket.ts';
import type { RecentCaller } from './recent-callers.ts';

const LARGEST = 10;

const sum = (callers: readonly RecentCaller[]) => callers.reduce((calls, one) => calls + one.calls, 0);

/** The least share in percent that reaches a caller: 0 if a caller is in `allow`, `null` if no share reaches one. */
function leastShare(
  callers: readonly RecentCaller[],
  { allow, deny }: Pick<MigrationConfig, 'allow' | 'deny'>,
): number | null {
  const shares = callers
    .filter(({ id = '' }) => !deny.includes(id))
    .flatMap(({ id = '', bucket }) => (allow.includes(id) ? 0 : (shareReaching(bucket) ?? [])));
  return shares.length === 0 ? null : shares.reduce((least, one) => Math.min(least, one));
}

/**
 * Computes which callers a share would reach, and their part of the calls. With few callers, a share of the callers may be a very
 * different share of the calls.
 */
export function previewShare(
  callers: readonly RecentCaller[],
  percent: number,
  { allow, deny }: Pick<MigrationConfig, 'allow' | 'deny'>,
): Preview {
  const below = bucketsBelow(percent);
  const isReached = ({ id = '', bucket }: RecentCaller) =>
    !deny.includes(id) && (allow.includes(id) || bucket < below);
  const total = Math.max(1, sum(callers));
  const part = (calls: number) => Math.round((calls / total) * 10_000) / 100;
  const reached = callers.filter(isReached);
  const named = callers.filter(({ id }) => id !== undefined);
  const bySize = named.toSorted((a, b) => b.calls - a.calls);
  // The largest callers show where the traffic is, and the largest reached callers show whom the step concerns.
  const shown = new Set([...bySize.slice(0, LARGEST), ...bySize.filter(isReached).slice(0, LARGEST)]);
  return {
    percent,
    callers: named.length,
    reached: named.filter(isReached).length,
    callsPercent: part(sum(reached)),
    least: leastShare(callers, { allow, deny }),
    largest: bySize
      .filter((one) => shown.has(one))
      .map((one) => ({
        caller: one.id ?? '',
        callsPercent: part(one.calls),
        isReached: isReached(one),
      })),
  };
}
