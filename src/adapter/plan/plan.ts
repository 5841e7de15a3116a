import type { SourceResourceSpec } from '../../config/schema/source.ts';
import type { Filter, ListQuery, Sort } from '../../contract/query.ts';
import type { Resource } from '../../contract/resources.ts';
import type { UpstreamRequest } from '../../kernel/upstream-call.ts';
import { checkVariables, namesOf } from '../request/check-variables.ts';
import { type Combined, compileCombine } from '../request/combine-parts.ts';
import { compileSimplify } from './fixed-fields.ts';
import { type Capability, compileFilters, compileSorts, naturalOrder, type SortPush } from './push-down.ts';
import type { SpecLocation } from '../spec-location.ts';
import { compileRequest } from '../request/request.ts';
import { detailFields, wholeMapping } from '../map/row-fields.ts';
import { type Split, splitFilters } from './split-filters.ts';
import {
  compileWindow,
  type RandomWindow,
  type SequentialWindow,
  type Window,
  type WindowCall,
} from './window.ts';

/**
 * Which rows are asked for one by one, because their windows lack fields: those of the page, or all that are read,
 * where a filter or the sort needs such a field; `undefined` where windows have all fields.
 */
export type Hydrated = 'page' | 'rows' | undefined;

/** Makes the request for a window of a plan. */
export type WindowRequest = (call: WindowCall) => UpstreamRequest;

/** One page straight from the source: a few windows, sliced. */
export type PagePlan = {
  readonly kind: 'page';
  readonly request: WindowRequest;
  readonly window: RandomWindow;
  /** The request that tells the total, where the windows do not. */
  readonly count: UpstreamRequest | undefined;
  /** What the answer relies on; every reply is checked against it. */
  readonly filters: readonly Filter[];
  readonly sort: Sort | null;
  readonly relies: readonly Capability[];
  readonly hydrates: Hydrated;
};

/** One page of a source that gives its rows one window after the other, walked to from a place that is known. */
export type WalkPlan = Omit<PagePlan, 'kind' | 'window' | 'hydrates'> & {
  readonly window: SequentialWindow;
  /** Names what is walked: equal keys, equal rows in equal order. */
  readonly key: string;
};

/** All rows that the pushed filters leave; the rest is computed here. */
export type ScanPlan = {
  readonly kind: 'scan';
  readonly request: WindowRequest;
  readonly window: Window;
  /** Names what is scanned: equal keys, equal rows. */
  readonly key: string;
  readonly pushedFilters: readonly Filter[];
  readonly residualFilters: readonly Filter[];
  readonly sort: Sort | null;
  readonly relies: readonly Capability[];
  /** Whether the total that a window tells is that of the rows scanned. */
  readonly totalCounts: boolean;
  /** Whether it is told of the rows scanned, but not believed: there may be more rows, and must not be fewer. */
  readonly totalIsLeast: boolean;
  /** How a page can be read without a scan where it is near a place that is known. */
  readonly walk: WalkPlan | undefined;
  readonly hydrates: Hydrated;
  /** Why the source cannot answer the page itself, for the log and for those who write sources. */
  readonly reason: string;
};

/** No record can match: the source is not asked. */
export type NothingPlan = { readonly kind: 'nothing' };

export type ListPlan = PagePlan | ScanPlan | NothingPlan;

/** Compiled push-down of filters and sort. */
export type Planner = (query: ListQuery, switchedOff: ReadonlySet<Capability>) => ListPlan;

const ONE_AFTER_THE_OTHER = 'the source gives its rows only one window after the other';
const WALKED = `${ONE_AFTER_THE_OTHER}, and no place near the page may be known`;

/** The first reason why a page cannot come straight from the source, or `undefined` where it can. */
function whyScan(
  spec: SourceResourceSpec,
  { pushed, residual }: Split,
  sorted: boolean,
  off: ReadonlySet<Capability>,
): string | undefined {
  const { total, window } = spec.list;
  const first = residual[0];
  if (first !== undefined) return `the source does not filter by ${first.field} (${first.op}) exactly`;
  if (!sorted) return 'the source does not sort as asked';
  if (total === undefined) return 'the source gives no total';
  if (total.counts === 'all' && pushed.length > 0)
    return 'the total of the source counts all rows, filtered or not';
  if (total.count !== undefined && pushed.some(({ part }) => part.path !== undefined))
    return 'the count of the source does not filter as its list does';
  if (off.has('total')) return 'the total of the source is not exact';
  if (window.kind === 'none') return 'the source returns all rows at once';
  if (window.kind !== 'offset' && window.kind !== 'page') return ONE_AFTER_THE_OTHER;
  if (window.shortPage === 'anywhere') return 'the source hides rows after it has paged them';
  if (spec.list.dropWhen.length > 0) return 'rows that are no records are left out after paging';
  return spec.onInvalidRecord === 'drop'
    ? 'records may be left out, so only a scan knows the total'
    : undefined;
}

const FILTER_VARIABLES = ['filter', 'filters'];
const SORT_VARIABLES = ['sort', 'sorts'];

