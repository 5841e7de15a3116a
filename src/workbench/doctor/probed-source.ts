// The source that a run of claims probes: it makes the requests for any rows that a claim asks for (`Ask`), and says how a
// call may be displayed, without secrets and values.

import type { Adapter } from '../../source/adapter/compile.ts';
import type { GetAdapter } from '../../source/adapter/compile-record.ts';
import { explainReplies } from '../../source/adapter/read/explain-reply.ts';
import type { OnMissingValue } from '../../source/adapter/map/map-record.ts';
import { rowFields } from '../../source/adapter/map/row-fields.ts';
import { type ReplyObserver, UNOBSERVED } from '../../source/adapter/map/reply-observer.ts';
import type { Ask, RowSelection, TotalSeen } from '../../source/checks/evidence/ask.ts';
import { changeSpec, type SpecChange } from '../../source/checks/evidence/spec-change.ts';
import type { SourceSpec } from '../../config/schema/source.ts';
import type { ListQuery } from '../../contract/query.ts';
import type { JsonType } from '../../kernel/json/values.ts';
import type { UpstreamReply, UpstreamRequest } from '../../kernel/upstream-call.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { compileValid, maskedSpec, callToDisplay, type DisplayedCall } from './session/masked-source.ts';
import { type Counterparts, pairRequests, withoutValues } from './session/pair-requests.ts';
import { createCommandClient, type SourceSession } from './session/source-session.ts';
import { permissiveSource, sourceWithoutValues } from './source-variant.ts';

/** How claims ask a live source, and how its calls may be displayed. */
export type ProbedSource = {
  readonly ask: Ask;
  /** A call as it may be displayed: secrets are `***`, and so are values unless they may be shown. */
  readonly display: (request: UpstreamRequest) => DisplayedCall | undefined;
};

/** What `createProbedSource` needs. */
export type ProbedSourceDeps = {
  readonly compiled: CompiledSource;
  readonly session: SourceSession;
  readonly showValues: boolean;
  readonly stop: AbortSignal;
};

type Counted = { readonly request: UpstreamRequest; readonly value: number | undefined };

/** Two specs of one source: `spec` makes the requests, and `masked` makes what may be displayed of them. */
type Specs = { readonly spec: SourceSpec; readonly masked: SourceSpec };

/** Makes the adapter for a selection of rows; each of its requests is paired with the one that may be displayed. */
function compileSelection(
  { spec, masked }: Specs,
  { compiled: { resource }, showValues }: ProbedSourceDeps,
  toDisplay: Counterparts,
) {
  const known = new Map<string, Adapter>();
  function compileFor(selection: RowSelection): Adapter {
    const real = permissiveSource(spec, resource.name, selection);
    const other = permissiveSource(masked, resource.name, selection);
    const display = showValues ? other : sourceWithoutValues(other, resource.name, selection.filters ?? []);
    const translation = showValues ? {} : withoutValues;
    return pairRequests(compileValid(real, resource), compileValid(display, resource), translation, toDisplay)
      .adapter;
  }
  return function adapterFor(selection: RowSelection): Adapter {
    const { size, base, query, declared, filters = [] } = selection;
    const key = JSON.stringify([size, base, query, declared, filters.map(({ field, op }) => [field, op])]);
    const adapter = known.get(key) ?? compileFor(selection);
    known.set(key, adapter);
    return adapter;
  };
}

/** Keeps the totals that replies give, by filters: neither order nor window size changes the number of rows. */
function createTotalLog() {
  const totals = new Map<string, TotalSeen[]>();
  function keep({ filters = [], base, query, declared }: RowSelection, { request, value }: Counted): void {
    if (value === undefined || (base ?? query ?? declared) !== undefined) return;
    const key = JSON.stringify(filters);
    const seen = totals.get(key) ?? [];
    if (seen.length === 0) totals.set(key, seen);
    if (seen.at(-1)?.total !== value) seen.push({ total: value, request });
  }
  return { totals, keep };
}

