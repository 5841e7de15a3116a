import type { Rows } from '../../adapter/compile.ts';
import { explainReplies } from '../../adapter/read/explain-reply.ts';
import type { OnGap } from '../../adapter/map/map-record.ts';
import { rowFields } from '../../adapter/map/row-fields.ts';
import type { Window, WindowCall } from '../../adapter/plan/window.ts';
import type { GetSpec, ListSpec, SourceSpec } from '../../config/schema/source.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Filter, ListQuery, Sort } from '../../contract/query.ts';
import type { Resource } from '../../contract/resources.ts';
import type { UpstreamReply, UpstreamRequest } from '../../kernel/upstream-call.ts';
import type { CompiledSource } from '../../pipeline/compile-sources.ts';
import { type Variation, depthOf, sourceWithoutValues, permissiveSource } from './source-variant.ts';
import { compileValid, maskedSource } from '../session/masked-source.ts';
import { callToDisplay, type DisplayedCall } from '../session/display-call.ts';
import { type Counterparts, pairRequests, withoutValues } from '../session/pair-requests.ts';
import { createSourceClient, type SessionExchange, type SourceSession } from '../session/source-session.ts';

/** What a list is asked for beside a window. */
export type ListSelection = { readonly filters?: readonly Filter[]; readonly sort?: Sort };

/** Reads a selection of the list, window by window. Its calls throw SourceUnreachable and SessionBudgetSpent. */
export type ProbedList = {
  readonly window: Window;
  ask(call: WindowCall): Promise<SessionExchange<Rows>>;
  /** Asks for the total where that takes a request of its own. */
  readonly count: (() => Promise<SessionExchange<number | undefined>>) | undefined;
};

/** A session that probes one resource of a live source, within the budget of the session with that source. */
export type ProbeSession = {
  readonly compiled: CompiledSource;
  readonly resource: Resource;
  readonly spec: SourceSpec;
  readonly list: ListSpec;
  readonly get: GetSpec | undefined;
  /** Whether findings may hold values of records. */
  readonly showValues: boolean;
  readonly callsLeft: () => number;
  /** Fields that became `null` because they were missing or unreadable: how often, by `field reason`. */
  readonly gaps: Map<string, number>;
  /** Probes that found a difference: what relies on their claims cannot be judged. */
  readonly failedClaims: Set<string>;
  /** `undefined` where the planner would not send the selection as it is. */
  reader(selection: ListSelection, change?: Variation): ProbedList | undefined;
  /** Asks for a single record by its v1 id; `undefined` where no request is made for it. */
  ask(id: string): Promise<SessionExchange<CanonicalRecord | undefined>> | undefined;
  /** The outcome that the rules give a reply, and the number of the rule; `undefined` where none fits. */
  outcomeOf(
    on: 'list' | 'get',
    reply: UpstreamReply,
  ): { readonly is: string; readonly rule: number } | undefined;
  /** A call as it may be displayed. */
  display(request: UpstreamRequest): DisplayedCall | undefined;
  /** Does some work in the same session, but with another credential. */
  withCredential<T>(auth: SourceSpec['auth'], work: (session: ProbeSession) => Promise<T>): Promise<T>;
};

/** What a probe session needs. */
export type ProbeSessionDeps = {
  readonly compiled: CompiledSource;
  readonly session: SourceSession;
  readonly showValues: boolean;
  readonly stop: AbortSignal;
};

function everyRow(resource: Resource, { filters = [], sort }: ListSelection): ListQuery {
  return { kind: 'list', resource: resource.name, page: 1, limit: 1, sort: sort ?? null, filters };
}

/** The adapter of the source as a probe wants it to be, its requests paired with those that may be displayed. */
function compileVariation(
  { source: { spec }, resource }: CompiledSource,
  masked: SourceSpec,
  showValues: boolean,
  toDisplay: Counterparts,
) {
  return function vary(change: Variation, filters: readonly Filter[] = []) {
    const real = permissiveSource(spec, resource.name, change);
    const other = permissiveSource(masked, resource.name, change);
    const display = showValues ? other : sourceWithoutValues(other, resource.name, filters);
    const translation = showValues ? {} : withoutValues;
    return pairRequests(compileValid(real, resource), compileValid(display, resource), translation, toDisplay)
      .adapter;
  };
}

