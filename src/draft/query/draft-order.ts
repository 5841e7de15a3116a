import type { RequestSpec } from '../../config/schema/source.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import type { Confidence } from '../note.ts';
import { ascends, findBodySort, findSort, type IdKind } from './probe-order.ts';
import { probeUnknownParameter } from '../window/probe-parameter.ts';
import { withQuery } from '../requests/request-parameters.ts';
import { type NumberedWindows, type ListWalk, walkList } from '../requests/walk-list.ts';

/** The order of a list in a draft. */
export type OrderDraft = {
  readonly order: 'id' | undefined;
  /** Adds the parameters for the order to a request. */
  readonly extend: (request: RequestSpec) => RequestSpec;
  readonly remark: { readonly level: Confidence; readonly text: string };
  /** A second walk in this order, if the order differs from the first. */
  readonly walk: ListWalk | undefined;
};

/** The facts about the list so far. */
export type OrderContext = {
  readonly reader: ListReader;
  readonly numbered: NumberedWindows | undefined;
  readonly base: ListReply;
  readonly walk: ListWalk | undefined;
  readonly dialect: Dialect | undefined;
  readonly idPath: string;
  readonly kind: IdKind;
  /** The number of calls that a walk may use. */
  readonly callsMax: number;
};

/** So many ascending ids are not chance. */
const ENOUGH = { number: 6, text: 12 } as const;

const asItIs = (request: RequestSpec) => request;

/** The column to sort by: the last key of the id's path. */
function columnOf(idPath: string): string | undefined {
  const last = idPath.split('.').at(-1) ?? '';
  if (last === 'href' || last === 'uri') return 'id';
  return /^[A-Za-z_]\w*$/.test(last) ? last : undefined;
}

/** Asks the service to sort, if it can. */
async function askedOrder(context: OrderContext, numbered: NumberedWindows): Promise<OrderDraft | undefined> {
  const { reader, base, dialect, idPath, kind, callsMax } = context;
  const column = columnOf(idPath);
  let extend: ((request: RequestSpec) => RequestSpec) | undefined;
  let asked: string;
  if (dialect?.key === 'elasticsearch' && column !== undefined) {
    const found = await findBodySort(reader, numbered.request, column, kind);
    extend = found && ((request) => ({ ...request, body: bodyWithSort(request, column) }));
    asked = 'sort in the body';
  } else {
    const known = column === undefined ? undefined : dialect?.sort?.(column);
    const unknownParameter =
      known === undefined ? await probeUnknownParameter(reader, numbered.request, base) : 'ignored';
    const found = await findSort(reader, numbered.request, base, { column, known, kind, unknownParameter });
    extend = found && ((request) => withQuery(request, found.ascending));
    asked = Object.keys(found?.ascending ?? {}).join(' and ');
  }
  if (extend === undefined) return undefined;
  const request = extend(numbered.request);
  const again =
    context.walk?.complete === true ? await walkList(reader, { ...numbered, request }, callsMax) : undefined;
  const sameRows = again !== undefined && new Set(again.ids).isSubsetOf(new Set(context.walk?.ids));
  const walk = again && {
    ...again,
    complete: again.complete || (sameRows && again.ids.length === context.walk?.ids.length),
  };
  const text = `requested by ${asked}, and reversed on request`;
  if (walk?.complete === true && ascends(walk.ids, kind))
    return {
      order: 'id',
      extend,
      remark: { level: 'sure', text: `${text}; all ${walk.ids.length} ids ascend` },
      walk,
    };
  if (walk?.complete === true) return undefined;
  if (kind === 'number') return { order: 'id', extend, remark: { level: 'likely', text }, walk: undefined };
  const edit = 'ids are sorted on request; if the service compares them byte by byte, write order: id';
  return { order: undefined, extend, remark: { level: 'edit', text: edit }, walk: undefined };
}

function bodyWithSort({ body }: RequestSpec, column: string): RequestSpec['body'] {
  if (body === undefined || !('json' in body) || typeof body.json !== 'object' || body.json === null)
    return body;
  return { json: { ...(body.json as object), sort: [{ [column]: 'asc' }] } as typeof body.json };
}

/** Finds the order of the rows. The draft claims an order only if all rows showed it, or if a request can ask for it. */
export async function draftOrder(context: OrderContext): Promise<OrderDraft> {
  const { numbered, walk, kind } = context;
  const unknown = (level: Confidence, text: string): OrderDraft => ({
    order: undefined,
    extend: asItIs,
    remark: { level, text },
    walk: undefined,
  });
  if (numbered === undefined) return unknown('likely', 'lists are read as a whole and sorted by id here');
  const asked = await askedOrder(context, numbered);
  if (asked !== undefined) return asked;
  const seen = walk?.ids ?? context.base.ids;
  if (walk?.complete === true && ascends(walk.ids, kind) && walk.ids.length >= ENOUGH[kind]) {
    const text = `all ${walk.ids.length} ids ascend without a sort parameter; every page is checked for it`;
    return { order: 'id', extend: asItIs, remark: { level: 'likely', text }, walk: undefined };
  }
  const few = walk?.complete === true ? 'they are few' : 'not all were seen';
  const hint = ascends(seen, kind)
    ? `the ${seen.length} ids seen ascend, but ${few}: write order: id if the service promises it`
    : 'rows do not come in the order of their ids; if the service keeps its own order from call to call, write order: source';
  return unknown('edit', `until then lists are scanned; ${hint}`);
}
