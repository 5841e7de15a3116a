import { type Adapter, compileAdapter, type Rows } from '../../adapter/compile.ts';
import { explainReplies } from '../../adapter/read/explain-reply.ts';
import type { OnGap } from '../../adapter/map/map-record.ts';
import { rowFields } from '../../adapter/map/row-fields.ts';
import type { Window, WindowCall } from '../../adapter/plan/window.ts';
import type { GetSpec, ListSpec, SourceSpec } from '../../config/schema/source.ts';
import type { CanonicalRecord } from '../../contract/document.ts';
import type { Filter, ListQuery, Sort } from '../../contract/query.ts';
import type { Resource } from '../../contract/resources.ts';
import { GatewayError } from '../../errors/fault.ts';
import type { UpstreamReply, UpstreamRequest } from '../../kernel/upstream-call.ts';
import type { CompiledSource } from '../../pipeline/compile-sources.ts';
import type { Usage, Upstream } from '../../upstream/client.ts';
import { type Change, depthOf, valuelessSource, willingSource } from './source-variant.ts';
import { maskSource } from '../mask-source.ts';
import { showCall, type ShownCall } from '../display-call.ts';
import { withShownRequests } from '../record-calls.ts';

/** A reply, and what the source's file makes of it. */
export type Heard<T> = {
  readonly request: UpstreamRequest;
  readonly reply: UpstreamReply;
  /** `undefined` where there is a problem. */
  readonly value: T | undefined;
  readonly problem: GatewayError | undefined;
};

/** What a list is asked for beside a window. */
export type Question = { readonly filters?: readonly Filter[]; readonly sort?: Sort };

/** Asks one question of the list, window by window. */
export type Lister = {
  readonly window: Window;
  ask(call: WindowCall): Promise<Heard<Rows>>;
  /** Asks for the total where that takes a request of its own. */
  readonly count: (() => Promise<Heard<number | undefined>>) | undefined;
};

/** One resource of a live source, to be asked whatever a probe wants to know. It never asks more than it may. */
export type Examination = {
  readonly compiled: CompiledSource;
  readonly resource: Resource;
  readonly spec: SourceSpec;
  readonly list: ListSpec;
  readonly get: GetSpec | undefined;
  /** Whether values of records may be told. */
  readonly showValues: boolean;
  readonly callsLeft: () => number;
  /** Fields that became `null` on the way, by `field reason`, since the last `forget`. */
  readonly gaps: Map<string, number>;
  /** Probes that found a difference: what rests on their claims says nothing. */
  readonly doubts: Set<string>;
  /** `undefined` where the planner would not send the question as it is. @throws Unreached, CallsUsedUp */
  lister(question: Question, change?: Change): Lister | undefined;
  /** Asks for a single record by its v1 id; `undefined` where no request is made for it. */
  ask(id: string): Promise<Heard<CanonicalRecord | undefined>> | undefined;
  /** The outcome that the rules give a reply, and the number of the rule; `undefined` where none fits. */
  outcomeOf(
    on: 'list' | 'get',
    reply: UpstreamReply,
  ): { readonly is: string; readonly rule: number } | undefined;
  /** A request as it may be shown. */
  shown(request: UpstreamRequest): ShownCall | undefined;
  /** The same examination through another client, such as one with another credential. */
  through(upstream: Pick<Upstream, 'ask'>): Examination;
};

/** Thrown where the source did not answer, or says that it does not for now. */
export class Unreached extends Error {}

/** Thrown where no more calls may be made. */
export class CallsUsedUp extends Error {}

/** What an examination needs. */
export type ExaminationDeps = {
  readonly compiled: CompiledSource;
  /** The text of the source's file. */
  readonly text: string;
  readonly upstream: Pick<Upstream, 'ask'>;
  /** The most calls, over all examinations with this usage. */
  readonly callsMax: number;
  readonly usage: Usage;
  readonly showValues: boolean;
  readonly stop: AbortSignal;
};

function compiledVariant(spec: SourceSpec, resource: Resource): Adapter {
  const adapter = compileAdapter(spec, resource, () => undefined);
  if (adapter === undefined) throw new Error(`the source does not describe ${resource.name}`);
  return adapter;
}

/** Asks within the bounds, and keeps a reply that does not read as the file says. */
function createAsker({ upstream, callsMax, usage, stop }: ExaminationDeps) {
  return async function ask<T>(
    request: UpstreamRequest,
    read: (reply: UpstreamReply) => T,
  ): Promise<Heard<T>> {
    if (usage.upstreamCalls >= callsMax) throw new CallsUsedUp(`--calls-max ${callsMax} is used up`);
    let heard: UpstreamReply | undefined;
    const keep = (reply: UpstreamReply) => {
      heard = reply;
      return read(reply);
    };
    try {
      const value = await upstream.ask(request, keep, stop, usage);
      if (heard === undefined) throw new Error('a value is read from a reply');
      return { request, reply: heard, value, problem: undefined };
    } catch (problem) {
      if (!(problem instanceof GatewayError)) throw problem;
      if (heard === undefined || problem.code === 'upstream_unavailable')
        throw new Unreached(problem.detail ?? problem.message);
      return { request, reply: heard, value: undefined, problem };
    }
  };
}

