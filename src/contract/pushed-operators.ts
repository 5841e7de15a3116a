import type { FilterOp, PushableOp } from './query.ts';
import type { FilterParameter } from './resource.ts';

/**
 * The operator that a source can be asked with for each. It may find more: a bound that excludes its value is asked for as
 * one that includes it.
 */
const PUSHED_AS: Readonly<Record<FilterOp, PushableOp | undefined>> = {
  eq: 'eq',
  in: 'eq',
  ge: 'ge',
  gt: 'ge',
  le: 'le',
  lt: 'le',
  has: undefined,
  known: undefined,
};

/** The operators that a source can be asked with for a parameter. An instant may be asked for by its day, by both bounds. */
export function pushedOperatorsOf({ op, kind }: Pick<FilterParameter, 'op' | 'kind'>): readonly PushableOp[] {
  const own = PUSHED_AS[op];
  if (own === undefined) return [];
  return op === 'eq' && kind === 'datetime' ? ['eq', 'ge', 'le'] : [own];
}
