// Explains for `portico explain` the plan of a query: the calls to its source, and what the gateway does itself.

import { claimPlace, PROOF } from '../../source/adapter/spec/capability.ts';
import { proofOf } from '../../source/adapter/read/credential-proof.ts';
import type { Adapter } from '../../source/adapter/compile.ts';
import { type PagePlan, type ScanPlan, scanReach } from '../../source/adapter/plan/plan.ts';
import type { LoadedSource } from '../../config/schema/loaded-config.ts';
import type { ListSpec } from '../../config/schema/source.ts';
import type { Filter, FilterOp, ListQuery, Query, Sort } from '../../contract/query.ts';
import type { Resource } from '../../contract/resource.ts';
import { Decimal } from '../../kernel/decimal.ts';
import type { UpstreamRequest } from '../../kernel/upstream-call.ts';
import { detailCalls, pageCalls } from '../../pipeline/query-costs.ts';

/** A claim, with its place in the source's file. */
export type PlacedClaim = {
  readonly claim: string;
  readonly file: string;
  readonly line: number | undefined;
};

/** How the gateway will answer a query. */
export type ExplainedPlan = {
  /** `record`: a single record. `nothing`: no record can match, so the source is not asked. */
  readonly kind: 'page' | 'scan' | 'record' | 'nothing';
  /** Why the source cannot answer the page itself, or why it is not asked. */
  readonly reason?: string;
  readonly calls: readonly UpstreamRequest[];
  /** The most calls that the query takes, those of `calls` included. */
  readonly callsMax: number;
  /** What the gateway does itself because the source does not, in words. */
  readonly gatewaySteps: readonly string[];
  readonly dependsOn: readonly PlacedClaim[];
};

/** How many calls of a scan are shown. */
const SCAN_CALLS_SHOWN = 3;

const SIGNS: Readonly<Record<FilterOp, string>> = {
  eq: '=',
  in: 'one of',
  ge: '>=',
  le: '<=',
  gt: '>',
  lt: '<',
  known: 'known:',
  has: 'has',
};

/** A filter in words. */
export function filterText({ field, op, value }: Filter): string {
  return `${field} ${SIGNS[op]} ${value instanceof Decimal ? value.toString() : JSON.stringify(value)}`;
}

/** A sort in words. */
export function sortText({ field, descending }: Sort): string {
  return `${field} ${descending ? 'descending' : 'ascending'}`;
}

/** Whether the replies of a scan state how many rows it must bring. */
function totalInWindows(plan: ScanPlan, list: ListSpec | undefined): boolean {
  return plan.totalCounts && list?.total !== undefined && list.total.count === undefined;
}

function scanCalls({ window, request }: ScanPlan, callsMax: number): readonly UpstreamRequest[] {
  if (window.kind === 'sequential') return [request(window.first)];
  const count = Math.min(SCAN_CALLS_SHOWN, callsMax);
  return Array.from({ length: count }, (_, index) => request(window.scanCall(index)));
}

/** A claim about a resource, with its place in the source's file. */
export function placedClaim({ yaml }: LoadedSource, resource: Resource, claim: string): PlacedClaim {
  const { file, line } = yaml.problemAt(claimPlace(resource.name, claim), '');
  return { claim, file, line };
}

function claimsOf(
  source: LoadedSource,
  resource: Resource,
  capabilities: readonly string[],
): readonly PlacedClaim[] {
  const proof = proofOf(source.spec) === undefined ? [] : [PROOF];
  return [...capabilities, ...proof].map((claim) => placedClaim(source, resource, claim));
}

/** The step that fetches the details of rows that lack fields, in words. */
function detailsLeft({ detailFetch }: Pick<PagePlan, 'detailFetch'>): readonly string[] {
  if (detailFetch === undefined) return [];
  return [
    `ask for the details of ${detailFetch === 'rows' ? 'every row' : 'the rows of the page'}, each with a call`,
  ];
}

/** The extra checks, at most once a minute, of what the rows of an answer cannot show. */
const EXTRA_CHECKS = {
  page: 'once a minute, ask whether a value that nobody has brings no row, and for the last rows of the total',
  order:
    'once a minute, read the last two windows and one at random, because nothing asks for the order that pages rest on',
  scan: 'once a minute, ask whether the filters choose rows before the source pages them',
};

function scanSteps(plan: ScanPlan): readonly string[] {
  const { residualFilters, sort } = plan;
  return [
    ...residualFilters.map((filter) => `keep ${filterText(filter)}`),
    ...(sort === null ? [] : [`sort by ${sortText(sort)}`]),
    'count, and cut out the page',
    ...detailsLeft(plan),
    ...(plan.unfiltered === undefined ? [] : [EXTRA_CHECKS.scan]),
  ];
}

function explainList(
  query: ListQuery,
  { list }: Adapter,
  source: LoadedSource,
  resource: Resource,
): ExplainedPlan {
  const plan = list.plan(query, new Set());
  const spec = source.spec.resources[resource.name]?.list;
  switch (plan.kind) {
    case 'nothing':
      return {
        kind: 'nothing',
        reason: 'no record of the source can have this value',
        calls: [],
        callsMax: 0,
        gatewaySteps: [],
        dependsOn: [],
      };
    case 'page': {
      const calls = pageCalls(plan, query);
      const dependsOn = claimsOf(source, resource, [...plan.dependsOn, 'total', 'window']);
      const callsMax = calls.length + detailCalls(plan, query);
      const checks = [
        ...(plan.filters.length > 0 && plan.detailFetch !== 'rows' ? [EXTRA_CHECKS.page] : []),
        ...(list.bet !== undefined && plan.dependsOn.includes('order') ? [EXTRA_CHECKS.order] : []),
      ];
      return { kind: 'page', calls, callsMax, gatewaySteps: [...detailsLeft(plan), ...checks], dependsOn };
    }
    case 'scan': {
      const scanMax = scanReach(plan, source.spec.budget).calls;
      const callsMax = scanMax + (plan.detailFetch === 'page' ? query.limit : 0);
      const dependsOn = [...plan.dependsOn, ...(totalInWindows(plan, spec) ? ['total'] : []), 'window'];
      return {
        kind: 'scan',
        reason: plan.reason,
        calls: scanCalls(plan, scanMax),
        callsMax,
        gatewaySteps: scanSteps(plan),
        dependsOn: claimsOf(source, resource, dependsOn),
      };
    }
  }
}

/** Explains how the gateway will answer a query, with the calls of `adapter`; it sends none. */
export function explainPlan(
  query: Query,
  adapter: Adapter,
  source: LoadedSource,
  resource: Resource,
): ExplainedPlan {
  if (query.kind === 'list') return explainList(query, adapter, source, resource);
  const request = adapter.get?.request(query.id);
  const calls = request === undefined ? [] : [request];
  const reason = 'no record of the source can have this id, so the answer is 404';
  return {
    kind: request === undefined ? 'nothing' : 'record',
    ...(request === undefined && { reason }),
    calls,
    callsMax: calls.length,
    gatewaySteps: [],
    dependsOn: claimsOf(source, resource, []),
  };
}