/** Opens a probe session for a resource that the source's file describes. */
export function createProbeSession(deps: ProbeSessionDeps): ProbeSession {
  const { compiled, session, showValues, stop } = deps;
  const { resource, adapter, source } = compiled;
  const { spec } = source;
  const own = spec.resources[resource.name];
  if (own === undefined) throw new Error(`the source does not describe ${resource.name}`);
  const masked = maskedSource(compiled).spec;
  const gaps = new Map<string, number>();
  const toDisplay: Counterparts = new WeakMap();
  const vary = compileVariation(compiled, masked, showValues, toDisplay);
  const onGap: OnGap = (field, reason) =>
    gaps.set(`${field} ${reason}`, (gaps.get(`${field} ${reason}`) ?? 0) + 1);
  const unchanged = vary({});
  const itemFields = rowFields(own, resource);
  const isThere = (field: string) => itemFields.some(({ name }) => name === field);

  return {
    ...{ compiled, spec, list: own.list, get: own.get, showValues, gaps },
    // What only the details of a row have is not probed.
    resource: { ...resource, itemFields, filters: resource.filters.filter(({ field }) => isThere(field)) },
    failedClaims: new Set<string>(),
    callsLeft: () => session.callsLeft,
    reader(selection, change) {
      const { filters = [] } = selection;
      const varied = change === undefined && filters.length === 0 ? unchanged : vary(change ?? {}, filters);
      const plan = varied.list.plan(everyRow(resource, selection), new Set());
      if (plan.kind === 'nothing') return undefined;
      if (plan.kind === 'scan' && plan.residualFilters.length > 0) return undefined;
      // A scan sorts by itself; the walk from a remembered place asks the source to.
      const sends = plan.kind === 'scan' && selection.sort !== undefined ? plan.walk : plan;
      if (sends === undefined) return undefined;
      const count = plan.kind === 'page' ? plan.count : undefined;
      return {
        window: plan.window,
        ask: (call) =>
          session.exchange(sends.request(call), (reply) => adapter.list.read(reply, onGap), stop),
        count: count && (() => session.exchange(count, adapter.list.readCount, stop)),
      };
    },
    ask(id) {
      const { get } = adapter;
      const request = unchanged.get?.request(id);
      if (request === undefined || get === undefined) return undefined;
      return session.exchange(request, (reply) => get.read(reply, id, () => undefined), stop);
    },
    outcomeOf(on, reply) {
      const rule = explainReplies(spec, resource, on)?.rule(reply);
      return rule === undefined ? undefined : { is: spec.outcomes[rule]?.is ?? '', rule };
    },
    display(request) {
      const displayed = toDisplay.get(request);
      return displayed && callToDisplay(masked, displayed);
    },
    async withCredential(auth, work) {
      const other = session.part({}, createSourceClient({ ...spec, auth }));
      try {
        return await work(createProbeSession({ ...deps, session: other }));
      } finally {
        other.close();
      }
    },
  };
}

/** What came, in words: `HTTP 200 with 40 rows`, or what was wrong with it. */
export function describeExchange({ reply, value, problem }: SessionExchange<unknown>): string {
  const status = `HTTP ${reply.status}`;
  if (problem !== undefined) {
    const detail = (problem.detail ?? problem.message).replace(` (${status})`, '');
    return `${status}, ${detail}`;
  }
  if (typeof value !== 'object' || value === null) return status;
  const received = 'received' in value ? Number(value.received) : 1;
  return `${status} with ${received} ${received === 1 ? 'row' : 'rows'}`;
}

/**
 * The call for some rows, fewer where the file says that not all of them can be reached; of a source with pages,
 * `firstRow` is a multiple of `size`.
 */
export function callAt(
  { list }: ProbeSession,
  { window }: ProbedList,
  firstRow: number,
  size: number,
): WindowCall {
  if (window.kind === 'sequential') return window.first;
  const within = list.window.kind === 'offset' ? Math.max(1, depthOf(list) - firstRow) : Infinity;
  const rows = Math.min(size, within);
  return window.cover(firstRow, Number.isFinite(rows) ? rows : 1)[0] ?? window.scanCall(0);
}
