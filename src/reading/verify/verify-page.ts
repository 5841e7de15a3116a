import type { ListPlan, PagePlan, WalkPlan } from '../../adapter/plan/plan.ts';
import { contradicted } from '../../claims/claim.ts';
import { brokenFilter } from '../../claims/filter.ts';
import { brokenTotal } from '../../claims/total.ts';
import type { Filter, ListQuery } from '../../contract/query.ts';
import { filtersKey } from '../../contract/query-key.ts';
import { GatewayError } from '../../errors/fault.ts';
import { Decimal } from '../../kernel/decimal.ts';
import { allOrAbort } from '../all-or-abort.ts';
import { isMismatch, type Mismatch } from '../mismatch.ts';
import { checkLastRows, type Page, type PageRange } from '../read-page.ts';
import { readWindow } from '../read-window.ts';
import type { CallContext, SourceRuntime } from '../source-runtime.ts';

/** The same filter with a value that no record is likely to have, harmless in a request: in cents it fits 32 bits. */
function withAbsentValue(filter: Filter): Filter {
  if (filter.op === 'eq') return { ...filter, value: 'none-7f3a9c' };
  return { ...filter, value: filter.op === 'ge' ? new Decimal(9_999_999n, 0) : new Decimal(-1n, 0) };
}

/** Few selections have nearly all rows; a total that counts nearly all rows may not count the filter. */
const NEARLY_ALL = 0.95;

/** Whether a filtered total is nearly that of the whole list, as far as this process knows the latter. */
export function isNearlyWhole({ verifications }: SourceRuntime, total: number): boolean {
  const whole = verifications?.wholeTotal;
  return whole !== undefined && total > 0 && total >= whole * NEARLY_ALL;
}

/** Whether the source has a row for a value that no record has: some let rows without the field match every value. */
async function verifyFilter(
  source: SourceRuntime,
  query: ListQuery,
  filter: Filter,
  context: CallContext,
): Promise<Mismatch | undefined> {
  const filters = [withAbsentValue(filter)];
  const capability = `filter.${filter.field}.${filter.op}`;
  const plan: ListPlan = source.adapter.list.plan({ ...query, sort: null, filters }, source.claims.fallen);
  if (plan.kind === 'nothing' || !plan.relies.includes(capability)) return undefined;
  const [call] = plan.window.kind === 'sequential' ? [plan.window.first] : plan.window.cover(0, 1);
  if (call === undefined) return undefined;
  const window = await readWindow(source, plan.request, call, context).catch((error: unknown) => {
    // A source may refuse such a value: that shows nothing.
    if (error instanceof GatewayError && !context.signal.aborted) return undefined;
    throw error;
  });
  if (window === undefined || isMismatch(window)) return window;
  if (brokenFilter(window.rows.records, filters) !== undefined)
    return contradicted(capability, 'rows come for a value that no record has');
  const isCounted = plan.kind === 'page' && plan.count === undefined && window.rows.total !== undefined;
  return isCounted ? brokenTotal(window, window.rows.total) : undefined;
}

/** Verifies each filter of a plan, once in a while. */
function verifyFilters(
  source: SourceRuntime,
  query: ListQuery,
  { filters }: Pick<PagePlan, 'filters'>,
  context: CallContext,
): readonly Promise<Mismatch | undefined>[] {
  return filters.map(async (filter) =>
    source.verifications?.once(`filter ${filter.field} ${filter.op}`, context.signal, (signal) =>
      verifyFilter(source, query, filter, { ...context, signal }),
    ),
  );
}

async function firstMismatch(
  context: CallContext,
  start: (within: CallContext) => readonly Promise<Mismatch | undefined>[],
): Promise<Mismatch | undefined> {
  const found = await allOrAbort(context, start);
  return isMismatch(found) ? found : undefined;
}

/**
 * Verifies what a filtered page rests on and does not show, where rows of it are on other pages: that the last rows come
 * which the total promises, and that no row comes for a value that no record has. Each claim is looked at once in a while,
 * and a total that is nearly that of the whole list with each selection.
 */
export async function verifyPage(
  source: SourceRuntime,
  query: ListQuery,
  plan: PagePlan,
  page: Page & PageRange,
  context: CallContext,
): Promise<Mismatch | undefined> {
  const { verifications } = source;
  const { total, offset, limit, records } = page;
  if (verifications === undefined || plan.filters.length === 0 || total <= records.length) return undefined;
  // Rows that lack fields cannot be judged without a call each.
  if (plan.hydrates === 'rows') return undefined;
  const isEndSeen = offset + limit >= total;
  const selection = isNearlyWhole(source, total) ? filtersKey(plan.filters) : plan.relies.join(' ');
  return firstMismatch(context, (within) => [
    ...(isEndSeen
      ? []
      : [
          verifications.once(`total ${selection}`, within.signal, (signal) =>
            checkLastRows(source, plan, total, { ...within, signal }),
          ),
        ]),
    ...verifyFilters(source, query, plan, within),
  ]);
}

/** The same for a page that was walked to, whose last rows cannot be asked for. */
export function verifyWalk(
  source: SourceRuntime,
  query: ListQuery,
  plan: WalkPlan,
  { total, records }: Page,
  context: CallContext,
): Promise<Mismatch | undefined> {
  if (source.verifications === undefined || total <= records.length) return Promise.resolve(undefined);
  return firstMismatch(context, (within) => verifyFilters(source, query, plan, within));
}