/** Makes the function that opens the rows of a selection. It answers `undefined` if the source cannot give just these rows. */
function createOpenRows(
  { session, stop, compiled: { resource } }: ProbedSourceDeps,
  adapterFor: ReturnType<typeof compileSelection>,
  read: {
    readonly list: (reply: UpstreamReply) => ReturnType<Adapter['list']['read']>;
    readonly count: (reply: UpstreamReply) => ReturnType<Adapter['list']['readCount']>;
    readonly keepTotal: ReturnType<typeof createTotalLog>['keep'];
  },
): Ask['open'] {
  return function open(selection) {
    const { filters = [], sort = null } = selection;
    const query: ListQuery = { kind: 'list', resource: resource.name, page: 1, limit: 1, sort, filters };
    const plan = adapterFor(selection).list.plan(query, new Set());
    if (plan.kind === 'nothing') return undefined;
    if (plan.kind === 'scan' && plan.residualFilters.length > 0) return undefined;
    // A scan is sorted by the gateway; only its cursor plan asks the source to sort.
    const sends = plan.kind === 'scan' && selection.sort !== undefined ? plan.cursorPlan : plan;
    if (sends === undefined) return undefined;
    const count = plan.kind === 'page' ? plan.count : undefined;
    return {
      window: plan.window,
      async ask(call) {
        const exchange = await session.exchange(sends.request(call), read.list, stop);
        const { request, value } = exchange;
        const isBehind = call.firstRow > 0 && value?.received === 0;
        if (!isBehind) read.keepTotal(selection, { request, value: value?.total });
        return exchange;
      },
      count:
        count &&
        (async () => {
          const exchange = await session.exchange(count, read.count, stop);
          read.keepTotal(selection, exchange);
          return exchange;
        }),
    };
  };
}

type SeenTypes = Map<string, Map<string, JsonType>>;

/** @throws Error if the specs do not describe the resource */
function createAsk(specs: Specs, deps: ProbedSourceDeps, toDisplay: Counterparts, types: SeenTypes): Ask {
  const { session, showValues, stop } = deps;
  const { resource } = deps.compiled;
  const { spec, masked } = specs;
  const own = spec.resources[resource.name];
  if (own === undefined) throw new Error(`the source does not describe ${resource.name}`);
  const adapter = spec === deps.compiled.source.spec ? deps.compiled.adapter : compileValid(spec, resource);
  const gaps = new Map<string, number>();
  const log = createTotalLog();
  const adapterFor = compileSelection(specs, deps, toDisplay);
  const onMissingValue: OnMissingValue = (field, reason) =>
    reason !== 'absent' && gaps.set(`${field} ${reason}`, (gaps.get(`${field} ${reason}`) ?? 0) + 1);
  const onType: ReplyObserver['onType'] = (field, id, type) => {
    if (!types.has(field)) types.set(field, new Map());
    types.get(field)?.set(id, type);
  };
  const unchanged = adapterFor({});
  const itemFields = rowFields(own, resource);
  const isThere = (field: string) => itemFields.some(({ name }) => name === field);
  function askRecord(sends: GetAdapter | undefined, reads: GetAdapter | undefined, id: string) {
    const request = sends?.request(id);
    if (request === undefined || reads === undefined) return undefined;
    return session.exchange(request, (reply) => reads.read(reply, id, UNOBSERVED), stop);
  }

  return {
    ...{ spec, list: own.list, get: own.get, showValues, gaps, types, totals: log.totals },
    plan: adapter.list.plan,
    detailFields: [...(adapter.list.details?.fields ?? [])],
    // Fields that only the details of a row have are not probed.
    resource: { ...resource, itemFields, filters: resource.filters.filter(({ field }) => isThere(field)) },
    callsLeft: () => session.callsLeft,
    open: createOpenRows(deps, adapterFor, {
      list: (reply) => adapter.list.read(reply, { ...UNOBSERVED, onMissingValue, onType, keepsGhosts: true }),
      count: (reply) => adapter.list.readCount(reply, UNOBSERVED),
      keepTotal: log.keep,
    }),
    one: (id) => askRecord(unchanged.get, adapter.get, id),
    details: (id) => askRecord(unchanged.list.details, adapter.list.details, id),
    outcomeOf(on, reply) {
      const rule = explainReplies(spec, resource, on)?.rule(reply);
      return rule === undefined ? undefined : { is: spec.outcomes[rule]?.is ?? '', rule };
    },
    send: (request) => session.exchange(request, () => undefined, stop),
    with(changes: readonly SpecChange[]) {
      const changed = { spec: changeSpec(spec, changes), masked: changeSpec(masked, changes) };
      return createAsk(changed, deps, toDisplay, types);
    },
    async withCredential(auth, work) {
      const other = session.openPart({}, createCommandClient({ ...spec, auth }));
      try {
        return await work(createAsk(specs, { ...deps, session: other }, toDisplay, types));
      } finally {
        other.close();
      }
    },
  };
}

/** Lets claims ask a source, within the budget of a session with it. @throws Error if its file lacks the resource */
export function createProbedSource(deps: ProbedSourceDeps): ProbedSource {
  const { compiled } = deps;
  const masked = maskedSpec(compiled.source);
  const toDisplay: Counterparts = new WeakMap();
  return {
    ask: createAsk({ spec: compiled.source.spec, masked }, deps, toDisplay, new Map()),
    display(request) {
      const displayed = toDisplay.get(request);
      return displayed && callToDisplay(masked, displayed);
    },
  };
}
