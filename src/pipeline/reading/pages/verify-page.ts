// Makes extra calls, each about once a minute, that check claims which the rows of a page cannot show: its size, its total, and
// its filters.

import { NO_MATCH_LABEL } from '../../../source/adapter/plan/inverse.ts';
import {
  type ListPlan,
  type PagePlan,
  type CursorPlan,
  firstCall,
} from '../../../source/adapter/plan/plan.ts';
import { contradicted } from '../../../source/checks/claim.ts';
import { brokenFilter } from '../../../source/checks/filter.ts';
import { brokenTotal } from '../../../source/checks/total.ts';
import { type Filter, type ListQuery, filtersKey } from '../../../contract/query.ts';
import type { FieldKind } from '../../../contract/fields.ts';
import type { KnownValue } from '../../../contract/list-value.ts';
import type { Resource } from '../../../contract/resource.ts';
import { Decimal } from '../../../kernel/decimal.ts';
import { allOrAbort } from '../windows/all-or-abort.ts';
import { isPlanFailure, type PlanFailure } from '../windows/plan-failure.ts';
import { checkLastRows, type Page, type PageRange } from './read-page.ts';
import { readWindow } from '../windows/read-window.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';
import { undefinedIfFailed, type Verifications } from '../windows/verifications.ts';

/** A low, a rare and a high number. Each fits into 32 bits as cents. */
const NUMBERS = [new Decimal(-1n, 0), new Decimal(9_876_543n, 0), new Decimal(9_999_999n, 0)] as const;
/** An early, a rare and a late time. Each fits into 32 bits as seconds since 1970. */
const INSTANTS = ['1970-01-02T00:00:00Z', '2037-11-13T07:41:23Z', '2037-12-31T00:00:00Z'] as const;
const DAYS = ['1970-01-02', '2037-11-13', '2037-12-31'] as const;

/** By kind: a low value, one that hardly any record has, and a high one. A boolean and an enum have no such values. */
const EXTREMES: Readonly<Partial<Record<FieldKind, readonly [KnownValue, KnownValue, KnownValue]>>> = {
  integer: NUMBERS,
  decimal: NUMBERS,
  datetime: INSTANTS,
  date: DAYS,
};

/** An id that hardly any record has, with the prefix of another id. */
const absentId = (id: string) => `${/^[a-z][a-z0-9]{0,15}_/.exec(id)?.[0] ?? ''}987654321`;

/** The same filter with a value that hardly any record has; `undefined` if there is no such value. */
function withAbsentValue({ itemFields }: Pick<Resource, 'itemFields'>, filter: Filter): Filter | undefined {
  const { field, op } = filter;
  if (op === 'in') {
    const one = withAbsentValue({ itemFields }, { field, op: 'eq', value: filter.value[0] ?? '' });
    return one && ({ field, op, value: [one.value] } as Filter);
  }
  const kind = itemFields.find(({ name }) => name === field)?.kind ?? 'text';
  if (op === 'eq' && kind === 'text') return { field, op, value: NO_MATCH_LABEL };
  if (op === 'eq' && (kind === 'id' || kind === 'reference'))
    return { field, op, value: absentId(String(filter.value)) };
  // `le` with the low value, `eq` with the rare one, and `ge` with the high one match hardly any record.
  const value = EXTREMES[kind]?.[op === 'eq' ? 1 : op === 'ge' ? 2 : 0];
  return value === undefined ? undefined : ({ field, op, value } as Filter);
}

/** From this part of all rows on, a filtered total is suspicious: perhaps it ignores the filter. */
const NEARLY_ALL = 0.95;

/** Whether a filtered total is nearly the total of the whole list. False if this process does not know the latter. */
export function isNearlyWhole({ verifications }: SourceRuntime, total: number): boolean {
  const whole = verifications?.wholeTotal;
  return whole !== undefined && total > 0 && total >= whole * NEARLY_ALL;
}

