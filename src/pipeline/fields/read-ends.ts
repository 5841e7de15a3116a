import type { RandomWindow, WindowCall } from '../../adapter/plan/window.ts';
import { isPlanFailure } from '../../reading/plan-failure.ts';
import { readWindow } from '../../reading/read-window.ts';
import type { CallContext, SourceRuntime } from '../../reading/source-runtime.ts';
import { type FieldBit, type RecordState, statesOf } from './field-states.ts';

/** The first and the last rows of a list, and what reading them took. */
export type ListEnds = { readonly states: ReadonlyMap<string, number>; readonly calls: number };

/** Rows at each end: one window, so that new rows change the share slowly, or a few windows where they are small. */
const ROWS = 100;
const SMALL_WINDOW = 50;
const ROWS_OF_SMALL_WINDOWS = 30;

/** The calls that cover the last rows. One that covers most of them is enough. */
function lastCalls(window: RandomWindow, total: number, rows: number): readonly WindowCall[] {
  const end = Math.min(total, window.depthMax);
  if (end < total || end <= rows) return [];
  const calls = window.cover(end - rows, rows);
  const last = calls.at(-1);
  return last !== undefined && end - last.firstRow >= rows / 2 ? [last] : calls;
}

/**
 * Reads the first and the last rows of the list as it is. They are the same rows from look to look, while pages that
 * callers read may be any. `undefined`: there is none to read. @throws GatewayError
 */
export async function readEnds(
  source: SourceRuntime,
  bits: readonly FieldBit[],
  { signal }: Pick<CallContext, 'signal'>,
): Promise<ListEnds | undefined> {
  const { adapter, resource, claims, wholeListObserver: observer = source.observer } = source;
  const query = { kind: 'list', resource: resource.name, page: 1, limit: ROWS, filters: [] } as const;
  const plan = adapter.list.plan({ ...query, sort: null }, claims.fallen);
  if (plan.kind === 'nothing') return undefined;
  const { window, request } = plan;
  const size = window.kind === 'random' ? window.scanSize : window.first.size;
  const rows = size < SMALL_WINDOW ? ROWS_OF_SMALL_WINDOWS : Math.min(size, ROWS);
  const context: CallContext = {
    ...{ signal, priority: 'scan', isWholeList: true },
    usage: { upstreamCalls: 0, upstreamMs: 0 },
  };
  const ends = new Map<string, number>();

  /** Keeps the states of a window's rows at the ends of the list. */
  async function read(call: WindowCall, known: number | undefined): Promise<number | undefined> {
    const states: RecordState[] = [];
    const onRecords: NonNullable<typeof observer.onRecords> = (view, records, gaps) => {
      if (view === 'list') states.push(...statesOf(bits, records, gaps));
      observer.onRecords?.(view, records, gaps);
    };
    const looked = { ...source, wholeListObserver: { ...observer, onRecords } };
    const read = await readWindow(looked, request, call, context);
    if (isPlanFailure(read)) return undefined;
    const total = known ?? (call.size === Infinity ? states.length : read.rows.total);
    for (const [index, { id, bits: state }] of states.entries()) {
      const row = call.firstRow + index;
      if (row < rows || row >= (total ?? Infinity) - rows) ends.set(id, state);
    }
    return total;
  }

  const first = window.kind === 'random' ? window.cover(0, rows) : [window.first];
  let total: number | undefined;
  for (const call of first)
    if (call.firstRow < (total ?? Infinity)) total = (await read(call, undefined)) ?? total;
  total ??= source.verifications?.wholeTotal;
  const isAll = total === undefined || window.kind === 'sequential' || size === Infinity;
  const last = isAll ? [] : lastCalls(window, total ?? 0, rows);
  for (const call of last) await read(call, total);
  return { states: ends, calls: first.length + last.length };
}
