import type { Filter, ListQuery, Sort } from '../../contract/query.ts';
import type { UpstreamRequest } from '../../kernel/upstream-call.ts';
import type { Capability } from './push-down.ts';
import type { RandomWindow, SequentialWindow, Window, WindowCall } from './window.ts';

/**
 * Which rows need a call each for the fields that their windows lack: those of the page, or all that are read, where a
 * filter or the sort needs such a field. `undefined` where windows have all fields.
 */
export type Hydrated = 'page' | 'rows' | undefined;

/** Makes the request for a window of a plan. */
export type WindowRequest = (call: WindowCall) => UpstreamRequest;

/** One page straight from the source: a few windows, of which the page is cut out. */
export type PagePlan = {
  readonly kind: 'page';
  readonly request: WindowRequest;
  readonly window: RandomWindow;
  /** The request for the total, where the windows do not have it. */
  readonly count: UpstreamRequest | undefined;
  /** What the answer relies on; every reply is checked against these claims. */
  readonly filters: readonly Filter[];
  readonly sort: Sort | null;
  readonly relies: readonly Capability[];
  readonly hydrates: Hydrated;
};

/** One page of a source that gives its rows one window after the other: a walk from the nearest checkpoint. */
export type WalkPlan = Omit<PagePlan, 'kind' | 'window' | 'hydrates'> & {
  readonly window: SequentialWindow;
  /** Identifies what is walked: equal keys, equal rows in equal order. */
  readonly key: string;
};

/** All rows that match the pushed filters; the gateway filters, sorts and counts them itself. */
export type ScanPlan = {
  readonly kind: 'scan';
  readonly request: WindowRequest;
  readonly window: Window;
  /** Identifies what is scanned: equal keys, equal rows. */
  readonly key: string;
  readonly pushedFilters: readonly Filter[];
  readonly residualFilters: readonly Filter[];
  readonly sort: Sort | null;
  readonly relies: readonly Capability[];
  /** Whether the total in a reply is the number of rows scanned. */
  readonly totalCounts: boolean;
  /** Whether the total in a reply is a lower bound of that number: it was wrong before, so there may be more rows. */
  readonly totalIsLowerBound: boolean;
  /** How the page can be read without a scan where a checkpoint is near. */
  readonly walk: WalkPlan | undefined;
  readonly hydrates: Hydrated;
  /** Why the source cannot answer the page itself; for the log and for authors of source files. */
  readonly reason: string;
};

/** No record can match: the source is not asked. */
export type NothingPlan = { readonly kind: 'nothing' };

export type ListPlan = PagePlan | ScanPlan | NothingPlan;

/** Plans a query, without the capabilities that are switched off. */
export type Planner = (query: ListQuery, switchedOff: ReadonlySet<Capability>) => ListPlan;
