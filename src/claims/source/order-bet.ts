import { orderBet } from '../../adapter/plan/order-bet.ts';
import { claimOf } from '../claim.ts';
import { listPlace } from '../evidence/ask.ts';
import { concludeAt } from '../evidence/finding.ts';

/** Whether something asks for the order that pages rest on, or promises it. That rows show it today proves nothing. */
export const orderBetClaim = claimOf('bet', ({ ask, failed }) => {
  const spec = ask.spec.resources[ask.resource.name];
  const bet = spec && orderBet(spec);
  // An order that is wrong is told as such.
  if (bet === undefined || failed.has('order') || failed.has('stability')) return undefined;
  const conclude = concludeAt('bet', `order: ${bet.by} stays as it is`, listPlace(ask, 'order'));
  const observed = 'rows came in it, but nothing in the request asks for it: a write may end that';
  return bet.isAccepted
    ? conclude('noted', `bet, accepted by orderIs: observed: ${observed}`)
    : conclude('bet', observed, bet.remedy);
});
