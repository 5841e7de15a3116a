import type { FilterOp, PushableOp } from './query.ts';
import type { FilterParameter } from './resource.ts';

/**
 * The operator that a source is asked with in place of each one of the contract. It may find more rows: `gt` is sent as
 * `ge`, and the gateway removes the rows with an equal value.
 */
const PUSHED_AS: Readonly<Record<FilterOp, PushableOp | undefined>> = {
  eq: 'eq',
  in: 'in',
  ge: 'ge',
  gt: 'ge',
  le: 'le',
  lt: 'le',
  has: undefined,
  known: undefined,
};

/**
 * The operators that a filter parameter can be sent to a source with. If a client gives a time as a day, it is sent as the two
 * bounds of the day (`ge`, `le`). If it gives a single value where several may stand, that is sent as `eq`.
 */
export function pushedOperatorsOf({ op, kind }: Pick<FilterParameter, 'op' | 'kind'>): readonly PushableOp[] {
  const own = PUSHED_AS[op];
  if (own === undefined) return [];
  if (op === 'in') return ['in', 'eq'];
  return op === 'eq' && kind === 'datetime' ? ['eq', 'ge', 'le'] : [own];
}
