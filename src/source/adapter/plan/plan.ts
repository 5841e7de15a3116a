import type { Filter, ListQuery, Sort } from '../../../contract/query.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { Capability } from '../spec/capability.ts';
import type { RandomWindow, SequentialWindow, Window, WindowCall } from './window.ts';

/**
 * The rows for which Portico fetches the details (fields that a list's rows lack), one call for each row: the rows of the
 * page, or all rows if a filter or the sort needs such a field. `undefined` if the list's rows have all fields.
 */
export type DetailFetch = 'page' | 'rows' | undefined;

/** Makes the request for a window of a plan. */
export type WindowRequest = (call: WindowCall) => UpstreamRequest;

/** Offset paging: the page is cut out of a few windows that the source is asked for by number. */
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

/** Cursor paging: the windows can only be read in order, so reading starts at the nearest checkpoint before the page. */
export type CursorPlan = Omit<PagePlan, 'kind' | 'window' | 'detailFetch'> & {
  readonly window: SequentialWindow;
  /** The key of the checkpoints: plans with equal keys read equal rows in equal order. */
  readonly key: string;
};

/** All rows that match the pushed filters; the gateway filters, sorts and counts them itself. */
export type ScanPlan = {
  readonly kind: 'scan';
  readonly request: WindowRequest;
  readonly window: Window;
  /** The request without filters, to find out if filters end the rows too early; `undefined` if they cannot do that. */
  readonly unfiltered: WindowRequest | undefined;
  /** The key of the scan cache: plans with equal keys read equal rows. */
  readonly key: string;
  /** Filters that the source applies exactly. */
  readonly pushedFilters: readonly Filter[];
  /** Filters that the gateway applies. */
  readonly residualFilters: readonly Filter[];
  readonly sort: Sort | null;
  readonly dependsOn: readonly Capability[];
  /** Whether the total in a reply is the number of rows that a scan must bring. */
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

/** How a list is answered: by a few windows, by a scan, or without a call because no record can match. */
export type ListPlan = PagePlan | ScanPlan | { readonly kind: 'nothing' };

/** Plans a query. The plan does not depend on any of the disabled claims. */
export type Planner = (query: ListQuery, disabled: ReadonlySet<Capability>) => ListPlan;
