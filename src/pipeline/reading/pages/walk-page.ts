// Reads pages of lists that only have cursors, without a scan: it remembers cursors as checkpoints and starts from them.

import type { CursorPlan } from '../../../source/adapter/plan/plan.ts';
import { contradicted, type WindowEvidence } from '../../../source/checks/claim.ts';
import { isFullWindow } from '../../../source/checks/continuation.ts';
import { canTie } from '../../../source/checks/ties.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { Checkpoint, CursorCheckpoints } from '../../../store/scan-cache/cursor-checkpoints.ts';
import { compileRowCodec } from '../../../store/scan-cache/row-codec.ts';
import { isPlanFailure, type PlanFailure, totalIsLowerBound } from '../windows/plan-failure.ts';
import type { Page, PageRange } from './read-page.ts';
import { checkClaims, tiesOf } from '../verify/check-claims.ts';
import { settleWalk } from '../verify/settle-ties.ts';
import { totalOfCount } from '../windows/read-total.ts';
import { readWindow } from '../windows/read-window.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';

/** A page that was reached by cursor paging. It is as old as the checkpoint at which the paging began. */
export type WalkedPage = Page & { readonly storedAt: number };

/** Reads a page from the nearest known checkpoint; `undefined` if no checkpoint is near enough. */
export type Walker = (
  plan: CursorPlan,
  range: PageRange,
  context: CallContext,
) => Promise<WalkedPage | PlanFailure | undefined>;

/** The most calls for a page. If more are needed, a scan is better, because it serves all pages. */
const CALLS_MAX = 4;

/** Errors that a source may reply with because it has forgotten a cursor. */
const FORGOTTEN: readonly string[] = ['upstream_error', 'upstream_invalid_response'];

/** A window is not as the source's file says, or rows moved. So the claim must be contradicted twice. */
const WRONG_WINDOW = contradicted('window', 'a window is not as full as the total says, or rows moved');

/** Reads the total with the first window. It must be the same as in the checkpoint. */
async function readTotal(
  source: SourceRuntime,
  { count }: CursorPlan,
  { rows }: WindowEvidence,
  from: Checkpoint | undefined,
  context: CallContext,
): Promise<number | PlanFailure> {
  const total = rows.total ?? (count && (await totalOfCount(source, count, context)));
  if (typeof total !== 'number') return totalIsLowerBound;
  return from === undefined || from.total === total ? total : WRONG_WINDOW;
}

/** Reads the window after the last row, if there is a cursor for it, because that shows that the total is not too small. */
async function checkEnd(
  source: SourceRuntime,
  { request, window }: CursorPlan,
  { call, rows }: WindowEvidence,
  context: CallContext,
): Promise<PlanFailure | undefined> {
  if (rows.next === undefined) return undefined;
  const behind = await readWindow(source, request, window.after(call, rows.next, rows.received), context);
  if (isPlanFailure(behind)) return behind;
  return behind.rows.received > 0 ? WRONG_WINDOW : undefined;
}

