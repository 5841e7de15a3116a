import type { PagePlan } from '../../adapter/plan/plan.ts';
import type { OrderBet } from '../../adapter/plan/order-bet.ts';
import type { WindowEvidence } from '../../claims/claim.ts';
import { brokenBet } from '../../claims/source/order-bet.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { isPlanFailure } from '../plan-failure.ts';
import { totalOfCount } from '../read-total.ts';
import { readWindow } from '../read-window.ts';
import type { CallContext, SourceRuntime } from '../source-runtime.ts';

/** How often the fleet looks, while the resource is asked. */
const LOOK_EVERY_MS = 60_000;
const NAME = 'order';
const FIRST_ROW = { kind: 'list', page: 1, limit: 1, sort: null, filters: [] } as const;

/** The rows of a look, by their numbers, where the list did not change its length meanwhile. */
type Rows = readonly CanonicalRecord[];

/** The windows that a look reads: the last two of a list with so many rows, and one before them. */
function windowsOf({ window }: PagePlan, total: number, drawn: number): readonly number[] {
  const last = Math.max(0, Math.ceil(Math.min(total, window.depthMax) / window.scanSize) - 1);
  return [last, last - 1, Math.floor(drawn * (last - 1))].filter((index) => index >= 0);
}

/** Reads them, the last one first, because it tells whether the list has grown. @throws GatewayError */
async function readRows(
  source: SourceRuntime,
  plan: PagePlan,
  { total, drawn }: { readonly total: number; readonly drawn: number },
  context: CallContext,
): Promise<Rows | undefined> {
  const read = (index: number) => readWindow(source, plan.request, plan.window.scanCall(index), context);
  const [start = 0] = windowsOf(plan, total, drawn);
  const first = await read(start);
  if (isPlanFailure(first)) return undefined;
  const rows = first.rows.total ?? total;
  const wanted = windowsOf(plan, rows, drawn);
  // A window that is not the last one any more is the third.
  const others = new Set(wanted.includes(start) ? wanted : wanted.slice(0, 2)).difference(new Set([start]));
  // Behind the last row, some services repeat the last window.
  const windows: WindowEvidence[] = first.call.firstRow < rows ? [first] : [];
  for (const index of others) {
    const window = await read(index);
    if (isPlanFailure(window) || (window.rows.total ?? rows) !== rows) return undefined;
    windows.push(window);
  }
  if (plan.count !== undefined && (await totalOfCount(source, plan.count, context)) !== rows)
    return undefined;
  return windows
    .sort((a, b) => a.call.firstRow - b.call.firstRow)
    .flatMap(({ rows: { records } }) => records);
}

/**
 * Creates what looks at an order that nothing asks for: one page shows nothing of a row that moved to another one. Once a
 * minute, one process of the fleet reads the last two windows of the list, and one at random, behind an answer. What
 * breaks the order must be seen twice, because rows may move between two calls; then the claim is disabled.
 */
export function createOrderLooks(
  source: SourceRuntime,
  random: () => number = Math.random,
): (total: number | undefined) => void {
  const { adapter, verifications, takeLook, inBackground, resource } = source;
  const { bet } = adapter.list;
  let before: Rows | undefined;

  async function look(by: OrderBet['by'], total: number, signal: AbortSignal): Promise<void> {
    const plan = adapter.list.plan({ ...FIRST_ROW, resource: resource.name }, source.claims.fallen);
    if (plan.kind !== 'page' || !plan.relies.includes('order')) return;
    if (!(await takeLook?.(NAME, LOOK_EVERY_MS))) return;
    const usage = { upstreamCalls: 0, upstreamMs: 0 };
    const range = { total, drawn: random() };
    const read = () => readRows(source, plan, range, { signal, usage, priority: 'scan' });
    const rows = await read();
    if (rows === undefined) return;
    const again = brokenBet(by, rows, before) === undefined ? rows : await read();
    const broken = again && brokenBet(by, again, before);
    before = again ?? before;
    if (broken !== undefined && source.claims.fall('order', broken)) source.observer.contradicted('order');
  }

  return function lookAtOrder(total = 0) {
    if (bet === undefined || verifications === undefined || inBackground === undefined) return;
    // Other answers need not ask Redis whose turn it is.
    if (verifications.isKnown(NAME)) return;
    verifications.know(NAME);
    inBackground((signal) => look(bet.by, total, signal));
  };
}
