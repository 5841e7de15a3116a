// The types of plans: how the source is called to answer a query of a list.

import type { Filter, ListQuery, Sort } from '../../../contract/query.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { Capability } from '../spec/capability.ts';
import type { RandomWindow, SequentialWindow, Window, WindowCall } from './window.ts';
import type { ResourceName } from '../../../contract/resource.ts';
import type { SourceSpec } from '../../../config/schema/source.ts';

/**
 * The rows for which Portico fetches the details (fields that a list's rows lack), one call for each row: the rows of the
 * page, or all rows if a filter, the sort or the total needs such a field. `undefined` if the list's rows have all fields.
 */
export type DetailFetch = 'page' | 'rows' | undefined;

/** Creates the request for one window of a plan. */
export type WindowRequest = (call: WindowCall) => UpstreamRequest;

/** Offset paging. The page is cut out of a few windows, which the source is asked for by number. */
export type PagePlan = {
  readonly kind: 'page';
  readonly request: WindowRequest;
  readonly window: RandomWindow;
  /** The request for the total; `undefined` if the windows state the total. */
  readonly count: UpstreamRequest | undefined;
  /** Filters, order and claims that the answer depends on. Every reply is checked against them. */
  readonly filters: readonly Filter[];
  readonly sort: Sort | null;
  readonly dependsOn: readonly Capability[];
  readonly detailFetch: DetailFetch;
};

/**
 * Cursor paging. Windows can only be read one after the other, so reading starts at the nearest checkpoint before
 * the page: a cursor that was remembered, with the number of its row.
 */
export type CursorPlan = Omit<PagePlan, 'kind' | 'window' | 'detailFetch'> & {
  readonly window: SequentialWindow;
  /** The key of the checkpoints: plans with equal keys read equal rows in equal order. */
  readonly key: string;
};

/** A scan reads all rows that match the pushed filters. Then the gateway filters, sorts and counts them itself. */
export type ScanPlan = {
  readonly kind: 'scan';
  readonly request: WindowRequest;
  readonly window: Window;
  /** The request without filters, to find out if a filter makes the rows end too early; `undefined` if that cannot happen. */
  readonly unfiltered: WindowRequest | undefined;
  /** The key of the scan cache: plans with equal keys read equal rows. */
  readonly key: string;
  /** Filters that the source applies exactly. */
  readonly pushedFilters: readonly Filter[];
  /** Filters that the gateway applies. */
  readonly residualFilters: readonly Filter[];
  readonly sort: Sort | null;
  readonly dependsOn: readonly Capability[];
  /** Whether the total in a reply is the number of rows that the scan must read. */
  readonly totalCounts: boolean;
  /** Whether that total may be too small, because an earlier total of this source was wrong. */
  readonly totalIsLowerBound: boolean;
  /** The request for a total that may be too small; `undefined` if the windows state the total. */
  readonly count: UpstreamRequest | undefined;
  /** Cursor paging, which reads the page without a scan if a checkpoint is near. */
  readonly cursorPlan: CursorPlan | undefined;
  readonly detailFetch: DetailFetch;
  /** Why the source cannot answer the page itself; for the log and for authors of source files. */
  readonly reason: string;
};

/** How a query is answered: by a few windows, by a scan, or without a call because no record can match. */
export type ListPlan = PagePlan | ScanPlan | { readonly kind: 'nothing' };

/** Plans a query. The plan depends on none of the disabled claims. */
export type Planner = (query: ListQuery, disabled: ReadonlySet<Capability>) => ListPlan;

/** The call that brings the first rows of a list; `undefined` if none covers them. */
export function firstCall(window: Window, limit: number): WindowCall | undefined {
  return window.kind === 'random' ? window.cover(0, limit)[0] : window.first;
}

/**
 * The smallest request for the first rows of a list, without any value of a caller, and the most rows (`size`) that may come.
 * `undefined` if the list needs no call.
 */
export function firstRows(plan: Planner, resource: ResourceName, limit: number) {
  const asked = plan({ kind: 'list', resource, page: 1, limit, sort: null, filters: [] }, new Set());
  if (asked.kind === 'nothing') return undefined;
  const { window, request } = asked;
  const call = firstCall(window, limit);
  return call && { request: request(call), size: call.size };
}

/** How far a scan can get. */
type Reach = { readonly rows: number; readonly calls: number };

/** The most rows that a scan can read within the budget of a source, and the most calls that it takes. */
export function scanReach(
  { window, detailFetch }: Pick<ScanPlan, 'window' | 'detailFetch'>,
  { rows, calls }: Pick<SourceSpec['budget'], 'rows' | 'calls'>,
): Reach {
  if (detailFetch === 'rows') {
    // A window takes one call, and each of its rows takes another one.
    const size = window.kind === 'sequential' ? window.first.size : window.scanSize;
    const windows = Number.isFinite(size) ? Math.max(1, Math.floor(calls / (size + 1))) : 1;
    const reach = scanReach({ window, detailFetch: undefined }, { rows, calls: windows });
    return { rows: Math.min(reach.rows, calls - 1), calls };
  }
  if (window.kind === 'sequential') return { rows: Math.min(rows, calls * window.first.size), calls };
  const { scanSize, depthMax, shortAtEnd } = window;
  if (!Number.isFinite(scanSize)) return { rows, calls: 1 };
  const reach = Math.min(rows, calls * scanSize, depthMax);
  // One more call looks behind the last row. If windows may be short anywhere, any number of calls may be needed.
  return { rows: reach, calls: shortAtEnd ? Math.min(calls, Math.ceil(reach / scanSize) + 1) : calls };
}
