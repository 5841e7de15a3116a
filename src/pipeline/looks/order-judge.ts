import { brokenBet } from '../../source/checks/order-bet.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { disableClaim, type SourceRuntime } from '../reading/windows/source-runtime.ts';
import type { ListLook } from './look-at-list.ts';

/** Judges the rows of a look; `lookAgain` reads the same windows once more. @throws GatewayError */
export type OrderJudge = (
  source: SourceRuntime,
  look: ListLook,
  lookAgain: () => Promise<ListLook | undefined>,
) => Promise<void>;

/**
 * Creates what judges an order that nothing asks for: one page shows nothing of a row that moved to another one. What
 * breaks the order must be seen twice, because rows may move between two calls; then the claim is disabled.
 */
export function createOrderJudge(): OrderJudge {
  let before: readonly CanonicalRecord[] | undefined;
  return async (source, { inOrder: rows }, lookAgain) => {
    const { bet } = source.adapter.list;
    if (bet === undefined || rows === undefined) return;
    const again = brokenBet(bet.by, rows, before) === undefined ? rows : (await lookAgain())?.inOrder;
    const broken = again && brokenBet(bet.by, again, before);
    before = again ?? before;
    if (broken !== undefined) disableClaim(source, 'order', broken);
  };
}