/** Filters by a value that no record has. If a row comes, the filter is wrong: perhaps rows without the field match. */
async function verifyFilter(
  source: SourceRuntime,
  query: ListQuery,
  filter: Filter,
  context: CallContext,
): Promise<PlanFailure | undefined> {
  const absent = withAbsentValue(source.resource, filter);
  if (absent === undefined) return undefined;
  const filters = [absent];
  const capability = `filter.${filter.field}.${filter.op}`;
  const plan: ListPlan = source.adapter.list.plan({ ...query, sort: null, filters }, source.claims.disabled);
  if (plan.kind === 'nothing' || !plan.dependsOn.includes(capability)) return undefined;
  const call = firstCall(plan.window, 1);
  if (call === undefined) return undefined;
  // A source may refuse such a value, which proves nothing.
  const window = await undefinedIfFailed(context, () => readWindow(source, plan.request, call, context));
  if (window === undefined || isPlanFailure(window)) return window;
  if (brokenFilter(window.rows.records, filters) !== undefined)
    return contradicted(capability, 'rows come for a value that no record has');
  const isCounted = plan.kind === 'page' && plan.count === undefined && window.rows.total !== undefined;
  return isCounted ? brokenTotal(window, window.rows.total) : undefined;
}

/** A check that takes extra calls, and the name under which its success is remembered. */
type Verification = {
  readonly name: string;
  readonly verify: (context: CallContext) => Promise<PlanFailure | undefined>;
};

function filterVerifications(
  source: SourceRuntime,
  query: ListQuery,
  { filters }: Pick<PagePlan, 'filters'>,
): readonly Verification[] {
  return filters.map((filter) => ({
    name: `filter ${filter.field} ${filter.op}`,
    verify: (context) => verifyFilter(source, query, filter, context),
  }));
}

/** Makes all checks at the same time, except for those that succeeded not long ago. */
async function verifyDue(
  verifications: Verifications,
  all: readonly Verification[],
  context: CallContext,
): Promise<PlanFailure | undefined> {
  const due = all.filter(({ name }) => !verifications.isKnown(name));
  if (due.length === 0) return undefined;
  const found = await allOrAbort(context, (within) =>
    due.map(({ name, verify }) =>
      verifications.once(name, within.signal, (signal) => verify({ ...within, signal })),
    ),
  );
  return isPlanFailure(found) ? found : undefined;
}

/**
 * Checks that the source gives as many rows at once as its file says. If it silently gives fewer, it also counts pages of
 * that size. Then the last page can have the right number of rows, but they are the wrong rows.
 */
function sizeVerification(source: SourceRuntime, { window, request }: PagePlan, total: number): Verification {
  return {
    name: 'size',
    async verify(context) {
      const first = await readWindow(source, request, window.scanCall(0), context);
      return isPlanFailure(first) ? first : brokenTotal(first, total);
    },
  };
}

/**
 * Checks claims that a filtered page depends on but does not show, if there are more pages: the last rows that the total
 * promises must come, and no row may come for a value that no record has. Each claim is checked about once a minute. A
 * total that is nearly that of the whole list is checked for each selection. `undefined`: no claim is contradicted.
 */
export async function verifyPage(
  source: SourceRuntime,
  query: ListQuery,
  plan: PagePlan,
  page: Page & PageRange,
  context: CallContext,
): Promise<PlanFailure | undefined> {
  const { verifications } = source;
  const { total, offset, limit, records } = page;
  if (verifications === undefined || total <= records.length) return undefined;
  const isLastCut = offset > 0 && offset < total && offset + limit > total;
  const isSizeKnown = !isLastCut || !plan.window.shortAtEnd || !plan.window.variables.includes('page');
  const ofSize = isSizeKnown ? [] : [sizeVerification(source, plan, total)];
  // If rows lack fields, each row would need another call, so the filters are not checked.
  if (plan.filters.length === 0 || plan.detailFetch === 'rows')
    return verifyDue(verifications, ofSize, context);
  const isEndSeen = offset + limit >= total;
  const selection = isNearlyWhole(source, total) ? filtersKey(plan.filters) : plan.dependsOn.join(' ');
  const last: Verification = {
    name: `total ${selection}`,
    verify: (within) => checkLastRows(source, plan, total, within),
  };
  const all = [...ofSize, ...(isEndSeen ? [] : [last]), ...filterVerifications(source, query, plan)];
  return verifyDue(verifications, all, context);
}

/** The same for a page that was reached by cursor paging. Its last rows cannot be asked for, so only filters are checked. */
export function verifyWalk(
  source: SourceRuntime,
  query: ListQuery,
  plan: CursorPlan,
  { total, records }: Page,
  context: CallContext,
): Promise<PlanFailure | undefined> {
  const { verifications } = source;
  if (verifications === undefined || total <= records.length) return Promise.resolve(undefined);
  return verifyDue(verifications, filterVerifications(source, query, plan), context);
}
