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
import type { Filter, ListQuery } from '../../../contract/query.ts';
import type { FieldKind } from '../../../contract/fields.ts';
import type { KnownValue } from '../../../contract/list-value.ts';
import { filtersKey } from '../../../contract/query-key.ts';
import type { Resource } from '../../../contract/resource.ts';
import { Decimal } from '../../../kernel/decimal.ts';
import { allOrAbort } from '../windows/all-or-abort.ts';
import { isPlanFailure, type PlanFailure } from '../windows/plan-failure.ts';
import { checkLastRows, type Page, type PageRange } from './read-page.ts';
import { readWindow } from '../windows/read-window.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';
import { undefinedIfFailed } from '../windows/verifications.ts';
import type { Verifications } from '../windows/verifications.ts';

/** Numbers that fit 32 bits in cents. */
const NUMBERS = [new Decimal(-1n, 0), new Decimal(9_876_543n, 0), new Decimal(9_999_999n, 0)] as const;
/** Times that fit 32 bits in seconds since 1970. */
const INSTANTS = ['1970-01-02T00:00:00Z', '2037-11-13T07:41:23Z', '2037-12-31T00:00:00Z'] as const;
const DAYS = ['1970-01-02', '2037-11-13', '2037-12-31'] as const;

/** For each kind a low value, one that hardly any record has, and a high one; a boolean and an enum have no such value. */
const ABSENT: Readonly<Partial<Record<FieldKind, readonly [KnownValue, KnownValue, KnownValue]>>> = {
  integer: NUMBERS,
  decimal: NUMBERS,
  datetime: INSTANTS,
  date: DAYS,
};

/** The id of a record that hardly exists, under the prefix of another one. */
const absentId = (id: string) => `${/^[a-z][a-z0-9]{0,15}_/.exec(id)?.[0] ?? ''}987654321`;

/** The same filter with a value that no record is likely to have, harmless in a request; `undefined` if there is none. */
function withAbsentValue({ itemFields }: Resource, filter: Filter): Filter | undefined {
  const { field, op } = filter;
  const kind = itemFields.find(({ name }) => name === field)?.kind ?? 'text';
  if (op === 'eq' && kind === 'text') return { field, op, value: NO_MATCH_LABEL };
  if (op === 'eq' && (kind === 'id' || kind === 'reference'))
    return { field, op, value: absentId(String(filter.value)) };
  const value = ABSENT[kind]?.[op === 'eq' ? 1 : op === 'ge' ? 2 : 0];
  return value === undefined ? undefined : ({ field, op, value } as Filter);
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
): Promise<PlanFailure | undefined> {
  const absent = withAbsentValue(source.resource, filter);
  if (absent === undefined) return undefined;
  const filters = [absent];
  const capability = `filter.${filter.field}.${filter.op}`;
  const plan: ListPlan = source.adapter.list.plan({ ...query, sort: null, filters }, source.claims.disabled);
  if (plan.kind === 'nothing' || !plan.dependsOn.includes(capability)) return undefined;
  const call = firstCall(plan.window, 1);
  if (call === undefined) return undefined;
  // A source may refuse such a value.
  const window = await undefinedIfFailed(context, () => readWindow(source, plan.request, call, context));
  if (window === undefined || isPlanFailure(window)) return window;
  if (brokenFilter(window.rows.records, filters) !== undefined)
    return contradicted(capability, 'rows come for a value that no record has');
  const isCounted = plan.kind === 'page' && plan.count === undefined && window.rows.total !== undefined;
  return isCounted ? brokenTotal(window, window.rows.total) : undefined;
}

/** What can be verified with calls that no answer needs, by a name. */
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

/** Verifies all of these at the same time, but those that were verified not long ago. */
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
 * Whether the source gives as many rows at once as its file says. If it gives fewer in silence, it counts pages of its
 * own size, and the last page may have as many rows as the total leaves for it, but others.
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
 * Verifies what a filtered page rests on and does not show, if rows of it are on other pages: that the last rows come
 * which the total promises, and that no row comes for a value that no record has. Each claim is looked at once in a while,
 * and a total that is nearly that of the whole list with each selection. The last page by its number shows no size.
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
  // Rows that lack fields cannot be judged without a call each.
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

/** The same for a page that was walked to, whose last rows cannot be asked for. */
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
