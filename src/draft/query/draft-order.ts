import type { RequestSpec } from '../../config/schema/source.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { FieldDraft } from '../map/map-fields.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import type { ListWalk, NumberedWindows } from '../requests/walk-list.ts';
import { likely, type Remark, toEdit } from '../note.ts';
import { probeUnknownParameter } from '../window/probe-parameter.ts';
import { ascends, findSort, type IdKind, type SortForm, USUAL_SORTS } from './probe-order.ts';
import { sortSection } from './sort-section.ts';

/** The order of a list in a draft. */
export type OrderDraft = {
  readonly order: 'id' | undefined;
  /** The `sort` section. */
  readonly sort: Readonly<Record<string, unknown>> | undefined;
  /** Adds the parameters for the order to the request of the draft. */
  readonly extend: (request: RequestSpec) => RequestSpec;
  /** Adds them to a request that is sent. */
  readonly ordered: (request: RequestSpec) => RequestSpec;
  readonly remark: Remark;
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
  /** Fields that the contract sorts by. */
  readonly sorts: readonly string[];
  readonly map: Readonly<Record<string, FieldDraft>>;
};

/** So many ascending ids are not chance. */
const IDS_MIN = { number: 6, text: 12 } as const;

/** An order that needs no parameters. */
const unsorted = (order: OrderDraft['order'], remark: Remark): OrderDraft => ({
  order,
  sort: undefined,
  extend: (request) => request,
  ordered: (request) => request,
  remark,
});

/** The column to sort by: the last key of a path. */
function columnOf(path: string): string | undefined {
  const last = path.split('.').at(-1) ?? '';
  if (last === 'href' || last === 'uri') return 'id';
  return /^[A-Za-z_]\w*$/.test(last) ? last : undefined;
}

/** The forms of sorts to try. */
async function formsFor(
  { reader, base, dialect }: OrderContext,
  request: RequestSpec,
): Promise<readonly SortForm[]> {
  if (base.rows.length < 2) return [];
  if (dialect?.sort !== undefined) return [(column) => dialect.sort?.(column)];
  if (request.body !== undefined) return [];
  const unknownParameter = await probeUnknownParameter(reader, request, base);
  return unknownParameter === 'refused' && reader.client.callsLeft < 40 ? [] : USUAL_SORTS;
}

/** The columns that fields of the contract are read from alone, for those that it sorts by. */
function columnsOf({ sorts, map, idPath }: OrderContext): Readonly<Record<string, string>> {
  const columns = sorts.flatMap((field) => {
    const draft = field === 'id' ? idPath : map[field];
    const from = typeof draft === 'string' ? draft : draft?.from;
    return typeof from === 'string' && /^[A-Za-z_]\w*$/.test(from) ? [[field, from] as const] : [];
  });
  return Object.fromEntries(columns);
}

/** The order that the service keeps if a request asks for it; `undefined` if it keeps none. */
async function requestedOrder(
  context: OrderContext,
  { request }: NumberedWindows,
): Promise<OrderDraft | undefined> {
  const { reader, kind, idPath } = context;
  const column = columnOf(idPath);
  if (column === undefined) return undefined;
  const found = await findSort(reader, request, { forms: await formsFor(context, request), column, kind });
  if (found === undefined) return undefined;
  const { form, sort: byId } = found;
  const remark = likely(`requested by ${byId.by}, and reversed on request`);
  const sorted = request.body === undefined ? sortSection(form, columnsOf(context)) : undefined;
  const ordered = (other: RequestSpec) => byId.ascending(other);
  const order = sorted?.holdsOrder === true ? undefined : 'id';
  return { order, sort: sorted?.sort, extend: sorted?.extend ?? ordered, ordered, remark };
}

/** Proposes the order of the rows: one that a request can ask for, or one that all rows showed. */
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
