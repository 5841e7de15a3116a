import type { RequestSpec } from '../../config/schema/source.ts';
import type { Dialect, DialectSort } from '../dialects/dialect.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import { likely, type Remark, sure, toEdit } from '../note.ts';
import { ascends, findSort, type IdKind, usualSorts } from './probe-order.ts';
import { probeUnknownParameter } from '../window/probe-parameter.ts';
import { type NumberedWindows, type ListWalk, walkList } from '../requests/walk-list.ts';

/** The order of a list in a draft. */
export type OrderDraft = {
  readonly order: 'id' | undefined;
  /** Adds the parameters for the order to a request. */
  readonly extend: (request: RequestSpec) => RequestSpec;
  readonly remark: Remark;
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
const IDS_MIN = { number: 6, text: 12 } as const;

/** An order that needs no parameters. */
const unsorted = (order: OrderDraft['order'], remark: Remark): OrderDraft => ({
  order,
  extend: (request) => request,
  remark,
  walk: undefined,
});

/** The column to sort by: the last key of the id's path. */
function columnOf(idPath: string): string | undefined {
  const last = idPath.split('.').at(-1) ?? '';
  if (last === 'href' || last === 'uri') return 'id';
  return /^[A-Za-z_]\w*$/.test(last) ? last : undefined;
}

/** The sorts to try. */
async function sortsFor(
  { reader, base, dialect, idPath }: OrderContext,
  request: RequestSpec,
): Promise<readonly DialectSort[]> {
  const column = columnOf(idPath);
  const known = column === undefined ? undefined : dialect?.sort?.(column);
  if (known !== undefined) return base.rows.length < 2 ? [] : [known];
  const unknownParameter = await probeUnknownParameter(reader, request, base);
  if (column === undefined || request.body !== undefined || base.rows.length < 2) return [];
  return unknownParameter === 'refused' && reader.client.callsLeft < 40 ? [] : usualSorts(column);
}

/** Walks the list again in the order of a sort. The walk is complete if it has the rows of a complete one. */
async function walkSorted(
  { reader, walk, callsMax }: OrderContext,
  numbered: NumberedWindows,
): Promise<ListWalk | undefined> {
  if (walk?.complete !== true) return undefined;
  const again = await walkList(reader, numbered, callsMax);
  const isSame = again.ids.length === walk.ids.length && new Set(again.ids).isSubsetOf(new Set(walk.ids));
  return { ...again, complete: again.complete || isSame };
}

/** The order that the service keeps if a request asks for it; `undefined` if it keeps none. */
async function requestedOrder(
  context: OrderContext,
  numbered: NumberedWindows,
): Promise<OrderDraft | undefined> {
  const { reader, kind } = context;
  const { request } = numbered;
  const sort = await findSort(reader, request, await sortsFor(context, request), kind);
  if (sort === undefined) return undefined;
  const extend = (other: RequestSpec) => sort.ascending(other);
  const walk = await walkSorted(context, { ...numbered, request: extend(request) });
  const text = `requested by ${sort.by}, and reversed on request`;
  if (walk?.complete === true)
    return ascends(walk.ids, kind)
      ? { order: 'id', extend, remark: sure(`${text}; all ${walk.ids.length} ids ascend`), walk }
      : undefined;
  if (kind === 'number') return { order: 'id', extend, remark: likely(text), walk: undefined };
  const remark = toEdit(
    'ids are sorted on request; if the service compares them byte by byte, write order: id',
  );
  return { order: undefined, extend, remark, walk: undefined };
}

/** Finds the order of the rows. The draft claims an order only if all rows showed it, or if a request can ask for it. */
export async function draftOrder(context: OrderContext): Promise<OrderDraft> {
  const { numbered, walk, kind } = context;
  if (numbered === undefined)
    return unsorted(undefined, likely('lists are read as a whole and sorted by id here'));
  const requested = await requestedOrder(context, numbered);
  if (requested !== undefined) return requested;
  const isWhole = walk?.complete === true;
  const ids = walk?.ids ?? context.base.ids;
  const count = ids.length;
  if (isWhole && ascends(ids, kind) && count >= IDS_MIN[kind])
    return unsorted(
      'id',
      likely(`all ${count} ids ascend without a sort parameter; every page is checked for it`),
    );
  const hint = ascends(ids, kind)
    ? `the ${count} ids seen ascend, but ${isWhole ? 'they are few' : 'not all were seen'}: write order: id if the service promises it`
    : 'rows do not come in the order of their ids; if the service keeps its own order from call to call, write order: source';
  return unsorted(undefined, toEdit(`until then lists are scanned; ${hint}`));
}
