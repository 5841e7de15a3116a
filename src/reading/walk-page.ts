import type { WalkPlan } from '../adapter/plan/plan.ts';
import { compileOrder } from '../contract/order.ts';
import type { CanonicalRecord } from '../contract/response-body.ts';
import { GatewayError } from '../errors/fault.ts';
import type { Checkpoint, CursorCheckpoints } from '../rowset/cursor-checkpoints.ts';
import { compileRowCodec } from '../rowset/row-codec.ts';
import { checkClaims, type Page, totalOfCount } from './read-page.ts';
import { readWindow, type WindowRows } from './read-window.ts';
import { Contradiction, type CallContext, OnlyBound, type SourceRuntime } from './source-runtime.ts';

/** A page that was walked to. It is as old as the place that the walk started from. */
export type WalkedPage = Page & { readonly storedAt: number };

/** Reads pages of lists that can only be walked, from the nearest place that is known. */
export type Walker = (
  plan: WalkPlan,
  offset: number,
  limit: number,
  context: CallContext,
) => Promise<WalkedPage | undefined>;

/** Calls that a page may take before a scan, which serves all pages, is the better way. */
const CALLS_MAX = 4;

/** Errors that a cursor may be the reason of which the source knows no longer. */
const FORGOTTEN: readonly string[] = ['upstream_error', 'upstream_invalid_response'];

/** What a window says is not what the source's file says of all windows, or rows moved: once is no proof. */
function untrue(): Contradiction {
  return new Contradiction('window');
}

/** Creates the walker of one resource of one source. */
export function createWalker(source: SourceRuntime, checkpoints: CursorCheckpoints): Walker {
  const { budget, clock, resource } = source;
  const lifeMs = budget.snapshot * 1_000;
  const codec = compileRowCodec(resource.itemFields);

  function leftMs({ storedAt }: Pick<Checkpoint, 'storedAt'>): number {
    return Math.min(storedAt + lifeMs - clock.now(), lifeMs);
  }

  /** The nearest known place before a row. Windows are full, so places are multiples of their size. */
  async function nearest({ key, window }: WalkPlan, offset: number): Promise<Checkpoint | undefined> {
    const { size } = window.first;
    const windows = Math.floor(offset / size);
    const count = Math.min(windows, CALLS_MAX);
    const offsets = Array.from({ length: count }, (_, back) => (windows - back) * size);
    const place = await checkpoints.farthest(key, offsets);
    return place !== undefined && leftMs(place) > 0 ? place : undefined;
  }

  /** What was known at the start of a walk must fit the first rows of it. */
  function checkStart({ sort }: WalkPlan, from: Checkpoint, records: readonly CanonicalRecord[]): void {
    const last = codec.fromValues(from.last);
    if (last === undefined || records.some(({ id }) => id === from.firstId || id === last.id)) throw untrue();
    const kind = resource.itemFields.find(({ name }) => name === sort?.field)?.kind ?? 'text';
    const [first] = records;
    if (sort !== null && first !== undefined && compileOrder(sort, kind)(last, first) >= 0) throw untrue();
  }

  /** The total that a window must agree with. @throws OnlyBound */
  async function totalOf(plan: WalkPlan, { rows }: WindowRows, context: CallContext): Promise<number> {
    const total = rows.total ?? (plan.count && (await totalOfCount(source, plan.count, context)));
    if (total === undefined) throw new OnlyBound();
    return total;
  }

  /** A window must be as full as the total says, and the rows must end where it says. */
  function checkWindow({ call, rows }: WindowRows, total: number): void {
    const expected = Math.min(call.size, total - call.firstRow);
    const isFull = rows.received === expected && rows.records.length === rows.received;
    const goesOn = rows.next !== undefined || call.firstRow + rows.received === total;
    if (!isFull || !goesOn || (rows.total ?? total) !== total) throw untrue();
  }

  async function walkFrom(
    plan: WalkPlan,
    from: Checkpoint | undefined,
    { offset, limit }: { offset: number; limit: number },
    context: CallContext,
  ): Promise<WalkedPage> {
    const { window, request, key } = plan;
    const storedAt = from?.storedAt ?? clock.now();
    const start = { ...window.first, firstRow: from?.offset ?? 0 };
    let call = from === undefined ? start : window.after(start, from.next, 0);
    let total = from?.total;
    const records: CanonicalRecord[] = [];
    for (;;) {
      const read = await readWindow(source, request, call, context);
      const { rows } = read;
      // What the source says now, asked once a walk, is what the place that it started from must agree with.
      const told = records.length === 0 ? await totalOf(plan, read, context) : total;
      if (told === undefined || (total ?? told) !== told) throw untrue();
      total = told;
      checkWindow(read, total);
      if (records.length === 0 && from !== undefined) checkStart(plan, from, rows.records);
      for (const record of rows.records) records.push(record);
      const reached = call.firstRow + rows.received;
      const firstId = from?.firstId ?? records[0]?.id;
      const last = records.at(-1);
      if (rows.next !== undefined && reached < total && firstId !== undefined && last !== undefined) {
        const place = {
          offset: reached,
          next: rows.next,
          total,
          storedAt,
          firstId,
          last: codec.toValues(last),
        };
        void checkpoints.add(key, place, leftMs(place));
      }
      if (reached >= Math.min(offset + limit, total)) {
        if (reached === total && rows.next !== undefined) await checkEnd(plan, read, rows.next, context);
        checkClaims(source, plan, records);
        const skipped = offset - start.firstRow;
        return { records: records.slice(skipped, skipped + limit), total, storedAt };
      }
      if (rows.next === undefined) throw untrue();
      call = window.after(call, rows.next, rows.received);
    }
  }

  /** A window behind the last row costs a call, but shows that the total is not too small. */
  async function checkEnd(
    { window, request }: WalkPlan,
    { call, rows }: WindowRows,
    next: string,
    context: CallContext,
  ) {
    const behind = await readWindow(source, request, window.after(call, next, rows.received), context);
    if (behind.rows.received > 0) throw untrue();
  }

  return async function walkPage(plan, offset, limit, context) {
    if (lifeMs === 0) return undefined;
    const page = { offset, limit };
    const isFar = (start: number) => offset + limit - start > CALLS_MAX * plan.window.first.size;
    const from = await nearest(plan, offset);
    if (isFar(from?.offset ?? 0)) return undefined;
    try {
      return await walkFrom(plan, from, page, context);
    } catch (error) {
      if (from === undefined || context.signal.aborted) throw error;
      // The place, not the source, may be what is wrong: the rows have moved, or the cursor is forgotten.
      await checkpoints.drop(plan.key);
      if (!(error instanceof GatewayError) || !FORGOTTEN.includes(error.code)) throw error;
      return isFar(0) ? undefined : walkFrom(plan, undefined, page, context);
    }
  };
}
