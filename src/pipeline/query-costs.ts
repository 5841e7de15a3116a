// Says in advance how many calls each kind of query takes, for `portico check` and `portico explain`.

import { type PagePlan, scanReach } from '../source/adapter/plan/plan.ts';
import type { LoadedSource } from '../config/schema/loaded-config.ts';
import type { Filter, ListQuery, Sort } from '../contract/query.ts';
import type { FilterParameter, Resource } from '../contract/resource.ts';
import { filterWith, sortsOf, typicalValue } from '../contract/example-filters.ts';
import type { UpstreamRequest } from '../kernel/upstream-call.ts';
import { asksTotalFirst, totalWindow } from './reading/pages/read-page.ts';
import type { CompiledSource } from '../source/compile-sources.ts';

/** The cost of one kind of query of the contract at a source. */
export type QueryCost = {
  /** The kind of query, such as `sort=-name`, or `(plain)`. */
  readonly query: string;
  /** `refused`: the budget of calls and rows does not even suffice for one page. */
  readonly cost: 'page' | 'scan' | 'refused' | 'record';
  /** The calls for the first page in its default size. For a scan: the most calls that it may take. */
  readonly calls: number;
  /** The most extra calls, once a minute, that check the claims of a filtered page. */
  readonly verifyingCalls?: number;
  /** Why a scan is needed. */
  readonly reason?: string;
  /** A scan of more rows than these is refused. */
  readonly rowsMax?: number;
};

/** A kind of query, with a query of this kind. */
type Kind = { readonly query: string; readonly sort: Sort | null; readonly filters: readonly Filter[] };

/** A value that the source can be asked for. If the field has codes, it is the label of one. */
function sampleText({ spec }: LoadedSource, resource: Resource, field: string): string {
  const steps = spec.resources[resource.name]?.list.map[field]?.as ?? [];
  const labels = steps.flatMap((step) =>
    typeof step === 'object' && 'enum' in step ? Object.values(step.enum) : [],
  );
  return labels[0] ?? 'sample';
}

function sampleFilter(source: LoadedSource, resource: Resource, parameter: FilterParameter): Filter {
  const { kind, field } = parameter;
  const value = kind === 'text' ? sampleText(source, resource, field) : typicalValue(parameter);
  return filterWith(parameter, value);
}

/** The kinds of list queries: plain, each sort both ways, each filter, and each filter with each sort. */
function kindsOf(source: LoadedSource, resource: Resource): readonly Kind[] {
  const sorts = sortsOf(resource).map(({ text: query, sort }) => ({ query, sort, filters: [] }));
  const filters = resource.filters.map((parameter) => ({
    query: `${parameter.name}=…`,
    sort: null,
    filters: [sampleFilter(source, resource, parameter)],
  }));
  const both = filters.flatMap((filter) =>
    sorts.map(({ query, sort }) => ({ ...filter, query: `${filter.query}&${query}`, sort })),
  );
  return [{ query: '(plain)', sort: null, filters: [] }, ...sorts, ...filters, ...both];
}

/** The number of calls for the details of a page's rows, in addition to the calls for its windows. */
export function detailCalls(plan: PagePlan, query: ListQuery): number {
  if (plan.detailFetch === undefined) return 0;
  if (plan.detailFetch === 'page') return query.limit;
  // The details of all rows that are read are needed, not only those of the page.
  const { page, limit } = query;
  return plan.window.cover((page - 1) * limit, limit).reduce((sum, { size }) => sum + size, 0);
}

/** The calls for a page in their order, including a call that may find nothing after the last row. */
export function pageCalls(plan: PagePlan, query: ListQuery): readonly UpstreamRequest[] {
  const offset = (query.page - 1) * query.limit;
  const windows = plan.window.cover(offset, query.limit).map(plan.request);
  const total = plan.count ?? plan.request(totalWindow(plan));
  return [
    ...(asksTotalFirst(plan, { offset, limit: query.limit }) ? [total] : []),
    ...windows,
    ...(plan.count === undefined ? [] : [plan.count]),
  ];
}

/** The calls of `verifyPage`: for the last rows, and for each filter with a value that no record has. */
function verifyingCalls({ filters, detailFetch, window }: PagePlan): number {
  if (filters.length === 0 || detailFetch === 'rows') return 0;
  return (window.endsEmpty ? 2 : 1) + filters.length;
}

function costOf({ query, sort, filters }: Kind, { resource, adapter, source }: CompiledSource): QueryCost {
  const asked: ListQuery = {
    kind: 'list',
    resource: resource.name,
    page: 1,
    limit: resource.pages.default,
    sort,
    filters,
  };
  const plan = adapter.list.plan(asked, new Set());
  if (plan.kind === 'nothing') return { query, cost: 'page', calls: 0 };
  if (plan.kind === 'page') {
    const verifying = verifyingCalls(plan);
    const calls = pageCalls(plan, asked).length + detailCalls(plan, asked);
    return { query, cost: 'page', calls, ...(verifying > 0 && { verifyingCalls: verifying }) };
  }
  const { rows, calls: scanned } = scanReach(plan, source.spec.budget);
  const calls = scanned + (plan.detailFetch === 'page' ? asked.limit : 0);
  const cost = rows < resource.pages.default ? 'refused' : 'scan';
  return { query, cost, calls, reason: plan.reason, rowsMax: rows };
}

/** The costs of all kinds of queries of the contract at a source. */
export function queryCosts(compiled: CompiledSource): readonly QueryCost[] {
  const { hasList, idStart } = compiled.resource;
  const kinds = hasList ? kindsOf(compiled.source, compiled.resource) : [];
  const costs = kinds.map((kind) => costOf(kind, compiled));
  if (compiled.adapter.get === undefined) return costs;
  return [...costs, { query: `/${idStart}…`, cost: 'record', calls: 1 }];
}
