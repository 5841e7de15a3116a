// Decides for each query of a list whether the source answers it page by page, or Portico scans the list.

import type { ListSpec, SourceResourceSpec } from '../../../config/schema/source.ts';
import type { ListQuery, Sort } from '../../../contract/query.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { IdCodec } from '../map/native-id.ts';
import { countsByDetails, detailFields, dropsDetails, rowFields, wholeMapping } from '../map/row-fields.ts';
import { checkVariables, namesOf } from '../request/check-variables.ts';
import { type Combined, compileCombine } from '../request/combine-parts.ts';
import { compileRequest } from '../request/request.ts';
import type { SpecLocation } from '../spec/spec-location.ts';
import { checkParameterConflicts } from './check-parameter-conflicts.ts';
import { compileFixedFields } from './fixed-fields.ts';
import { asksByOwnSort } from './order-bet.ts';
import type {
  DetailFetch,
  ListPlan,
  PagePlan,
  Planner,
  ScanPlan,
  CursorPlan,
  WindowRequest,
} from './plan.ts';
import type { Capability } from '../spec/capability.ts';
import { compileFilters, compileSorts, naturalOrder, type SortPush } from './push-down.ts';
import { type Split, splitFilters } from './split-filters.ts';
import { SEQUENTIAL_WINDOWS, whyScan } from './why-scan.ts';
import { compileWindow, type Window } from './window.ts';

const FILTER_VARIABLES = ['filter', 'filters'];
const SORT_VARIABLES = ['sort', 'sorts'];
const DIRECTIONS = ['ascending', 'descending'];
const BY_ID: Sort = { field: 'id', descending: false };
const NOTHING_PLAN: ListPlan = { kind: 'nothing' };

/** A query, split into what the source does and what is left to the gateway. */
type SplitQuery = {
  readonly split: Split;
  /** The order of the answer; `null` for the order of the source. */
  readonly sort: Sort | null;
  readonly pushedSort: SortPush | undefined;
  readonly detailFetch: DetailFetch;
  /** Claims that the plan must not use, because replies contradicted them. */
  readonly off: ReadonlySet<Capability>;
  /** The request of a scan: with the pushed filters, without the sort. */
  readonly unsorted: Combined;
  /** The request of a page: with the pushed filters and the pushed sort; `undefined` if the source does not sort. */
  readonly sorted: Combined | undefined;
};

/** Compiles what builds the requests of a list: for windows of rows, and for their number. */
function compileRequests({ request, total, filters }: ListSpec, window: Window, here: SpecLocation) {
  const names = namesOf(filters);
  const usual = [...window.variables, ...FILTER_VARIABLES, ...SORT_VARIABLES];
  const render = compileRequest(request, [...usual, ...names], here.at('request'));
  const renderCount =
    total?.count && compileRequest(total.count, [...FILTER_VARIABLES, ...names], here.at('total', 'count'));
  return {
    windows({ variables, query, path }: Combined): WindowRequest {
      return (call) => {
        const parts = call.query === undefined ? query : [...query, ...call.query];
        const made = render({ ...call.variables, ...variables }, parts, path);
        // A link is the whole target of the next request.
        return call.target === undefined ? made : { ...made, target: call.target };
      };
    },
    count: ({ variables, query }: Combined) => renderCount?.(variables, query),
  };
}

/** Compiles the choice of the pushed sort; `undefined` if the source does not sort as a query wants. */
function compileSortPush(list: ListSpec, resource: Resource, here: SpecLocation) {
  const { order } = list;
  const sorts = compileSorts(list, resource, here);
  const asksById = asksByOwnSort(list);
  return (sort: Sort | null, off: ReadonlySet<Capability>): SortPush | undefined => {
    const isNatural =
      sort === null ? order !== 'unknown' : order === 'id' && sort.field === 'id' && !sort.descending;
    if (isNatural && !asksById && !off.has('order')) return naturalOrder();
    // If the source declares no order of its own, the contract's default applies: ascending id.
    const wanted = sort ?? BY_ID;
    // A source compares in one way for both directions. If one direction is disabled, the other is not used either.
    const isBroken =
      off.size > 0 && DIRECTIONS.some((direction) => off.has(`sort.${wanted.field}.${direction}`));
    return isBroken
      ? undefined
      : sorts.get(`${wanted.field}.${wanted.descending ? 'descending' : 'ascending'}`);
  };
}

