import type { PagePlan } from '../adapter/plan/plan.ts';
import { scanReach } from '../claims/source/capacity.ts';
import type { LoadedSource } from '../config/loaded-config.ts';
import { LIMIT_DEFAULT } from '../contract/parse-query.ts';
import type { Filter, ListQuery, Sort } from '../contract/query.ts';
import type { FilterParameter } from '../contract/define-resource.ts';
import type { Resource } from '../contract/resources.ts';
import { plural } from '../kernel/plural.ts';
import { Decimal } from '../kernel/decimal.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import type { ReportBlock } from './report/report.ts';
import { detailCalls, pageCalls } from './explain-plan.ts';

/** What one kind of query of the contract costs at a source. */
export type QueryCost = {
  /** Such as `sort=-name`, or `(plain)`. */
  readonly query: string;
  /** `refused`: no budget of calls and rows reaches as far as one page. */
  readonly cost: 'page' | 'scan' | 'refused' | 'record';
  /** Calls for 50 rows of the first page; for a scan the most it may take. */
  readonly calls: number;
  /** The most calls that go out besides, once a minute, to verify what a filtered page rests on. */
  readonly verifyingCalls?: number;
  /** Why it is a scan. */
  readonly reason?: string;
  /** A scan of more rows than these is refused. */
  readonly rowsMax?: number;
};

type Kind = { readonly query: string; readonly sort: Sort | null; readonly filters: readonly Filter[] };

/** A value that the source can be asked for: where a field has codes, one of their labels. */
function sampleText({ spec }: LoadedSource, resource: Resource, field: string): string {
  const steps = spec.resources[resource.name]?.list.map[field]?.as ?? [];
  const labels = steps.flatMap((step) =>
    typeof step === 'object' && 'enum' in step ? Object.values(step.enum) : [],
  );
  return labels[0] ?? 'sample';
}

function sampleFilter(source: LoadedSource, resource: Resource, { field, op }: FilterParameter): Filter {
  if (op === 'eq') return { field, op, value: sampleText(source, resource, field) };
  return { field, op, value: new Decimal(10n, 0) };
}

/** The kinds of list queries: plain, each sort both ways, each filter, and each filter with each sort. */
function kindsOf(source: LoadedSource, resource: Resource): readonly Kind[] {
  const sorts = resource.sorts.flatMap((field) =>
    [false, true].map((descending) => ({
      query: `sort=${descending ? '-' : ''}${field}`,
      sort: { field, descending },
      filters: [],
    })),
  );
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

/** A look at the last rows, and one for each filter with a value that no record has. See `verifyPage`. */
function verifyingCalls({ filters, hydrates, window }: PagePlan): number {
  if (filters.length === 0 || hydrates === 'rows') return 0;
  return (window.endsEmpty ? 2 : 1) + filters.length;
}

function costOf({ query, sort, filters }: Kind, { resource, adapter, source }: CompiledSource): QueryCost {
  const asked: ListQuery = {
    kind: 'list',
    resource: resource.name,
    page: 1,
    limit: LIMIT_DEFAULT,
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
  const calls = scanned + (plan.hydrates === 'page' ? asked.limit : 0);
  const cost = rows < LIMIT_DEFAULT ? 'refused' : 'scan';
  return { query, cost, calls, reason: plan.reason, rowsMax: rows };
}

/** What every kind of query of the contract costs at a source. */
export function queryCosts(compiled: CompiledSource): readonly QueryCost[] {
  const costs = kindsOf(compiled.source, compiled.resource).map((kind) => costOf(kind, compiled));
  const { idPrefix } = compiled.resource;
  if (compiled.adapter.get === undefined) return costs;
  return [...costs, { query: `/${idPrefix}_…`, cost: 'record', calls: 1 }];
}

function costText({ cost, calls, reason, rowsMax }: QueryCost): string {
  const made = plural(calls, 'call');
  if (cost === 'page' || cost === 'record') return `${cost} (${made})`;
  return `${cost} (${reason}; at most ${rowsMax} rows in ${made})`;
}

/** The costs as a table. */
export function costTable(costs: readonly QueryCost[]): ReportBlock {
  const besides = ({ verifyingCalls: most }: QueryCost) =>
    most === undefined ? '' : `; once a minute, at most ${most} more verify the filter`;
  return { table: costs.map((cost) => [cost.query, `${costText(cost)}${besides(cost)}`]) };
}

/** The most lines of a summary. */
const SUMMARY_LINES = 8;

/** The costs in a few lines: queries that cost the same share one. */
export function costSummary(costs: readonly QueryCost[]): ReportBlock {
  const alike = Map.groupBy(costs, costText);
  const lines = [...alike].map(([text, same]) => {
    const [first, second, ...others] = same.map(({ query }) => query);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return [`${first ?? ''}${second === undefined ? '' : `, ${second}`}${more}`, text];
  });
  const left = lines.length - SUMMARY_LINES;
  return {
    table: [
      ...lines.slice(0, SUMMARY_LINES),
      ...(left > 0 ? [[`${left} more kinds`, 'see portico explain']] : []),
    ],
  };
}
