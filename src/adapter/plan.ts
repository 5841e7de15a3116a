import type { ListSpec, SourceResourceSpec } from '../config/source-schema.ts';
import type { Filter, ListQuery, Sort } from '../contract/query.ts';
import type { Resource } from '../contract/resource.ts';
import { invertCoercion, NOTHING, type ValueCodec } from './inverse.ts';
import type { Report } from './report.ts';
import { checkTemplate, compileQuery, compileRequest, targetOf, type Variables } from './template.ts';
import { compileWindow, type Window, type WindowCall } from './window.ts';

/**
 * Something a source claims to do itself: `order` (without a sort parameter), `sort.<field>.<direction>` or
 * `filter.<field>.<op>`. A claim that a reply contradicts is switched off.
 */
export type Capability = string;

/** A part of a query that the source does: what it sends, and the claim it rests on. */
type Pushed = { readonly query: readonly string[]; readonly capability: Capability };

/** A plan's upstream request: the target is path and query, appended to the source's base URL. */
export type ListRequest = (call: WindowCall) => string;

/** One page straight from the source: a few windows, sliced. */
export type PagePlan = {
  readonly kind: 'page';
  readonly target: ListRequest;
  readonly window: Window;
  /** What the answer relies on; every reply is checked against it. */
  readonly filters: readonly Filter[];
  readonly sort: Sort | null;
  readonly relies: readonly Capability[];
};

/** All rows that the pushed filters leave; the rest is computed here. */
export type ScanPlan = {
  readonly kind: 'scan';
  readonly target: ListRequest;
  readonly window: Window;
  /** Names what is scanned: equal keys, equal rows. */
  readonly key: string;
  readonly pushedFilters: readonly Filter[];
  readonly residualFilters: readonly Filter[];
  readonly sort: Sort | null;
  readonly relies: readonly Capability[];
  /** Why the source cannot answer the page itself, for `explain` and the log. */
  readonly reason: string;
};

/** No record can match: the source is not asked. */
export type NothingPlan = { readonly kind: 'nothing' };

export type ListPlan = PagePlan | ScanPlan | NothingPlan;

/** Compiled push-down of filters and sort. */
export type Planner = (query: ListQuery, switchedOff: ReadonlySet<Capability>) => ListPlan;

type FilterPush = {
  readonly exact: boolean;
  readonly capability: Capability;
  readonly codec: ValueCodec;
  readonly query: (v: Variables) => readonly string[];
};

function compileFilters(
  spec: SourceResourceSpec['list'],
  resource: Resource,
  report: Report,
  at: readonly PropertyKey[],
): Map<string, FilterPush> {
  const pushes = new Map<string, FilterPush>();
  for (const [field, operators] of Object.entries(spec.filters)) {
    for (const [op, filter] of Object.entries(operators)) {
      const place = [...at, 'filters', field, op];
      if (!resource.filters.some((parameter) => parameter.field === field && parameter.op === op)) {
        report(
          place,
          `the contract has no filter ${op} on ${field}`,
          `filters: ${resource.filters.map((f) => `${f.field}.${f.op}`).join(', ') || 'none'}`,
        );
        continue;
      }
      for (const [name, template] of Object.entries(filter.query))
        checkTemplate(template, ['value'], report, [...place, 'query', name]);
      if (filter.exactness === 'none') continue;
      const codec = invertCoercion(spec.map[field]?.as ?? [], op as Filter['op']);
      if (codec === undefined) {
        report(
          place,
          `the steps that read ${field} cannot be turned round, so a value of this filter cannot be sent`,
          'say exactness: none, or map one code to each label',
        );
        continue;
      }
      pushes.set(`${field}.${op}`, {
        exact: filter.exactness === 'exact',
        capability: `filter.${field}.${op}`,
        codec,
        query: compileQuery(filter.query),
      });
    }
  }
  return pushes;
}

function compileSorts(
  spec: ListSpec,
  resource: Resource,
  report: Report,
  at: readonly PropertyKey[],
): Map<string, Pushed> {
  const pushes = new Map<string, Pushed>();
  if (spec.sort === undefined) return pushes;
  const render = compileQuery(spec.sort.query);
  for (const [name, template] of Object.entries(spec.sort.query))
    checkTemplate(template, ['column', 'direction'], report, [...at, 'sort', 'query', name]);
  for (const [field, { column, directions }] of Object.entries(spec.sort.columns)) {
    if (!resource.sorts.includes(field)) {
      report(
        [...at, 'sort', 'columns', field],
        `the contract cannot sort by ${field}`,
        `sorts: ${resource.sorts.join(', ') || 'none'}`,
      );
      continue;
    }
    for (const direction of directions) {
      const query = render({ column, direction: spec.sort[direction] });
      pushes.set(`${field}.${direction}`, { query, capability: `sort.${field}.${direction}` });
    }
  }
  return pushes;
}

