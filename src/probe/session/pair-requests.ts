import type { GetAdapter } from '../../adapter/compile-record.ts';
import type { Adapter } from '../../adapter/compile.ts';
import type { ListPlan, WalkPlan } from '../../adapter/plan/plan.ts';
import type { RecordView } from '../../adapter/map/row-fields.ts';
import type { WindowCall } from '../../adapter/plan/window.ts';
import type { UpstreamReply, UpstreamRequest } from '../../kernel/upstream-call.ts';
import { MASK } from './mask-source.ts';

/** The same requests as they may be displayed: made from the masked source. */
export type DisplayRequests = WeakMap<UpstreamRequest, UpstreamRequest>;

/** An adapter whose requests can be displayed, and what it read from each reply. */
export type PairedAdapter = {
  readonly adapter: Adapter;
  readonly toDisplay: DisplayRequests;
  /** The number of rows in a reply. */
  readonly rows: WeakMap<UpstreamReply, number>;
  /** Which view of the resource a reply belongs to. */
  readonly views: WeakMap<UpstreamReply, RecordView>;
};

/** A window as it may be displayed: cursors and links may be made of values of records. */
function windowToDisplay(call: WindowCall, showValues: boolean): WindowCall {
  if (showValues) return call;
  const variables = Object.fromEntries(
    Object.entries(call.variables).map(([name, value]) => [name, typeof value === 'string' ? MASK : value]),
  );
  return {
    ...call,
    variables,
    ...(call.target !== undefined && { target: call.target.replace(/\?.*$/s, `?${MASK}`) }),
  };
}

/** Pairs the requests of plans and of single records with those of the masked source. */
function createPairs(toDisplay: DisplayRequests, showValues: boolean) {
  function pair(request: UpstreamRequest, masked: UpstreamRequest | undefined): UpstreamRequest {
    if (masked !== undefined) toDisplay.set(request, masked);
    return request;
  }

  function pairWalk(walk: WalkPlan, masked: WalkPlan | undefined): WalkPlan {
    if (masked === undefined) return walk;
    return {
      ...walk,
      request: (call) => pair(walk.request(call), masked.request(windowToDisplay(call, showValues))),
      count: walk.count && pair(walk.count, masked.count),
    };
  }

  function pairPlan(plan: ListPlan, masked: ListPlan): ListPlan {
    if (plan.kind === 'nothing' || masked.kind === 'nothing') return plan;
    const request = (call: WindowCall) =>
      pair(plan.request(call), masked.request(windowToDisplay(call, showValues)));
    if (plan.kind === 'scan')
      return {
        ...plan,
        request,
        walk: plan.walk && pairWalk(plan.walk, masked.kind === 'scan' ? masked.walk : undefined),
      };
    if (masked.kind === 'scan') return { ...plan, request };
    return { ...plan, request, count: plan.count && pair(plan.count, masked.count) };
  }

  return { pair, pairPlan };
}

/**
 * The adapter of a source whose every request is paired with that of the masked source, so that a call log can be
 * displayed without secrets and, unless `showValues`, without values of records in cursors and links.
 */
export function pairRequests(
  real: Adapter,
  masked: Adapter,
  { showValues, toDisplay = new WeakMap() }: { showValues: boolean; toDisplay?: DisplayRequests },
): PairedAdapter {
  const rows = new WeakMap<UpstreamReply, number>();
  const views = new WeakMap<UpstreamReply, RecordView>();
  const { pair, pairPlan } = createPairs(toDisplay, showValues);

  function pairRecord<T extends GetAdapter>(one: T, other: GetAdapter | undefined, view: RecordView): T {
    const paired: GetAdapter = {
      request(id) {
        const request = one.request(id);
        return request && pair(request, other?.request(id));
      },
      read(reply, id, onGap) {
        views.set(reply, view);
        const record = one.read(reply, id, onGap);
        rows.set(reply, record === undefined ? 0 : 1);
        return record;
      },
    };
    return { ...one, ...paired };
  }

  const { list, get } = real;
  const adapter: Adapter = {
    list: {
      ...list,
      details: list.details && pairRecord(list.details, masked.list.details, 'details'),
      plan: (query, off) => pairPlan(list.plan(query, off), masked.list.plan(query, off)),
      read(reply, onGap) {
        views.set(reply, 'list');
        const found = list.read(reply, onGap);
        rows.set(reply, found.received);
        return found;
      },
    },
    get: get && pairRecord(get, masked.get, 'get'),
  };
  return { adapter, toDisplay, rows, views };
}
