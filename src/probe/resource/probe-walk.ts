import type { Rows } from '../../adapter/compile.ts';
import type { RandomWindow, SequentialWindow, WindowCall } from '../../adapter/plan/window.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { callAt, type ProbeSession, type ProbedList } from './probe-session.ts';
import type { SessionExchange } from '../session/source-session.ts';
import { depthOf, hidesRows } from './source-variant.ts';

/** One window of a walk. */
export type WalkStep = {
  readonly call: WindowCall;
  readonly exchange: SessionExchange<Rows>;
  readonly rows: Rows;
};

/** How a walk ended. */
export type WalkEnd =
  | 'empty' // nothing more came
  | 'repeats' // only rows came that had come before
  | 'refused' // the source answered with something that is no window
  | 'bounds'; // there may be more, but no more was asked for

/** Rows as they came, first to last. */
export type ProbeWalk = {
  readonly steps: readonly WalkStep[];
  readonly records: readonly CanonicalRecord[];
  /** Rows that came, with those that are no records, without those that came before. */
  readonly received: number;
  /** Whether the last row was seen. */
  readonly complete: boolean;
  readonly end: WalkEnd;
  /** The reply that ended it, where that was no window. */
  readonly refusal: SessionExchange<Rows> | undefined;
  /** Records that came more than once, and were not all there was in their window. */
  readonly repeated: number;
};

/** Windows whose bodies are kept for later probes. */
const BODIES_KEPT = 3;
const NO_BODY = Buffer.alloc(0);

/** How far a walk may go. */
export type WalkBounds = { readonly size: number; readonly callsMax: number };

type Finish = Pick<ProbeWalk, 'complete' | 'end'> & { readonly refusal?: SessionExchange<Rows> };

/** Collects the windows of a walk. */
function createTrail({ spec }: ProbeSession, callsMax: number) {
  const steps: WalkStep[] = [];
  const records: CanonicalRecord[] = [];
  const known = new Set<string>();
  const until = performance.now() + spec.budget.time;
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
    /** Takes a window; false where all of its rows had come before. */
    take(call: WindowCall, exchange: SessionExchange<Rows>, rows: Rows): boolean {
      const again = rows.records.filter(({ id }) => known.has(id)).length;
      if (again > 0 && again === rows.records.length) return false;
      repeated += again;
      received += rows.received - again;
      for (const { id } of rows.records) known.add(id);
      records.push(...rows.records);
      const kept = steps.length < BODIES_KEPT ? exchange.reply : { ...exchange.reply, body: NO_BODY };
      steps.push({ call, exchange: { ...exchange, reply: kept }, rows });
      return true;
    },
    finish: ({ complete, end, refusal }: Finish): ProbeWalk => ({
      ...{ steps, records, received, complete, end, refusal, repeated },
    }),
  };
}

/** Whether a refusal comes where the last row is known to have been seen. */
function sawAll(steps: readonly WalkStep[], shortAnywhere: boolean): boolean {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return false;
  const { total } = first.rows;
  if (total !== undefined) return steps.reduce((sum, { rows }) => sum + rows.received, 0) >= total;
  return !shortAnywhere && last.rows.received < last.call.size;
}

async function walkNumbered(
  session: ProbeSession,
  reader: ProbedList & { readonly window: RandomWindow },
  { size, callsMax }: WalkBounds,
): Promise<ProbeWalk> {
  const depthMax = depthOf(session.list);
  const shortAnywhere = hidesRows(session.list);
  const trail = createTrail(session, callsMax);
  let empty = 0;
  for (let firstRow = 0; firstRow < depthMax && trail.maySend(); firstRow += size) {
    const call = callAt(session, reader, firstRow, size);
    const exchange = await reader.ask(call);
    if (exchange.value === undefined)
      return trail.finish({
        complete: sawAll(trail.steps, shortAnywhere),
        end: 'refused',
        refusal: exchange,
      });
    empty = exchange.value.received === 0 ? empty + 1 : 0;
    if (empty > (shortAnywhere ? 1 : 0)) return trail.finish({ complete: true, end: 'empty' });
    if (!trail.take(call, exchange, exchange.value)) return trail.finish({ complete: true, end: 'repeats' });
    if (!Number.isFinite(size)) return trail.finish({ complete: true, end: 'empty' });
  }
  return trail.finish({ complete: false, end: 'bounds' });
}

async function walkNamed(
  session: ProbeSession,
  reader: ProbedList & { readonly window: SequentialWindow },
  { callsMax }: WalkBounds,
): Promise<ProbeWalk> {
  const { window } = reader;
  const trail = createTrail(session, callsMax);
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
 * Reads rows from the first on, and past what the source says is the end.
 * @throws SourceUnreachable, SessionBudgetSpent
 */
export function walkRows(session: ProbeSession, reader: ProbedList, bounds: WalkBounds): Promise<ProbeWalk> {
  const { window } = reader;
  return window.kind === 'random'
    ? walkNumbered(session, { ...reader, window }, bounds)
    : walkNamed(session, { ...reader, window }, bounds);
}

/** Whether records stand at the numbers of their rows, because no row was left out. */
export function isDense({ received, records, repeated }: ProbeWalk): boolean {
  return received === records.length - repeated;
}