/** Compiles the choice of the rows whose details are fetched. */
function compileDetailFetch(spec: SourceResourceSpec, resource: Resource): (query: ListQuery) => DetailFetch {
  const lacking = new Set(detailFields(spec, resource).map(({ name }) => name));
  if (lacking.size === 0) return () => undefined;
  if (countsByDetails(spec, resource)) return () => 'rows';
  return ({ filters, sort }) => {
    const isLacking =
      filters.some(({ field }) => lacking.has(field)) || (sort !== null && lacking.has(sort.field));
    return isLacking ? 'rows' : 'page';
  };
}

/** Whether rows have fixed positions in the list: every row is a record, and all windows except the last are full. */
function hasPositions(spec: SourceResourceSpec): boolean {
  const { list, onInvalidRecord } = spec;
  const isFull = 'checkpoints' in list.window && list.window.checkpoints === true;
  return isFull && list.dropWhen.length === 0 && !dropsDetails(spec) && onInvalidRecord === 'fail';
}

/** Compiles the plans of a split query, one function per kind. */
function compilePlans(
  spec: SourceResourceSpec,
  window: Window,
  requests: ReturnType<typeof compileRequests>,
  whole: WindowRequest,
) {
  const { list } = spec;
  const hidesRows = 'shortPage' in list.window && list.window.shortPage === 'anywhere';
  const hasCheckpoints = hasPositions(spec);
  // If the source itself names the next window or the end, a short window is not the end.
  const endsItself = ['cursor', 'link', 'continue', 'none'].includes(list.window.kind);

  /** The part of a query that the source answers itself: filters, order and total. */
  function answered({ split: { pushed }, unsorted, sort, pushedSort }: SplitQuery) {
    const capabilities = pushed.map(({ push }) => push.capability);
    return {
      count: requests.count(unsorted),
      filters: pushed.map(({ filter }) => filter),
      sort,
      dependsOn: pushedSort === undefined ? capabilities : [...capabilities, pushedSort.capability],
    };
  }

  function page(query: SplitQuery): PagePlan | undefined {
    const { sorted, detailFetch } = query;
    if (sorted === undefined || window.kind !== 'random') return undefined;
    return { ...answered(query), kind: 'page', request: requests.windows(sorted), window, detailFetch };
  }

  function cursorPlanOf(query: SplitQuery): CursorPlan | undefined {
    const { sorted, off } = query;
    if (sorted === undefined || window.kind !== 'sequential' || !hasCheckpoints || off.has('window'))
      return undefined;
    const key = JSON.stringify(['cursor', sorted.path, sorted.query, sorted.variables]);
    return { ...answered(query), request: requests.windows(sorted), window, key };
  }

  function scan(query: SplitQuery, reason: string | undefined): ScanPlan {
    const { split, unsorted, sort, detailFetch, off } = query;
    const { pushed, residual } = split;
    const { path, query: parts, variables } = unsorted;
    const hasTotal =
      !hidesRows && list.dropWhen.length === 0 && (list.total?.counts !== 'all' || pushed.length === 0);
    const totalIsLowerBound = hasTotal && off.has('total');
    const cursorPlan = reason === SEQUENTIAL_WINDOWS ? cursorPlanOf(query) : undefined;
    return {
      kind: 'scan',
      request: requests.windows(unsorted),
      window,
      unfiltered: endsItself || pushed.length === 0 ? undefined : whole,
      // Rows with details and rows without must not share a key.
      key: JSON.stringify([path, parts, variables, ...(detailFetch === 'rows' ? [detailFetch] : [])]),
      pushedFilters: pushed.filter(({ push }) => push.exact).map(({ filter }) => filter),
      residualFilters: residual,
      sort,
      dependsOn: pushed.map(({ push }) => push.capability),
      totalCounts: hasTotal && !off.has('total'),
      totalIsLowerBound,
      count: totalIsLowerBound && path === undefined ? requests.count(unsorted) : undefined,
      cursorPlan,
      detailFetch,
      reason:
        cursorPlan === undefined
          ? (reason ?? 'the source cannot answer the page itself')
          : `${SEQUENTIAL_WINDOWS}, and no checkpoint may be near the page`,
    };
  }

  return { page, scan };
}

