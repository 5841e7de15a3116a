// Reads a list of a source window by window ("a walk"), for the probes with which `doctor` and `infer` check claims.

import type { Rows } from '../../adapter/compile.ts';
import type { RandomWindow, SequentialWindow, WindowCall } from '../../adapter/plan/window.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { type Ask, callAt, depthOf, type Exchange, hidesRows, type OpenList, sizeOf } from './ask.ts';

/** One window of a walk. */
export type WalkStep = {
  readonly call: WindowCall;
  readonly exchange: Exchange<Rows>;
  readonly rows: Rows;
};

/** Why a walk ended. */
export type WalkEnd =
  | 'empty' // nothing more came
  | 'repeats' // only rows came that had come before
  | 'refused' // the source answered with something that is no window
  | 'bounds'; // there may be more, but no more was asked for

/** The result of a walk: the windows and the records, in the order in which they came. */
export type RowWalk = {
  readonly steps: readonly WalkStep[];
  readonly records: readonly CanonicalRecord[];
  /** The number of rows that came, including rows that are no records, but without rows that came before. */
  readonly received: number;
  /** Whether the last row was seen. */
  readonly complete: boolean;
  readonly end: WalkEnd;
  /** The reply that ended the walk, if `end` is `refused`. */
  readonly refusal: Exchange<Rows> | undefined;
  /** The number of records that had come before, in windows that also had new records. */
  readonly repeated: number;
  /** How long the walk took, in milliseconds. */
  readonly ms: number;
};

/** How many windows keep their body for later probes, besides the last one and those with a blank row. */
const BODIES_KEPT = 3;
const NO_BODY = Buffer.alloc(0);

/** Whether a record has nothing but its id. */
export function isBlank(record: CanonicalRecord): boolean {
  return Object.entries(record).every(([name, value]) => name === 'id' || value === null);
}

function withoutBody({ exchange, ...step }: WalkStep): WalkStep {
  return { ...step, exchange: { ...exchange, reply: { ...exchange.reply, body: NO_BODY } } };
}

/**
 * The limits of a walk. With `goesOn`, each window begins behind the rows that came and not behind the rows that were asked
 * for, as in the gateway's scans without a total.
 */
export type WalkBounds = { readonly callsMax: number; readonly goesOn?: boolean };

type Finish = Pick<RowWalk, 'complete' | 'end'> & { readonly refusal?: Exchange<Rows> };

/** Collects the windows of a walk. */
function createTrail({ spec }: Ask, callsMax: number) {
  const steps: WalkStep[] = [];
  const records: CanonicalRecord[] = [];
  const known = new Set<string>();
  const start = performance.now();
  const until = start + spec.budget.time;
  let calls = 0;
  let repeated = 0;
  let received = 0;
  return {
    records,
    steps,
    /** Whether another call is within all bounds. */
    maySend(): boolean {
      calls += 1;
      return (
        calls <= Math.min(callsMax, spec.budget.calls) &&
        records.length < spec.budget.rows &&
        (calls === 1 || performance.now() < until)
      );
    },
    /** Takes a window; false if all of its rows had come before. */
    take(call: WindowCall, exchange: Exchange<Rows>, rows: Rows): boolean {
      const again = rows.records.filter(({ id }) => known.has(id)).length;
      if (again > 0 && again === rows.records.length) return false;
      repeated += again;
      received += rows.received - again;
      for (const { id } of rows.records) known.add(id);
      records.push(...rows.records);
      const before = steps.length - 1;
      const last = steps[before];
      if (last !== undefined && before >= BODIES_KEPT && !last.rows.records.some(isBlank))
        steps[before] = withoutBody(last);
      steps.push({ call, exchange, rows });
      return true;
    },
    finish: ({ complete, end, refusal }: Finish): RowWalk => ({
      ...{ steps, records, received, complete, end, refusal, repeated, ms: performance.now() - start },
    }),
  };
}

/** Whether it is certain that the last row was seen before the source refused a window. */
function sawAll(steps: readonly WalkStep[], shortAnywhere: boolean): boolean {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return false;
  const { total } = first.rows;
  if (total !== undefined) return steps.reduce((sum, { rows }) => sum + rows.received, 0) >= total;
  return !shortAnywhere && last.rows.received < last.call.size;
}

async function walkNumbered(
  ask: Ask,
  reader: OpenList & { readonly window: RandomWindow },
  { callsMax, goesOn = false }: WalkBounds,
): Promise<RowWalk> {
  const depthMax = depthOf(ask.list);
  const size = Math.min(sizeOf(ask.list), reader.window.scanSize);
  const shortAnywhere = hidesRows(ask.list);
  const trail = createTrail(ask, callsMax);
  let empty = 0;
  let step: number;
  for (let firstRow = 0; firstRow < depthMax && trail.maySend(); firstRow += step) {
    const call = callAt(ask, reader, firstRow, size);
    const exchange = await reader.ask(call);
    if (exchange.value === undefined)
      return trail.finish({
        complete: sawAll(trail.steps, shortAnywhere),
        end: 'refused',
        refusal: exchange,
      });
    const { received } = exchange.value;
    empty = received === 0 ? empty + 1 : 0;
    step = goesOn && !shortAnywhere && ask.list.window.kind === 'offset' ? Math.max(1, received) : size;
    if (empty > (shortAnywhere ? 1 : 0)) return trail.finish({ complete: true, end: 'empty' });
    if (!trail.take(call, exchange, exchange.value)) return trail.finish({ complete: true, end: 'repeats' });
    if (!Number.isFinite(size)) return trail.finish({ complete: true, end: 'empty' });
  }
  return trail.finish({ complete: false, end: 'bounds' });
}

async function walkNamed(
  ask: Ask,
  reader: OpenList & { readonly window: SequentialWindow },
  { callsMax }: WalkBounds,
): Promise<RowWalk> {
  const { window } = reader;
  const trail = createTrail(ask, callsMax);
  let call = window.first;
  while (trail.maySend()) {
    const exchange = await reader.ask(call);
    if (exchange.value === undefined)
      return trail.finish({ complete: false, end: 'refused', refusal: exchange });
    const { next, received } = exchange.value;
    if (!trail.take(call, exchange, exchange.value)) return trail.finish({ complete: false, end: 'repeats' });
    if (next === undefined) return trail.finish({ complete: true, end: 'empty' });
    call = window.after(call, next, received);
  }
  return trail.finish({ complete: false, end: 'bounds' });
}

/**
 * Reads rows from the first one on, and asks beyond the end that the source names.
 * @throws SourceUnreachable, SessionBudgetSpent
 */
export function walkRows(ask: Ask, reader: OpenList, bounds: WalkBounds): Promise<RowWalk> {
  const { window } = reader;
  return window.kind === 'random'
    ? walkNumbered(ask, { ...reader, window }, bounds)
    : walkNamed(ask, { ...reader, window }, bounds);
}

/** Reads all rows once more, with at most two calls more than before; `undefined` if the list cannot be opened. */
export async function walkAgain(ask: Ask, { steps }: Pick<RowWalk, 'steps'>): Promise<RowWalk | undefined> {
  const reader = ask.open({});
  return reader && walkRows(ask, reader, { callsMax: steps.length + 2 });
}

/** Whether every row became a record, so that the position of a record is the number of its row. */
export function isDense({ received, records, repeated }: RowWalk): boolean {
  return received === records.length - repeated;
}
