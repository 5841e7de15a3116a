// Pairs each request to a source with a second one, made by a second adapter. `doctor`, `explain --live` and `test --record`
// show or keep the second: it has no secrets. For a recording with masked values, the first asks with masked ids, the second
// with the real ones.

import type { GetAdapter } from '../../../source/adapter/compile-record.ts';
import type { Adapter } from '../../../source/adapter/compile.ts';
import type { ListPlan, CursorPlan } from '../../../source/adapter/plan/plan.ts';
import type { RecordView } from '../../../source/adapter/map/row-fields.ts';
import type { WindowCall } from '../../../source/adapter/plan/window.ts';
import type { ListQuery } from '../../../contract/query.ts';
import { mapTexts } from '../../../kernel/json/json-tree.ts';
import type { UpstreamReply, UpstreamRequest } from '../../../kernel/upstream-call.ts';
import { MASK } from '../../../kernel/secret.ts';

/** Maps each request of one adapter to the same request of another adapter. */
export type Counterparts = WeakMap<UpstreamRequest, UpstreamRequest>;

/** An adapter whose requests have counterparts, and what it read from each reply. */
export type PairedAdapter = {
  readonly adapter: Adapter;
  readonly counterparts: Counterparts;
  /** The number of rows in a reply. */
  readonly rows: WeakMap<UpstreamReply, number>;
  /** Which view of the resource a reply belongs to. */
  readonly views: WeakMap<UpstreamReply, RecordView>;
};

/** How ids, windows and queries for the first adapter are changed for the other one. */
export type Translation = {
  readonly query?: (query: ListQuery) => ListQuery;
  readonly window?: (call: WindowCall) => WindowCall;
  readonly id?: (id: string) => string;
};

/** Masks cursors and links, because they may contain values of records. */
export const withoutValues: Translation = {
  window: (call) => ({
    ...call,
    variables: mapTexts(call.variables, () => MASK),
    ...(call.query !== undefined && { query: call.query.map((part) => part.replace(/=.*$/s, `=${MASK}`)) }),
    ...(call.target !== undefined && { target: call.target.replace(/\?.*$/s, `?${MASK}`) }),
  }),
};

/** Pairs the requests of plans and of single records with those of the other adapter. */
function createPairs(counterparts: Counterparts, window: (call: WindowCall) => WindowCall) {
  function pair(request: UpstreamRequest, other: UpstreamRequest | undefined): UpstreamRequest {
    if (other !== undefined) counterparts.set(request, other);
    return request;
  }

  function pairCursorPlans(cursorPlan: CursorPlan, other: CursorPlan | undefined): CursorPlan {
    if (other === undefined) return cursorPlan;
    return {
      ...cursorPlan,
      request: (call) => pair(cursorPlan.request(call), other.request(window(call))),
      count: cursorPlan.count && pair(cursorPlan.count, other.count),
    };
  }

  function pairPlan(plan: ListPlan, other: ListPlan): ListPlan {
    if (plan.kind === 'nothing' || other.kind === 'nothing') return plan;
    const request = (call: WindowCall) => pair(plan.request(call), other.request(window(call)));
    if (plan.kind === 'scan')
      return {
        ...plan,
        request,
        cursorPlan:
          plan.cursorPlan &&
          pairCursorPlans(plan.cursorPlan, other.kind === 'scan' ? other.cursorPlan : undefined),
      };
    if (other.kind === 'scan') return { ...plan, request };
    return { ...plan, request, count: plan.count && pair(plan.count, other.count) };
  }

  return { pair, pairPlan };
}

/**
 * The adapter of a source, each of its requests paired with that of another adapter for the same source: one whose
 * secrets are masked, so that a call log can be displayed, or one that is asked for other values.
 */
export function pairRequests(
  real: Adapter,
  other: Adapter,
  { query = (same) => same, window = (same) => same, id = (same) => same }: Translation = {},
  counterparts: Counterparts = new WeakMap(),
): PairedAdapter {
  const rows = new WeakMap<UpstreamReply, number>();
  const views = new WeakMap<UpstreamReply, RecordView>();
  const { pair, pairPlan } = createPairs(counterparts, window);

  function pairRecord<T extends GetAdapter>(
    one: T,
    counterpart: GetAdapter | undefined,
    view: RecordView,
  ): T {
    const paired: Pick<GetAdapter, 'request' | 'read'> = {
      request(asked) {
        const request = one.request(asked);
        return request && pair(request, counterpart?.request(id(asked)));
      },
      read(reply, asked, observer) {
        views.set(reply, view);
        const record = one.read(reply, asked, observer);
        rows.set(reply, record === undefined ? 0 : 1);
        return record;
      },
    };
    return { ...one, ...paired };
  }

  const { list, get } = real;
  const read: Adapter['list']['read'] = (reply, observer) => {
    views.set(reply, 'list');
    const found = list.read(reply, observer);
    rows.set(reply, found.received);
    return found;
  };
  const adapter: Adapter = {
    list: {
      ...list,
      details: list.details && pairRecord(list.details, other.list.details, 'details'),
      plan: (asked, off) => pairPlan(list.plan(asked, off), other.list.plan(query(asked), off)),
      read,
      readWritten: read,
    },
    get: get && pairRecord(get, other.get, 'get'),
  };
  return { adapter, counterparts, rows, views };
}