/** Reports `order: source` if the contract has a default order, because then the source's own order never counts. */
function checkOwnOrder({ order }: ListSpec, resource: Resource, here: SpecLocation): void {
  if (order !== 'source' || resource.order === null) return;
  const { field, descending } = resource.order;
  const way = descending ? 'descending' : 'ascending';
  here.report(
    `the contract orders ${resource.name} by ${field}, ${way}, so they never come in the source's own order`,
    `remove it; a column under sort.columns.${field}, if the source can sort by it`,
  );
}

/** Compiles the planner of a resource's list. Problems are reported at their place in the source file. */
export function compilePlanner(
  spec: SourceResourceSpec,
  resource: Resource,
  codec: IdCodec,
  here: SpecLocation,
): Planner {
  const { list } = spec;
  const place = here.at('list');
  const window = compileWindow(list.window, list.request);
  const requests = compileRequests(list, window, place);
  const resolveFixed = compileFixedFields(list.map, rowFields(spec, resource));
  const filters = compileFilters({ ...list, map: wholeMapping(spec) }, resource, codec, place);
  const pushSort = compileSortPush(list, resource, place);
  const detailFetchOf = compileDetailFetch(spec, resource);
  const combine = compileCombine(list);
  checkParameterConflicts(list, resource, place);
  checkOwnOrder(list, resource, place.at('order'));
  checkVariables(list, [...window.variables, ...FILTER_VARIABLES, ...SORT_VARIABLES], place);
  // The list without any part of a query.
  const whole = requests.windows(combine([], undefined));
  const plans = compilePlans(spec, window, requests, whole);

  function planOf(asked: ListQuery, off: ReadonlySet<Capability>): ListPlan {
    const query = resolveFixed(asked);
    if (query === undefined) return NOTHING_PLAN;
    const split = splitFilters(query.filters, filters, off);
    if (split.matchesNone) return NOTHING_PLAN;
    const parts = split.pushed.map(({ part }) => part);
    const pushedSort = pushSort(query.sort, off);
    const reason = whyScan(spec, split, pushedSort !== undefined, off);
    const splitQuery: SplitQuery = {
      split,
      // With `order: source`, the default order is that of the rows.
      sort: query.sort ?? (list.order === 'source' && !off.has('order') ? null : BY_ID),
      pushedSort,
      detailFetch: detailFetchOf(query),
      off,
      unsorted: combine(parts, undefined),
      sorted: pushedSort && combine(parts, pushedSort.part),
    };
    return (reason === undefined ? plans.page(splitQuery) : undefined) ?? plans.scan(splitQuery, reason);
  }

  /** The plan of the list without filters and sort, as long as no claim is disabled. */
  let usual: ListPlan | undefined;
  return function plan(asked, off) {
    // Of a query, a plan depends on filters and sort alone, so all pages of the plain list have one plan.
    const isPlain = asked.sort === null && asked.filters.length === 0 && off.size === 0;
    return isPlain ? (usual ??= planOf(asked, off)) : planOf(asked, off);
  };
}
