import type { Filter, ListQuery, Sort } from '../../../contract/query.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { Capability } from '../spec/capability.ts';
import type { RandomWindow, SequentialWindow, Window, WindowCall } from './window.ts';

/**
 * Which rows need a call each for the fields that their windows lack: those of the page, or all rows if a filter or the
 * sort needs such a field. `undefined` if windows have all fields.
 */
export type Hydrated = 'page' | 'rows' | undefined;

/** Makes the request for a window of a plan. */
export type WindowRequest = (call: WindowCall) => UpstreamRequest;

/** One page directly from the source: a few windows, from which the page is cut out. */
export type PagePlan = {
  readonly kind: 'page';
  readonly request: WindowRequest;
  readonly window: RandomWindow;
  /** The request for the total, if the windows do not have it. */
  readonly count: UpstreamRequest | undefined;
  /** The claims that the answer relies on; every reply is checked against them. */
  readonly filters: readonly Filter[];
  readonly sort: Sort | null;
  readonly relies: readonly Capability[];
  readonly hydrates: Hydrated;
};

/** One page of a source whose windows can only be read in order: a walk from the nearest checkpoint. */
export type WalkPlan = Omit<PagePlan, 'kind' | 'window' | 'hydrates'> & {
  readonly window: SequentialWindow;
  /** Identifies the walked rows: equal keys mean equal rows in equal order. */
  readonly key: string;
};

/** All rows that match the pushed filters; the gateway filters, sorts and counts them itself. */
export type ScanPlan = {
  readonly kind: 'scan';
  readonly request: WindowRequest;
  readonly window: Window;
  /** The same without filters, where an early end of the rows may be the filters' doing; `undefined` where it is none. */
  readonly unfiltered: WindowRequest | undefined;
  /** Identifies the scanned rows: equal keys mean equal rows. */
  readonly key: string;
  readonly pushedFilters: readonly Filter[];
  readonly residualFilters: readonly Filter[];
  readonly sort: Sort | null;
  readonly relies: readonly Capability[];
  /** Whether the total in a reply is the number of rows scanned. */
  readonly totalCounts: boolean;
  /** Whether that total may only be a lower bound: a total of this source was wrong before. */
  readonly totalIsLowerBound: boolean;
  /** The request for such a total, if the windows do not have it. */
  readonly count: UpstreamRequest | undefined;
  /** A walk that can read the page without a scan if a checkpoint is near. */
  readonly walk: WalkPlan | undefined;
  readonly hydrates: Hydrated;
  /** Why the source cannot answer the page itself; for the log and for authors of source files. */
  readonly reason: string;
};

/** No record can match: no call is needed. */
export type NothingPlan = { readonly kind: 'nothing' };

/**
 * How a list is answered, told apart by `kind`: by a few windows of the source, by all rows that match, or without a
 * call.
 */
export type ListPlan = PagePlan | ScanPlan | NothingPlan;

/** Plans a query without the capabilities that are switched off. */
export type Planner = (query: ListQuery, switchedOff: ReadonlySet<Capability>) => ListPlan;
