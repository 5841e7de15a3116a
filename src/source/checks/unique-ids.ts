// Checks that no record comes twice in a list: the gateway in each reply (`hasDuplicates`), `doctor` and `infer` in a sample.

import { claimOf, type EvidenceRow } from './claim.ts';
import { listPlace } from './evidence/ask.ts';
import { concludeAt } from './evidence/finding.ts';
import { plural } from '../../kernel/plural.ts';

/** Whether two rows have the same id. */
export function hasDuplicates(rows: readonly EvidenceRow[]): boolean {
  return new Set(rows.map(({ id }) => id)).size !== rows.length;
}

/** The claim that no record comes twice while the list is read window by window. */
export const uniqueIdsClaim = claimOf('walk', ({ ask, sample: { repeated, records }, failed }) => {
  const key = ask.list.order === 'unknown' ? 'window' : 'order';
  const conclude = concludeAt('walk', 'no record comes twice in a walk', listPlace(ask, key));
  if (repeated === 0) return conclude('agrees', `${plural(records.length, 'record')}, each once`);
  const observed = `${plural(repeated, 'record')} of ${records.length} came before`;
  if (failed.has('order')) return conclude('could not tell', `${observed}, for want of an order`);
  return conclude(
    'differs',
    observed,
    'ask for an order that is total, such as by id, with a constant parameter',
  );
});
