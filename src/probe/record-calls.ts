import type { GetAdapter } from '../adapter/compile-record.ts';
import type { Adapter } from '../adapter/compile.ts';
import type { ListPlan, WalkPlan } from '../adapter/plan/plan.ts';
import type { View } from '../adapter/map/row-fields.ts';
import type { WindowCall } from '../adapter/plan/window.ts';
import { type GatewayError, toGatewayError } from '../errors/fault.ts';
import type { UpstreamReply, UpstreamRequest } from '../kernel/upstream-call.ts';
import type { Upstream } from '../upstream/client.ts';
import { MASK } from './mask-source.ts';

/** A call that was made. */
export type MadeCall = {
  /** The request as it may be shown: made from the masked source. */
  readonly request: UpstreamRequest;
  status: number | undefined;
  /** The exchange itself, without the wait for a place. */
  ms: number;
  rows: number | undefined;
  /** The number of the outcome rule that decided, from 0. */
  rule: number | undefined;
  problem: GatewayError | undefined;
};

/** A window as it may be shown: what names the one behind another may be made of values. */
function shownWindow(call: WindowCall, showValues: boolean): WindowCall {
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

/**
 * The adapter, what its requests look like when they are shown, how many rows its replies held and of which view they
 * are. `masked` is the adapter of the masked source.
 */
export function withShownRequests(real: Adapter, masked: Adapter, showValues: boolean) {
  const shown = new WeakMap<UpstreamRequest, UpstreamRequest>();
  const rows = new WeakMap<UpstreamReply, number>();
  const views = new WeakMap<UpstreamReply, View>();

  function pair(request: UpstreamRequest, twin: UpstreamRequest | undefined): UpstreamRequest {
    if (twin !== undefined) shown.set(request, twin);
    return request;
  }

  function pairWalk(walk: WalkPlan, twin: WalkPlan | undefined): WalkPlan {
    if (twin === undefined) return walk;
    return {
      ...walk,
      request: (call) => pair(walk.request(call), twin.request(shownWindow(call, showValues))),
      count: walk.count && pair(walk.count, twin.count),
    };
  }

  function pairPlan(plan: ListPlan, twin: ListPlan): ListPlan {
    if (plan.kind === 'nothing' || twin.kind === 'nothing') return plan;
    const request = (call: WindowCall) =>
      pair(plan.request(call), twin.request(shownWindow(call, showValues)));
    if (plan.kind === 'scan')
      return {
        ...plan,
        request,
        walk: plan.walk && pairWalk(plan.walk, twin.kind === 'scan' ? twin.walk : undefined),
      };
    if (twin.kind === 'scan') return { ...plan, request };
    return { ...plan, request, count: plan.count && pair(plan.count, twin.count) };
  }

  /** A way to ask for single records, its replies marked as those of a view. */
  function pairRecord<T extends GetAdapter>(one: T, twin: GetAdapter | undefined, view: View): T {
    const paired: GetAdapter = {
      request(id) {
        const request = one.request(id);
        return request && pair(request, twin?.request(id));
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
  return { adapter, shown, rows, views };
}

/** A call, and the reply to it if there was one. */
export type Witnessed = { readonly call: MadeCall; reply: UpstreamReply | undefined };

/** Asks an upstream and keeps every call and reply. */
export function witness(upstream: Upstream, shown: WeakMap<UpstreamRequest, UpstreamRequest>) {
  const made: Witnessed[] = [];
  const ask: Upstream['ask'] = async (request, read, signal, usage) => {
    const blank = { ...request, target: MASK, headers: {}, body: undefined };
    const call: MadeCall = {
      request: shown.get(request) ?? blank,
      status: undefined,
      ms: 0,
      rows: undefined,
      rule: undefined,
      problem: undefined,
    };
    const entry: Witnessed = { call, reply: undefined };
    made.push(entry);
    const own = { upstreamCalls: 0, upstreamMs: 0 };
    const keep = (reply: UpstreamReply) => {
      entry.reply = reply;
      return read(reply);
    };
    try {
      return await upstream.ask(request, keep, signal, own);
    } catch (error) {
      call.problem = toGatewayError(error);
      throw error;
    } finally {
      call.ms = own.upstreamMs;
      usage.upstreamCalls += own.upstreamCalls;
      usage.upstreamMs += own.upstreamMs;
    }
  };
  return { ask, made };
}