function everyRow(resource: Resource, { filters = [], sort }: Question): ListQuery {
  return { kind: 'list', resource: resource.name, page: 1, limit: 1, sort: sort ?? null, filters };
}

/** Opens the examination of a resource that the source's file describes. */
export function createExamination(deps: ExaminationDeps): Examination {
  const { compiled, text, callsMax, usage, showValues } = deps;
  const { resource, adapter, source } = compiled;
  const { spec } = source;
  const own = spec.resources[resource.name];
  if (own === undefined) throw new Error(`the source does not describe ${resource.name}`);
  const masked = maskSource(source, text);
  const gaps = new Map<string, number>();
  const shown = new WeakMap<UpstreamRequest, UpstreamRequest>();
  const ask = createAsker(deps);
  const onGap: OnGap = (field, reason) =>
    gaps.set(`${field} ${reason}`, (gaps.get(`${field} ${reason}`) ?? 0) + 1);

  /** The adapter of a changed source, with what its requests look like. */
  function variant(change: Change, filters: readonly Filter[] = []) {
    const twin = willingSource(masked, resource.name, change);
    return withShownRequests(
      compiledVariant(willingSource(spec, resource.name, change), resource),
      compiledVariant(showValues ? twin : valuelessSource(twin, resource.name, filters), resource),
      showValues,
    );
  }
  const unchanged = variant({});
  const itemFields = rowFields(own, resource);
  const isThere = (field: string) => itemFields.some(({ name }) => name === field);

  return {
    ...{
      compiled,
      // What only the details of a row have is not probed.
      resource: { ...resource, itemFields, filters: resource.filters.filter(({ field }) => isThere(field)) },
      spec,
      list: own.list,
      get: own.get,
      showValues,
      gaps,
      doubts: new Set<string>(),
    },
    callsLeft: () => Math.max(0, callsMax - usage.upstreamCalls),
    lister(question, change) {
      const { filters = [] } = question;
      const varied =
        change === undefined && filters.length === 0 ? unchanged : variant(change ?? {}, filters);
      const plan = varied.adapter.list.plan(everyRow(resource, question), new Set());
      if (plan.kind === 'nothing') return undefined;
      if (plan.kind === 'scan' && plan.residualFilters.length > 0) return undefined;
      // A scan sorts by itself; the walk from a remembered place asks the source to.
      const sends = plan.kind === 'scan' && question.sort !== undefined ? plan.walk : plan;
      if (sends === undefined) return undefined;
      const keep = (request: UpstreamRequest) => {
        const twin = varied.shown.get(request);
        if (twin !== undefined) shown.set(request, twin);
        return request;
      };
      const count = plan.kind === 'page' ? plan.count : undefined;
      return {
        window: plan.window,
        ask: (call) => ask(keep(sends.request(call)), (reply) => adapter.list.read(reply, onGap)),
        count: count && (() => ask(keep(count), adapter.list.readCount)),
      };
    },
    ask(id) {
      const { get } = adapter;
      const request = unchanged.adapter.get?.request(id);
      if (request === undefined || get === undefined) return undefined;
      const twin = unchanged.shown.get(request);
      if (twin !== undefined) shown.set(request, twin);
      return ask(request, (reply) => get.read(reply, id, () => undefined));
    },
    outcomeOf(on, reply) {
      const rule = explainReplies(spec, resource, on)?.rule(reply);
      return rule === undefined ? undefined : { is: spec.outcomes[rule]?.is ?? '', rule };
    },
    shown(request) {
      const twin = shown.get(request);
      return twin && showCall(masked, twin);
    },
    through: (upstream) => createExamination({ ...deps, upstream }),
  };
}

/** What came, in words: `HTTP 200 with 40 rows`, or what was wrong with it. */
export function heardText({ reply, value, problem }: Heard<unknown>): string {
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
  { list }: Examination,
  { window }: Lister,
  firstRow: number,
  size: number,
): WindowCall {
  if (window.kind === 'sequential') return window.first;
  const within = list.window.kind === 'offset' ? Math.max(1, depthOf(list) - firstRow) : Infinity;
  const rows = Math.min(size, within);
  return window.cover(firstRow, Number.isFinite(rows) ? rows : 1)[0] ?? window.scanCall(0);
}
