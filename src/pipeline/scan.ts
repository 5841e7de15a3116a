import { brokenFilter, hasDuplicates } from '../adapter/order.ts';
import type { ScanPlan } from '../adapter/plan.ts';
import type { RandomWindow, SequentialWindow, WindowCall } from '../adapter/window.ts';
import type { CanonicalRecord } from '../contract/document.ts';
import { fault, type GatewayError } from '../errors/fault.ts';
import { checkWindow, readWindow, type WindowRows } from './read-window.ts';
import { Contradiction, type Errand, Moved, type SourceRuntime } from './source-runtime.ts';

/** Calls a scan has under way at once; fewer than a source's concurrency, so that callers get through. */
const WALKERS = 3;

function overBudget(what: string): GatewayError {
  return fault('scan_limit_exceeded', {
    detail: `a scan would need more ${what} than the source's budget allows`,
  });
}

function outOfReach(): GatewayError {
  return fault('scan_limit_exceeded', { detail: 'there are more rows than the source lets be reached' });
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

type Records = readonly CanonicalRecord[];

/** The windows behind the first where the source says how many rows there are: each must then be full. */
async function scanByTotal(
  source: SourceRuntime,
  plan: ScanPlan,
  { window, total }: { window: RandomWindow; total: number },
  errand: Errand,
): Promise<Records> {
  const count = Math.ceil(total / window.scanSize);
  if (count > source.budget.calls) throw overBudget('calls');
  return walk(count, errand, async (index, within) => {
    const rows = await readWindow(source, plan.request, window.scanCall(index), within);
    checkWindow(rows, total);
    return rows.rows.records;
  });
}

/** The windows behind the first, one after the other, until `next` knows no more. */
async function scanOn(
  source: SourceRuntime,
  plan: ScanPlan,
  first: WindowRows,
  next: (last: WindowRows, index: number) => WindowCall | undefined,
  errand: Errand,
): Promise<Records> {
  const records: CanonicalRecord[] = [];
  let last = first;
  for (let index = 1; ; index += 1) {
    const call = next(last, index);
    if (call === undefined) return records;
    if (index >= source.budget.calls) throw overBudget('calls');
    last = await readWindow(source, plan.request, call, errand);
    records.push(...last.rows.records);
    if (first.rows.received + records.length > source.budget.rows) throw overBudget('rows');
  }
}

/** The next window of a source that tells no total: a short window need not be the last, an empty one is. */
function nextByNumber(window: RandomWindow, shortAtEnd: boolean) {
  let short = false;
  return ({ rows }: WindowRows, index: number): WindowCall | undefined => {
    if (rows.received === 0) return undefined;
    // Where only the end is short, rows behind a short window mean that the source gives less than it is asked for.
    if (index * window.scanSize >= window.depthMax) throw outOfReach();
    if (short && shortAtEnd) throw new Moved('a short window stands before others');
    short = rows.received < window.scanSize;
    return window.scanCall(index);
  };
}

/** The next window of a source that names it. The same name twice would never end. */
function nextByName(window: SequentialWindow) {
  const seen = new Set<string>();
  return ({ call, rows }: WindowRows): WindowCall | undefined => {
    if (rows.next === undefined) return undefined;
    if (seen.has(rows.next)) {
      throw fault('upstream_invalid_response', { detail: 'the source names the same next window twice' });
    }
    seen.add(rows.next);
    return window.after(call, rows.next, rows.received);
  };
}

async function scanOthers(
  source: SourceRuntime,
  plan: ScanPlan,
  first: WindowRows,
  errand: Errand,
): Promise<Records> {
  const { window } = plan;
  if (window.kind === 'sequential') return scanOn(source, plan, first, nextByName(window), errand);
  if (!Number.isFinite(window.scanSize) || first.rows.received === 0) return [];
  const { total } = first.rows;
  if (total === undefined || !plan.totalCounts) {
    return scanOn(source, plan, first, nextByNumber(window, window.shortAtEnd), errand);
  }
  checkWindow(first, total);
  return scanByTotal(source, plan, { window, total }, errand);
}

/** Reads every row that the plan's pushed filters leave. @throws GatewayError, Contradiction, Moved */
async function scanOnce(source: SourceRuntime, plan: ScanPlan, errand: Errand): Promise<Records> {
  const { window } = plan;
  const call = window.kind === 'sequential' ? window.first : window.scanCall(0);
  const first = await readWindow(source, plan.request, call, errand);
  const expected = plan.totalCounts ? (first.rows.total ?? 0) : 0;
  if (Math.max(expected, first.rows.received) > source.budget.rows) throw overBudget('rows');
  if (window.kind === 'random' && expected > window.depthMax) throw outOfReach();
  const records = [...first.rows.records, ...(await scanOthers(source, plan, first, errand))];
  if (hasDuplicates(records)) throw new Moved('a record came twice in one walk');
  const filter = brokenFilter(records, plan.pushedFilters);
  if (filter !== undefined) throw new Contradiction(filter);
  return records;
}

/**
 * Scans within the source's budget of time.
 * @throws GatewayError `scan_limit_exceeded` over budget; Contradiction, Moved
 */
export async function scan(source: SourceRuntime, plan: ScanPlan, errand: Errand): Promise<Records> {
  const deadline = AbortSignal.timeout(source.budget.time);
  try {
    return await scanOnce(source, plan, { ...errand, signal: AbortSignal.any([errand.signal, deadline]) });
  } catch (error) {
    if (deadline.aborted && !errand.signal.aborted) throw overBudget('time');
    throw error;
  }
}