/** Compiles the planner of a resource's list. Problems are reported at their place in the source file. */
export function compilePlanner(spec: SourceResourceSpec, resource: Resource, here: SpecLocation): Planner {
  const place = here.at('list');
  const { list } = spec;
  const { order } = list;
  const window = compileWindow(list.window);
  const names = namesOf(list.filters);
  const filterVariables = [...FILTER_VARIABLES, ...names];
  const usual = [...window.variables, ...FILTER_VARIABLES, ...SORT_VARIABLES];
  const variables = [...usual, ...names];
  const makeRequest = compileRequest(list.request, variables, place.at('request'));
  const countSpec = list.total?.count;
  const makeCount = countSpec && compileRequest(countSpec, filterVariables, place.at('total', 'count'));
  const hidesRows = 'shortPage' in list.window && list.window.shortPage === 'anywhere';
  const simplify = compileSimplify(list.map, resource.itemFields);
  const lacking = new Set(detailFields(spec, resource).map(({ name }) => name));
  const filters = compileFilters({ ...list, map: wholeMapping(spec) }, resource, place);
  const sorts = compileSorts(list, resource, place);

  const combine = compileCombine(list);
  checkVariables(list, usual, place);

  function requestWith({ variables: filled, query, path }: Combined): WindowRequest {
    return (call) => {
      const request = makeRequest({ ...call.variables, ...filled }, query, path);
      // A link names the whole of the next request.
      return call.target === undefined ? request : { ...request, target: call.target };
    };
  }

  function pushSort(sort: Sort | null, off: ReadonlySet<Capability>): SortPush | undefined {
    const natural =
      sort === null ? order !== 'unknown' : order === 'id' && sort.field === 'id' && !sort.descending;
    if (natural && !off.has('order')) return naturalOrder();
    // Where the source promises no order of its own, the contract's default is ascending id.
    const wanted = sort ?? { field: 'id', descending: false };
    const push = sorts.get(`${wanted.field}.${wanted.descending ? 'descending' : 'ascending'}`);
    return push === undefined || off.has(push.capability) ? undefined : push;
  }

  /** Only where every row is a record and all windows are full do places in the list have numbers. */
  const isSteady =
    'checkpoints' in list.window &&
    list.window.checkpoints === true &&
    list.dropWhen.length === 0 &&
    spec.onInvalidRecord === 'fail';

  function hydratedBy({ filters: asked, sort }: ListQuery): Hydrated {
    if (lacking.size === 0) return undefined;
    const needs = [...asked.map(({ field }) => field), ...(sort === null ? [] : [sort.field])];
    return needs.some((field) => lacking.has(field)) ? 'rows' : 'page';
  }

  function walkOf(read: (Omit<WalkPlan, 'request' | 'window' | 'key'> & { combined: Combined }) | undefined) {
    if (read === undefined || window.kind !== 'sequential' || !isSteady) return undefined;
    const { combined, ...page } = read;
    const key = JSON.stringify(['walk', combined.path, combined.query, combined.variables]);
    return { request: requestWith(combined), window, key, ...page };
  }

  return function plan(asked, off) {
    const query = simplify(asked);
    if (query === undefined) return { kind: 'nothing' };
    const split = splitFilters(query.filters, filters, off);
    if (split.nothing) return { kind: 'nothing' };
    const { pushed, residual } = split;
    const parts = pushed.map(({ part }) => part);
    const relies = pushed.map(({ push }) => push.capability);
    // With `order: source`, the default order is the one in which the rows come.
    const sort =
      query.sort ?? (order === 'source' && !off.has('order') ? null : { field: 'id', descending: false });
    const pushedSort = pushSort(query.sort, off);
    const hydrates = hydratedBy(query);
    const reason = whyScan(spec, split, pushedSort !== undefined, off);
    const counted = combine(parts, undefined);
    const read = pushedSort && {
      combined: combine(parts, pushedSort.part),
      count: makeCount?.(counted.variables, counted.query),
      filters: pushed.map(({ filter }) => filter),
      sort,
      relies: [...relies, pushedSort.capability],
    };
    if (reason === undefined && read !== undefined && window.kind === 'random') {
      const { combined, ...page } = read;
      return { kind: 'page', request: requestWith(combined), window, hydrates, ...page };
    }
    const scanned = combine(parts, undefined);
    const isTold =
      !hidesRows && list.dropWhen.length === 0 && (list.total?.counts !== 'all' || pushed.length === 0);
    const walk = reason === ONE_AFTER_THE_OTHER && !off.has('window') ? walkOf(read) : undefined;
    return {
      kind: 'scan',
      request: requestWith(scanned),
      window,
      // Rows without their details are other rows than those with them.
      key: JSON.stringify([
        scanned.path,
        scanned.query,
        scanned.variables,
        ...(hydrates === 'rows' ? [hydrates] : []),
      ]),
      pushedFilters: pushed.filter(({ push }) => push.exact).map(({ filter }) => filter),
      residualFilters: residual,
      sort,
      relies,
      totalCounts: isTold && !off.has('total'),
      totalIsLeast: isTold && off.has('total'),
      walk,
      hydrates,
      reason: walk === undefined ? (reason ?? 'the source cannot answer the page itself') : WALKED,
    };
  };
}
