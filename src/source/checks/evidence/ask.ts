// What the probes of `doctor` and `infer` use to ask a source, and small questions about the windows of its list.

import type { Rows } from '../../adapter/compile.ts';
import type { Planner } from '../../adapter/plan/plan.ts';
import type { Window, WindowCall } from '../../adapter/plan/window.ts';
import type { GetSpec, ListSpec, SourceSpec } from '../../../config/schema/source.ts';
import type { Filter, Sort } from '../../../contract/query.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import type { GatewayError } from '../../../kernel/errors/fault.ts';
import type { JsonType } from '../../../kernel/json/values.ts';
import { plural } from '../../../kernel/plural.ts';
import type { UpstreamReply, UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { SpecChange } from './spec-change.ts';

/** A request, its reply, and what was read from the reply: a value, or the problem that kept it from being read. */
export type Exchange<T> = { readonly request: UpstreamRequest; readonly reply: UpstreamReply } & (
  | { readonly value: T; readonly problem: undefined }
  | { readonly value: undefined; readonly problem: GatewayError }
);

/** What a list is asked for. `size`, `base`, `query` and `declared` replace what the source file says. */
export type RowSelection = {
  readonly filters?: readonly Filter[];
  readonly sort?: Sort;
  readonly size?: number;
  readonly base?: number;
  readonly query?: Readonly<Record<string, string>>;
  readonly declared?: ListSpec['filters'];
};

/** Reads a selection of the list, window by window. The calls throw SourceUnreachable and SessionBudgetSpent. */
export type OpenList = {
  readonly window: Window;
  ask(call: WindowCall): Promise<Exchange<Rows>>;
  /** Asks for the total; `undefined` if this needs no request of its own. */
  readonly count: (() => Promise<Exchange<number | undefined>>) | undefined;
};

/** A total that a reply gave, with the request of this reply. */
export type TotalSeen = { readonly total: number; readonly request: UpstreamRequest };

/** Sends the requests that a source file allows for one resource. Probes reach a source only through it. */
export type Ask = {
  readonly spec: SourceSpec;
  readonly resource: Resource;
  readonly list: ListSpec;
  readonly get: GetSpec | undefined;
  readonly plan: Planner;
  /** Fields that only the details of a row have. */
  readonly detailFields: readonly string[];
  /** Whether findings may hold values of records. */
  readonly showValues: boolean;
  readonly callsLeft: () => number;
  /** How often fields became `null` because they were missing or unreadable, by `field reason`. */
  readonly gaps: Map<string, number>;
  /** The JSON type of each value of a field that has filters, by field and id, of all rows that were read. */
  readonly types: ReadonlyMap<string, ReadonlyMap<string, JsonType>>;
  /**
   * The totals that replies gave, by selection of rows, in the order in which they came. A total that is equal to the one before
   * is left out. Windows behind the last row do not count.
   */
  readonly totals: ReadonlyMap<string, readonly TotalSeen[]>;
  /** Opens a selection of the list; `undefined` if the planner would not send the selection as it is. */
  open(selection: RowSelection): OpenList | undefined;
  /** Asks for a single record by its v1 id; `undefined` if no request can be made for the id. */
  one(id: string): Promise<Exchange<CanonicalRecord | undefined>> | undefined;
  /** Asks for the fields that a row of the list lacks; `undefined` if rows lack none, or no request can be made for the id. */
  details(id: string): Promise<Exchange<CanonicalRecord | undefined>> | undefined;
  /** The outcome of a reply by the response rules, and the index of the rule; `undefined` if no rule fits. */
  outcomeOf(
    on: 'list' | 'get',
    reply: UpstreamReply,
  ): { readonly is: string; readonly rule: number } | undefined;
  /** Sends a request of the file that asks for no records. */
  send(request: UpstreamRequest): Promise<Exchange<undefined>>;
  /** An `Ask` for the same source with some changes of its file. */
  with(changes: readonly SpecChange[]): Ask;
  /** Works in the same session, but with another credential. */
  withCredential<T>(auth: SourceSpec['auth'], work: (ask: Ask) => Promise<T>): Promise<T>;
};

/** The most rows that can be reached, by `window.depthMax`. */
export function depthOf({ window }: ListSpec): number {
  return ('depthMax' in window ? window.depthMax : undefined) ?? Infinity;
}

/** The most rows that a call asks for; `Infinity` if one call returns everything. */
export function sizeOf(list: ListSpec): number {
  const { window } = list;
  if (window.kind === 'none') return Infinity;
  return window.kind === 'page' ? Math.max(...window.sizes) : Math.min(window.sizeMax, depthOf(list));
}

type NumberedWindow = Extract<ListSpec['window'], { readonly kind: 'offset' | 'page' }>;

/** Whether windows are asked for by the number of a row or a page. */
export function isNumbered(window: ListSpec['window']): window is NumberedWindow {
  return window.kind === 'offset' || window.kind === 'page';
}

/** The key under `window` in the source file that says how many rows a call asks for. */
export function sizeKey({ window }: ListSpec): 'sizes' | 'sizeMax' {
  return window.kind === 'page' ? 'sizes' : 'sizeMax';
}

/** Whether any window may be short (`shortPage: anywhere`), so that row numbers are not reliable. */
export function hidesRows({ window }: ListSpec): boolean {
  return 'shortPage' in window && window.shortPage === 'anywhere';
}

/** Whether the file says that a window behind the last row is empty. */
export function endsEmpty({ window }: ListSpec): boolean {
  return !('pastEnd' in window) || window.pastEnd === 'empty';
}

/** Whether a window lies within the rows that the file says can be reached. */
export function isWithinReach(list: ListSpec, firstRow: number, size: number): boolean {
  return (list.window.kind === 'page' ? firstRow + 1 : firstRow + size) <= depthOf(list);
}

/** The place of some keys below the resource's `list` in the source file. */
export function listPlace({ resource }: Pick<Ask, 'resource'>, ...keys: readonly PropertyKey[]) {
  return ['resources', resource.name, 'list', ...keys];
}

/** The place of some keys below the resource's `id` in the source file. */
export function idPlace({ resource }: Pick<Ask, 'resource'>, ...keys: readonly PropertyKey[]) {
  return ['resources', resource.name, 'id', ...keys];
}

/** The place of some keys below the resource's `get` in the source file. */
export function getPlace({ resource }: Pick<Ask, 'resource'>, ...keys: readonly PropertyKey[]) {
  return ['resources', resource.name, 'get', ...keys];
}

/**
 * The call for some rows, but no rows beyond `window.depthMax`. If windows are pages, `firstRow` must be a multiple of `size`.
 */
export function callAt({ list }: Ask, { window }: OpenList, firstRow: number, size: number): WindowCall {
  if (window.kind === 'sequential') return window.first;
  const within = list.window.kind === 'offset' ? Math.max(1, depthOf(list) - firstRow) : Infinity;
  const rows = Math.min(size, within);
  return window.cover(firstRow, Number.isFinite(rows) ? rows : 1)[0] ?? window.scanCall(0);
}

/** Asks for one window of the list, or of a selection that the planner can send. */
export function rowsAt(ask: Ask, firstRow: number, size: number, selection: RowSelection = {}) {
  const reader = ask.open(Number.isFinite(size) ? { ...selection, size } : selection);
  if (reader === undefined) throw new Error('every row can be asked for');
  return reader.ask(callAt(ask, reader, firstRow, size));
}

/** The ids of a window, in order. */
export function idsOf({ value }: Pick<Exchange<Rows>, 'value'>): readonly string[] {
  return value?.records.map(({ id }) => id) ?? [];
}

/** Whether two lists have the same ids in the same order. */
export function sameIds(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

/** A reply in words: `HTTP 200 with 40 rows`, or what was wrong with it. */
export function describeExchange({ reply, value, problem }: Exchange<unknown>): string {
  const status = `HTTP ${reply.status}`;
  if (problem !== undefined) {
    const detail = (problem.detail ?? problem.message).replace(` (${status})`, '');
    return `${status}, ${detail}`;
  }
  if (typeof value !== 'object' || value === null) return status;
  const received = 'received' in value ? Number(value.received) : 1;
  return `${status} with ${plural(received, 'row')}`;
}