type Split = {
  pushed: { filter: Filter; push: FilterPush; query: readonly string[] }[];
  residual: Filter[];
  nothing: boolean;
};

function splitFilters(
  filters: readonly Filter[],
  pushes: Map<string, FilterPush>,
  off: ReadonlySet<Capability>,
): Split {
  const split: Split = { pushed: [], residual: [], nothing: false };
  for (const filter of filters) {
    const push = pushes.get(`${filter.field}.${filter.op}`);
    if (push === undefined || off.has(push.capability)) {
      split.residual.push(filter);
      continue;
    }
    const value = push.codec(filter.value);
    if (value === NOTHING) split.nothing = true;
    else split.pushed.push({ filter, push, query: push.query({ value }) });
    if (!push.exact) split.residual.push(filter);
  }
  return split;
}

/** The first reason why a page cannot come straight from the source, or `undefined` where it can. */
function whyScan(spec: SourceResourceSpec, residual: readonly Filter[], sorted: boolean): string | undefined {
  const first = residual[0];
  if (first !== undefined) return `the source does not filter by ${first.field} (${first.op}) exactly`;
  if (!sorted) return 'the source does not sort as asked';
  if (spec.list.total === undefined) return 'the source gives no total';
  if (spec.list.window.kind === 'none') return 'the source returns all rows at once';
  return spec.onInvalidRecord === 'drop'
    ? 'records may be left out, so only a scan knows the total'
    : undefined;
}

function sortCapability(
  sort: Sort | null,
  order: ListSpec['order'],
  sorts: Map<string, Pushed>,
  off: ReadonlySet<Capability>,
): Pushed | undefined {
  const natural =
    sort === null ? order !== 'unknown' : order === 'id' && sort.field === 'id' && !sort.descending;
  if (natural && !off.has('order')) return { query: [], capability: 'order' };
  // Where the source promises no order of its own, the contract's default is ascending id.
  const wanted = sort ?? { field: 'id', descending: false };
  const push = sorts.get(`${wanted.field}.${wanted.descending ? 'descending' : 'ascending'}`);
  return push === undefined || off.has(push.capability) ? undefined : push;
}

/** Compiles the planner of a resource's list. Problems are reported at their place in the source file. */
export function compilePlanner(
  spec: SourceResourceSpec,
  resource: Resource,
  report: Report,
  at: readonly PropertyKey[],
): Planner {
  const place = [...at, 'list'];
  const window = compileWindow(spec.list.window);
  const request = compileRequest(spec.list.request, window.variables, report, [...place, 'request']);
  const filters = compileFilters(spec.list, resource, report, place);
  const sorts = compileSorts(spec.list, resource, report, place);
  const { order } = spec.list;

  const targetWith =
    (more: readonly string[]): ListRequest =>
    (call) => {
      const { path, query } = request(call.variables);
      return targetOf(path, [...query, ...more]);
    };

  return function plan(query, off) {
    const split = splitFilters(query.filters, filters, off);
    if (split.nothing) return { kind: 'nothing' };
    const filterQuery = split.pushed.flatMap((pushed) => pushed.query);
    const relies = split.pushed.map((pushed) => pushed.push.capability);
    const pushedSort = sortCapability(query.sort, order, sorts, off);
    const reason = whyScan(spec, split.residual, pushedSort !== undefined);
    const pushedFilters = split.pushed.map((pushed) => pushed.filter);
    // With `order: source`, the default order is the one in which the rows come.
    const natural = order === 'source' && !off.has('order');
    const sort = query.sort ?? (natural ? null : { field: 'id', descending: false });
    if (reason === undefined && pushedSort !== undefined) {
      const target = targetWith([...filterQuery, ...pushedSort.query]);
      return {
        kind: 'page',
        target,
        window,
        filters: pushedFilters,
        sort,
        relies: [...relies, pushedSort.capability],
      };
    }
    const exact = split.pushed.filter((pushed) => pushed.push.exact).map((pushed) => pushed.filter);
    return {
      kind: 'scan',
      target: targetWith(filterQuery),
      window,
      key: filterQuery.join('&'),
      pushedFilters: exact,
      residualFilters: split.residual,
      sort,
      relies,
      reason: reason ?? 'the source cannot answer the page itself',
    };
  };
}
