import { brokenFilter, hasDuplicates } from '../adapter/order.ts';
import type { ScanPlan } from '../adapter/plan.ts';
import type { CanonicalRecord } from '../contract/document.ts';
import { fault, type GatewayError } from '../errors/fault.ts';
import { checkWindow, readWindow } from './read-window.ts';
import { Contradiction, type Errand, Moved, type SourceRuntime } from './source-runtime.ts';

/** Calls a scan has under way at once; fewer than a source's concurrency, so that callers get through. */
const WALKERS = 3;

function overBudget(what: string): GatewayError {
  return fault('scan_limit_exceeded', {
    detail: `a scan would need more ${what} than the source's budget allows`,
  });
}

/** Reads the windows `1 … count-1` with a few walkers; the first failure stops them all. */
async function walk(
  count: number,
  errand: Errand,
  read: (index: number, errand: Errand) => Promise<readonly CanonicalRecord[]>,
) {
  const pages: (readonly CanonicalRecord[])[] = new Array<readonly CanonicalRecord[]>(count).fill([]);
  const failed = new AbortController();
  const within = { ...errand, signal: AbortSignal.any([errand.signal, failed.signal]) };
  let next = 1;
  async function walker(): Promise<void> {
    while (next < count) {
      const index = next;
      next += 1;
      pages[index] = await read(index, within);
    }
  }
  try {
    await Promise.all(Array.from({ length: WALKERS }, walker));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
  return pages.flat();
}

/** A scan where the source says how many rows there are: every window must then be full. */
async function scanByTotal(
  source: SourceRuntime,
  plan: ScanPlan,
  total: number,
  errand: Errand,
): Promise<readonly CanonicalRecord[]> {
  const count = Math.ceil(total / plan.window.scanSize);
  if (count > source.budget.calls) throw overBudget('calls');
  return walk(count, errand, async (index, within) => {
    const window = await readWindow(source, plan.target, plan.window.scanCall(index), within);
    checkWindow(window, total);
    return window.rows.records;
  });
}

/** A scan without a total: a short window need not be the last, so it goes on to the first empty one. */
async function scanToEnd(
  source: SourceRuntime,
  plan: ScanPlan,
  read: number,
  errand: Errand,
): Promise<readonly CanonicalRecord[]> {
  const records: CanonicalRecord[] = [];
  for (let index = 1; ; index += 1) {
    if (index >= source.budget.calls) throw overBudget('calls');
    const { rows } = await readWindow(source, plan.target, plan.window.scanCall(index), errand);
    if (rows.received === 0) return records;
    records.push(...rows.records);
    if (read + records.length > source.budget.rows) throw overBudget('rows');
  }
}

/** Reads every row that the plan's pushed filters leave. @throws GatewayError, Contradiction, Moved */
async function scanOnce(
  source: SourceRuntime,
  plan: ScanPlan,
  errand: Errand,
): Promise<readonly CanonicalRecord[]> {
  const first = await readWindow(source, plan.target, plan.window.scanCall(0), errand);
  const { total, received } = first.rows;
  if ((total ?? received) > source.budget.rows) throw overBudget('rows');
  if (total !== undefined) checkWindow(first, total);
  const done = !Number.isFinite(plan.window.scanSize) || received === 0;
  const others = done
    ? []
    : total === undefined
      ? await scanToEnd(source, plan, received, errand)
      : await scanByTotal(source, plan, total, errand);
  const records = [...first.rows.records, ...others];
  if (hasDuplicates(records)) throw new Moved('a record came twice in one walk');
  const filter = brokenFilter(records, plan.pushedFilters);
  if (filter !== undefined) throw new Contradiction(filter);
  return records;
}

/**
 * Scans within the source's budget of time.
 * @throws GatewayError `scan_limit_exceeded` over budget; Contradiction, Moved
 */
export async function scan(
  source: SourceRuntime,
  plan: ScanPlan,
  errand: Errand,
): Promise<readonly CanonicalRecord[]> {
  const deadline = AbortSignal.timeout(source.budget.time);
  try {
    return await scanOnce(source, plan, { ...errand, signal: AbortSignal.any([errand.signal, deadline]) });
  } catch (error) {
    if (deadline.aborted && !errand.signal.aborted) throw overBudget('time');
    throw error;
  }
}
