// Reads both ends of a list about once a minute (a "look"), for list-watch.ts, which finds missing fields and a lost order in
// them.

import type { RandomWindow, WindowCall } from '../../source/adapter/plan/window.ts';
import type { WindowEvidence } from '../../source/checks/claim.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { isPlanFailure } from '../reading/windows/plan-failure.ts';
import { totalOfCount } from '../reading/windows/read-total.ts';
import { readWindow } from '../reading/windows/read-window.ts';
import type { CallContext, SourceRuntime } from '../reading/windows/source-runtime.ts';
import { type FieldBit, type RecordState, statesOf } from './field-states.ts';

/** What one look at a list has found. */
export type ListEnds = {
  /** The states of the first and the last rows, by their ids (see `field-states.ts`). */
  readonly ends: ReadonlyMap<string, number>;
  /** The rows of all windows in their order; absent if the list changed meanwhile, or if there is no order to check. */
  readonly inOrder: readonly CanonicalRecord[] | undefined;
  /** How many calls it took. */
  readonly calls: number;
};

/** Rows that are read at each end: many, so that a few new rows do not change the rate much. */
const ROWS = 100;
/** If windows are smaller than this, fewer rows are read, so that a look takes few calls. */
const SMALL_WINDOW = 50;
const ROWS_OF_SMALL_WINDOWS = 30;

/** The calls that cover the last rows. One call is enough if it covers most of them. */
function lastCalls(window: RandomWindow, total: number, rows: number): readonly WindowCall[] {
  const end = Math.min(total, window.depthMax);
  if (end < total || end <= rows) return [];
  const calls = window.cover(end - rows, rows);
  const last = calls.at(-1);
  return last !== undefined && end - last.firstRow >= rows / 2 ? [last] : calls;
}

/** Windows that show a lost order: the last two, because writes move rows there, and one between them and the first. */
function orderCalls(window: RandomWindow, total: number, drawn: number): readonly WindowCall[] {
  const last = Math.max(0, Math.ceil(Math.min(total, window.depthMax) / window.scanSize) - 1);
  const indexes = new Set([1 + Math.floor(drawn * (last - 2)), last - 1, last]);
  return [...indexes].filter((index) => index > 0).map((index) => window.scanCall(index));
}

/**
 * Reads the first and the last rows of the list without filters, and a window between them if an order has to be checked.
 * Each look reads the same rows, so looks can be compared. `drawn`, from 0 to 1, chooses the window between. `undefined`: a
 * plan has nothing to read. @throws GatewayError
 */
export async function readListEnds(
  source: SourceRuntime,
  bits: readonly FieldBit[],
  { signal, priority, drawn }: Pick<CallContext, 'signal' | 'priority'> & { readonly drawn: number },
): Promise<ListEnds | undefined> {
  const { adapter, resource, claims, wholeListObserver: observer = source.observer } = source;
  const query = { kind: 'list', resource: resource.name, page: 1, limit: ROWS, filters: [] } as const;
  const plan = adapter.list.plan({ ...query, sort: null }, claims.disabled);
  if (plan.kind === 'nothing') return undefined;
  const { window, request } = plan;
  const isBet = adapter.list.bet !== undefined && plan.kind === 'page' && plan.dependsOn.includes('order');
  const size = window.kind === 'random' ? window.scanSize : window.first.size;
  const rows = size < SMALL_WINDOW ? ROWS_OF_SMALL_WINDOWS : Math.min(size, ROWS);
  const context: CallContext = {
    signal,
    priority,
    isWholeList: true,
    usage: { upstreamCalls: 0, upstreamMs: 0 },
  };
  const ends = new Map<string, number>();
  const windows: WindowEvidence[] = [];
  let isSteady = true;
  let total: number | undefined;

  /** Reads a window, and keeps the states of those of its rows that are at the ends of the list. */
  async function read(call: WindowCall): Promise<void> {
    if (call.firstRow >= (total ?? Infinity)) return;
    const states: RecordState[] = [];
    const onRecords: NonNullable<typeof observer.onRecords> = (view, records, missingValues) => {
      if (view === 'list') states.push(...statesOf(resource, bits, records, missingValues));
      observer.onRecords?.(view, records, missingValues);
    };
    const looked = { ...source, wholeListObserver: { ...observer, onRecords } };
    const found = await readWindow(looked, request, call, context);
    if (isPlanFailure(found)) {
      isSteady = false;
      return;
    }
    const told = call.size === Infinity ? states.length : found.rows.total;
    if (windows.length > 0 && told !== undefined && told !== total) isSteady = false;
    total = told ?? total;
    windows.push(found);
    for (const [index, { id, bits: state }] of states.entries()) {
      const row = call.firstRow + index;
      if (row < rows || row >= (total ?? Infinity) - rows) ends.set(id, state);
    }
  }

  const first =
    window.kind === 'sequential' ? [window.first] : isBet ? [window.scanCall(0)] : window.cover(0, rows);
  for (const call of first) await read(call);
  total ??= source.verifications?.wholeTotal;
  if (total !== undefined && window.kind === 'random' && size !== Infinity) {
    const others = isBet ? orderCalls(window, total, drawn) : lastCalls(window, total, rows);
    for (const call of others) await read(call);
  }
  if (isBet && plan.count !== undefined && (await totalOfCount(source, plan.count, context)) !== total)
    isSteady = false;
  const sorted = windows.toSorted((a, b) => a.call.firstRow - b.call.firstRow);
  const inOrder = isBet && isSteady ? sorted.flatMap(({ rows: { records } }) => records) : undefined;
  return { ends, inOrder, calls: context.usage.upstreamCalls };
}