/** Creates the function that pages through one resource. `keep` gets the checkpoint after each window, by the plan's key. */
function createWalk(source: SourceRuntime, keep: (key: string, checkpoint: Checkpoint) => void) {
  const { clock, resource } = source;
  const codec = compileRowCodec(resource.itemFields);

  /** Whether the first rows fit the checkpoint at which the paging began: they come after its last row. */
  function fitsStart({ sort }: CursorPlan, from: Checkpoint, records: readonly CanonicalRecord[]): boolean {
    const last = codec.fromValues(from.last);
    if (last === undefined || records.some(({ id }) => id === from.firstId || id === last.id)) return false;
    const [first] = records;
    if (sort === null || first === undefined) return true;
    const { keyOf, compare } = tiesOf(source, sort).order;
    const compared = compare(keyOf(last), keyOf(first));
    return canTie(sort) ? compared <= 0 : compared < 0;
  }

  return async function walkFrom(
    plan: CursorPlan,
    from: Checkpoint | undefined,
    { offset, limit }: PageRange,
    context: CallContext,
  ): Promise<WalkedPage | PlanFailure | undefined> {
    const { window, request, key, sort } = plan;
    const storedAt = from?.storedAt ?? clock.now();
    const start = { ...window.first, firstRow: from?.offset ?? 0 };
    const windows: WindowEvidence[] = [];
    // One row after the page shows whether ties cross its end.
    const wanted = offset + limit + (canTie(sort) ? 1 : 0);
    let call = from === undefined ? start : window.after(start, from.next, 0);
    let known: number | undefined;
    for (;;) {
      const read = await readWindow(source, request, call, context);
      if (isPlanFailure(read)) return read;
      const { rows } = read;
      const total: number | PlanFailure = known ?? (await readTotal(source, plan, read, from, context));
      if (isPlanFailure(total)) return total;
      const isStart = known === undefined && from !== undefined;
      if (!isFullWindow(read, total) || (isStart && !fitsStart(plan, from, rows.records)))
        return WRONG_WINDOW;
      known = total;
      windows.push(read);
      const reached = call.firstRow + rows.received;
      const firstId = from?.firstId ?? windows[0]?.rows.records[0]?.id;
      const last = rows.records.at(-1);
      if (rows.next !== undefined && reached < total && firstId !== undefined && last !== undefined)
        keep(key, {
          offset: reached,
          next: rows.next,
          total,
          storedAt,
          firstId,
          last: codec.toValues(last),
        });
      if (reached >= Math.min(wanted, total)) {
        const failure = reached === total ? await checkEnd(source, plan, read, context) : undefined;
        const all = windows.flatMap((one) => one.rows.records);
        const broken = failure ?? checkClaims(source, plan, all);
        if (broken !== undefined) return broken;
        const page = { from: Math.min(offset, total), to: Math.min(offset + limit, total) };
        const before = from && codec.fromValues(from.last);
        const settled = canTie(sort)
          ? settleWalk(tiesOf(source, sort), { page, total, windows, before })
          : all.slice(page.from - start.firstRow, page.to - start.firstRow);
        return settled && { records: settled, total, storedAt };
      }
      if (rows.next === undefined) return WRONG_WINDOW;
      call = window.after(call, rows.next, rows.received);
    }
  };
}

/** Creates the walker of one resource of one source. */
export function createWalker(source: SourceRuntime, checkpoints: CursorCheckpoints): Walker {
  const { budget, clock } = source;
  const lifeMs = budget.snapshot * 1_000;
  const leftMs = ({ storedAt }: Checkpoint) => Math.min(storedAt + lifeMs - clock.now(), lifeMs);
  const walkFrom = createWalk(source, (key, one) => void checkpoints.add(key, one, leftMs(one)));

  /** Finds the nearest checkpoint before a row. All windows are full, so checkpoints are at multiples of their size. */
  async function nearest({ key, window }: CursorPlan, offset: number): Promise<Checkpoint | undefined> {
    const { size } = window.first;
    const windows = Math.floor(offset / size);
    const count = Math.min(windows, CALLS_MAX);
    const offsets = Array.from({ length: count }, (_, back) => (windows - back) * size);
    const found = await checkpoints.farthest(key, offsets);
    return found !== undefined && leftMs(found) > 0 ? found : undefined;
  }

  return async function walkPage(plan, range, context) {
    if (lifeMs === 0) return undefined;
    const isFar = (start: number) => range.offset + range.limit - start > CALLS_MAX * plan.window.first.size;
    const from = await nearest(plan, range.offset);
    if (isFar(from?.offset ?? 0)) return undefined;
    try {
      const walked = await walkFrom(plan, from, range, context);
      // Perhaps not the source is wrong but the checkpoint, because rows have moved.
      if (from !== undefined && isPlanFailure(walked) && !context.signal.aborted)
        await checkpoints.drop(plan.key);
      return walked;
    } catch (error) {
      if (from === undefined || context.signal.aborted) throw error;
      await checkpoints.drop(plan.key);
      if (!(error instanceof GatewayError) || !FORGOTTEN.includes(error.code)) throw error;
      return isFar(0) ? undefined : walkFrom(plan, undefined, range, context);
    }
  };
}
