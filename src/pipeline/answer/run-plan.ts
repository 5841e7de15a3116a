// Runs a plan once: reads its rows from the source, or from a scan cache, and checks them.

import type { ListPlan, CursorPlan } from '../../source/adapter/plan/plan.ts';
import type { ListQuery } from '../../contract/query.ts';
import { createDetailFetch } from '../reading/records/detail-fetch.ts';
import { isPlanFailure, type PlanFailure } from '../reading/windows/plan-failure.ts';
import type { PageAttempt } from '../reading/pages/next-attempt.ts';
import { isWritten, type Page, readPage } from '../reading/pages/read-page.ts';
import type { ScanCaches } from '../scan-cache/scan-caches.ts';
import type { CallContext, SourceRuntime } from '../reading/windows/source-runtime.ts';
import { isNearlyWhole, verifyPage, verifyWalk } from '../reading/pages/verify-page.ts';
import { countInScan, verifyAgainstScan } from '../scan-cache/verify-against-scan.ts';
import type { Walker } from '../reading/pages/walk-page.ts';

/** What runs of plans need. */
export type PlanRunnerDeps = {
  readonly source: SourceRuntime;
  readonly scanCaches: ScanCaches;
  readonly walk: Walker;
  /** How many seconds an answer that was just read may be served. */
  readonly freshSeconds: number;
};

/**
 * Runs a plan once. With `newerThan` (milliseconds since the epoch), a scan cache must be newer. The result is a page, or why
 * there is none. @throws GatewayError
 */
export type RunPlan = (
  query: ListQuery,
  plan: ListPlan,
  context: CallContext,
  newerThan: number | undefined,
) => Promise<PageAttempt>;

/**
 * If a list has fewer records than before, the source may have forgotten the credential and show only public records. So it
 * must prove that it knows the credential. `unknown`: the proof showed nothing; then the former total of a whole list is
 * kept, and the next answer asks for a proof again. `renewed`: the credential was bad and is replaced, so the plan runs again.
 * @throws GatewayError
 */
async function proveFall({ upstream }: SourceRuntime, before: number, total: number) {
  return total < before && upstream.proofs !== undefined ? upstream.proofs.confirm() : 'good';
}

/** Creates the function that runs plans: by page calls, by cursor paging from a checkpoint, or from the rows of a scan. */
export function createPlanRunner({ source, scanCaches, walk, freshSeconds }: PlanRunnerDeps): RunPlan {
  /** A page with the time at which it was read, and the seconds for which it may be served. */
  type Dated = Page & { readonly storedAt: number; readonly freshSeconds: number };

  /** Whether rows must be counted by a scan, because the total may ignore the filters. The budget has to allow a scan. */
  function hasToBeCounted({ filters, window }: CursorPlan, { total, records }: Page): boolean {
    const { rows, calls } = source.budget;
    const fitsBudget = total <= rows && total / window.first.size < calls;
    return filters.length > 0 && total > records.length && fitsBudget && isNearlyWhole(source, total);
  }

  async function readPlan(
    query: ListQuery,
    plan: ListPlan,
    context: CallContext,
    newerThan: number | undefined,
  ): Promise<Dated | PlanFailure> {
    const range = { offset: (query.page - 1) * query.limit, limit: query.limit };
    const storedAt = source.clock.now();
    switch (plan.kind) {
      case 'nothing':
        return { records: [], total: 0, storedAt, freshSeconds };
      case 'page': {
        const page = await readPage(source, plan, range, context);
        if (isPlanFailure(page)) return page;
        const { offset, limit } = range;
        const failure = await verifyPage(source, query, plan, { ...page, offset, limit }, context);
        if (failure !== undefined) return failure;
        const provenSeconds = Math.floor((page.provenMs ?? Infinity) / 1_000);
        return { ...page, storedAt, freshSeconds: Math.min(freshSeconds, provenSeconds) };
      }
      case 'scan': {
        // If this process has the rows of the scan already, no call is needed.
        const near = scanCaches.has(plan) ? undefined : plan.cursorPlan;
        const walked = near && (await walk(near, range, context));
        if (isPlanFailure(walked)) return walked;
        if (near !== undefined && walked !== undefined && !hasToBeCounted(near, walked)) {
          const failure = await verifyWalk(source, query, near, walked, context);
          if (failure !== undefined) return failure;
          const isOlder = walked.storedAt < storedAt;
          return { ...walked, freshSeconds: Math.max(freshSeconds, isOlder ? source.budget.snapshot : 0) };
        }
        const page = await scanCaches.page(plan, range, context, newerThan);
        if (isPlanFailure(page)) return page;
        // A page of a scan cache may be served as long as the scan cache, which can be longer than `cache.fresh`.
        return { ...page, freshSeconds: Math.max(freshSeconds, page.freshSeconds) };
      }
    }
  }

  return async function runPlan(query, plan, call, newerThan) {
    const context = { ...call, isWholeList: query.sort === null && query.filters.length === 0 };
    const detailFetch = plan.kind === 'nothing' ? undefined : plan.detailFetch;
    const finish = detailFetch && createDetailFetch(source, 'page');
    const page = await readPlan(
      query,
      plan,
      detailFetch === 'rows' ? { ...context, finish } : context,
      newerThan,
    );
    if (isPlanFailure(page)) return page;
    const isWhole = query.filters.length === 0;
    const readers = { source, scanCaches, walk };
    const counted = isWhole ? undefined : await countInScan(readers, { query, plan }, context);
    // For a filtered list, the count of matching rows in a cached scan is the total that is compared.
    const before = isWhole ? source.verifications?.wholeTotal : counted?.total;
    const proven = before === undefined ? 'good' : await proveFall(source, before, page.total);
    if (proven === 'renewed') return runPlan(query, plan, context, newerThan);
    if (counted !== undefined)
      await verifyAgainstScan(readers, { plan, total: page.total }, counted, context);
    else if (isWhole && proven === 'good' && source.verifications !== undefined)
      source.verifications.wholeTotal = page.total;
    // Records that are only bytes (written) need no details.
    if (finish === undefined || detailFetch === 'rows' || isWritten(page.records))
      return { ...page, kind: 'page' };
    const records = await finish(page.records, context);
    if (!isPlanFailure(records)) return { ...page, kind: 'page', records };
    return records.kind === 'vanished' ? { ...records, listedAt: page.storedAt } : records;
  };
}
