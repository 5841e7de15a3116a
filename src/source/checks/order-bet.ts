// Checks an order bet: an order of rows on which pages depend, although nothing in the request asks for it. The gateway does
// it about once a minute (`brokenBet`), and `doctor` reports each bet (`orderBetClaim`).

import { type OrderBet, orderBet } from '../adapter/plan/order-bet.ts';
import { compileIdOrder } from '../../contract/order.ts';
import type { Field } from '../../contract/fields.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { claimOf } from './claim.ts';
import { listPlace } from './evidence/ask.ts';
import { concludeAt } from './evidence/finding.ts';
import { isOrdered } from './order.ts';
import { hasDuplicates } from './unique-ids.ts';

/** Rows of the list that were read together, in their order in the list. */
type Rows = readonly CanonicalRecord[];

/** Whether two records that are the same in both readings have changed places. */
function isTurnedRound(before: Rows, now: Rows): boolean {
  const textOf = (record: CanonicalRecord) => Object.values(record).join('\n');
  const places = new Map(before.map((record, at) => [textOf(record), at]));
  const kept = now.flatMap((record) => places.get(textOf(record)) ?? []);
  return kept.some((place, at) => at > 0 && place < (kept[at - 1] ?? 0));
}

/** How rows break the order that a file bets on, compared with an earlier reading (`before`); `undefined`: they do not. */
export function brokenBet(
  { by, fields }: Pick<OrderBet, 'by'> & { readonly fields: readonly Field[] },
  rows: Rows,
  before: Rows | undefined,
): string | undefined {
  if (by === 'id' && !isOrdered(rows, compileIdOrder(fields)))
    return 'rows do not come by ascending id, though nothing was asked';
  if (hasDuplicates(rows)) return 'a row comes in two windows: nothing keeps the rows in an order';
  const isMoved = by === 'source' && before !== undefined && isTurnedRound(before, rows);
  return isMoved ? 'rows that did not change have changed places since the last look' : undefined;
}

/** The claim that something asks for the order on which pages depend, or promises it. Rows in this order today prove nothing. */
export const orderBetClaim = claimOf('bet', ({ ask, failed }) => {
  const spec = ask.spec.resources[ask.resource.name];
  const bet = spec && orderBet(spec);
  // A wrong order is reported by the claims of order.ts.
  if (bet === undefined || failed.has('order') || failed.has('stability')) return undefined;
  const conclude = concludeAt('bet', `order: ${bet.by} stays as it is`, listPlace(ask, 'order'));
  const observed = 'rows came in it, but nothing in the request asks for it: a write may end that';
  return bet.isAccepted
    ? conclude('noted', `bet, accepted by orderIs: observed: ${observed}`)
    : conclude('bet', observed, bet.remedy);
});
