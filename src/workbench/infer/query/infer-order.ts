// Finds out for `infer` in which order a list comes, and how to ask for one.

import { asksForOrder } from '../../../source/adapter/plan/order-bet.ts';
import type { RequestSpec } from '../../../config/schema/source.ts';
import type { FieldDraft } from '../map/map-list.ts';
import type { IdKind } from '../requests/list-reader.ts';
import type { KnownList, NumberedWindows } from '../window/find-window.ts';
import type { ListRows } from '../window/read-whole-list.ts';
import { likely, type Remark, toEdit } from '../notes/note.ts';
import { withQuery } from '../requests/request-parameters.ts';
import type { SortForm } from '../dialects/dialect.ts';
import { ascends, findSort, honoursTiebreak, USUAL_SORTS } from './find-sort.ts';
import { sortSection, withTiebreak } from './sort-section.ts';

/** The order of a list in a draft. */
export type OrderDraft = {
  readonly order: 'id' | undefined;
  /** Present if the request asks for the order in a way that the gateway cannot recognise. */
  readonly orderIs?: 'asked';
  /** The number of rows that came, all by ascending id, although nothing asks for that order. */
  readonly seen?: number;
  readonly sort: Readonly<Record<string, unknown>> | undefined;
  /** Adds the parameters for the order to the request of the draft. */
  readonly extend: (request: RequestSpec) => RequestSpec;
  /** Adds the parameters for the order to a request that is sent. */
  readonly ordered: (request: RequestSpec) => RequestSpec;
  readonly remark: Remark;
  /** Present if no parameter that sorts was found. */
  readonly sortRemark?: Remark;
};

/** What `infer` knows of the list when it looks for an order. */
type OrderContext = KnownList & {
  readonly numbered: NumberedWindows | undefined;
  readonly walk: ListRows | undefined;
  readonly idPath: string;
  readonly kind: IdKind;
  /** Fields that the contract sorts by. */
  readonly sorts: readonly string[];
  readonly map: Readonly<Record<string, FieldDraft>>;
};

/** How many calls a trial of a tiebreak (the id as the second column) must leave for the rest of the draft. */
const CALLS_KEPT = 8;
/** From this number on, ascending ids are no coincidence. */
const IDS_MIN = { number: 6, text: 12 } as const;

/** An order that needs no parameters. */
const unsorted = (remark: Remark): OrderDraft => ({
  order: undefined,
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

function formsFor(
  { reader, base, dialect }: OrderContext,
  { request, unknownParameter }: NumberedWindows,
): readonly SortForm[] {
  if (base.rows.length < 2) return [];
  if (dialect?.sort !== undefined) return [dialect.sort];
  if (request.body !== undefined) return [];
  return unknownParameter === 'refused' && reader.client.callsLeft < 40 ? [] : USUAL_SORTS;
}

/** The columns of the fields that the contract sorts by, if a field is read from a single column. */
function columnsOf({ sorts, map, idPath }: OrderContext): Readonly<Record<string, string>> {
  const columns = sorts.flatMap((field) => {
    const draft = field === 'id' ? idPath : map[field];
    const from = typeof draft === 'string' ? draft : draft?.from;
    return typeof from === 'string' && /^[A-Za-z_]\w*$/.test(from) ? [[field, from] as const] : [];
  });
  return Object.fromEntries(columns);
}

/** The `sort` section for a form of sorting; with the id as the second column, if rows show that the service honours it. */
async function sortOf(context: OrderContext, request: RequestSpec, form: SortForm) {
  const { reader, base, kind, walk } = context;
  const columns = columnsOf(context);
  const { template } = form;
  const section = request.body === undefined && template ? sortSection(template, columns) : undefined;
  const tied = section && withTiebreak(section, columns['id'] ?? '');
  if (tied === undefined) return section;
  const rows = walk?.rows ?? base.rows;
  const distinct = (column: string) => new Set(rows.map((row) => row[column])).size;
  const others = Object.values(columns).filter((column) => column !== columns['id']);
  // Columns with few different values come first, because their ties show whether the second column works.
  for (const column of others.toSorted((a, b) => distinct(a) - distinct(b))) {
    if (reader.client.callsLeft < CALLS_KEPT) break;
    const plain = form.of(column)?.descending(request) ?? request;
    const trial = { column, plain, tied: withQuery(plain, tied.trial(column)) };
    const isHonoured = await honoursTiebreak(reader, base, trial, kind);
    if (isHonoured !== undefined) return isHonoured ? tied : section;
  }
  return section;
}

/** The order that the service keeps if a request asks for it; `undefined` if it keeps none. */
async function requestedOrder(
  context: OrderContext,
  numbered: NumberedWindows,
): Promise<OrderDraft | undefined> {
  const { reader, kind, idPath } = context;
  const { request } = numbered;
  const column = columnOf(idPath);
  if (column === undefined) return undefined;
  const found = await findSort(reader, request, { forms: formsFor(context, numbered), column, kind });
  if (found === undefined) return undefined;
  const { form, sort: byId } = found;
  const remark = likely(`requested by ${byId.by}, and reversed on request`);
  const sorted = await sortOf(context, request, form);
  const ordered = (other: RequestSpec) => byId.ascending(other);
  const { parameter } = sorted ?? {};
  const place = parameter === undefined ? {} : { [parameter.name]: '{sort}' };
  const extend = sorted === undefined ? ordered : (other: RequestSpec) => withQuery(other, place);
  const order = sorted !== undefined && parameter === undefined ? undefined : 'id';
  const isSeen = asksForOrder('id', extend(request), { idPaths: [idPath], none: parameter?.none });
  const orderIs = order === undefined || isSeen ? {} : { orderIs: 'asked' as const };
  return { order, ...orderIs, sort: sorted?.sort, extend, ordered, remark };
}

/**
 * Decides about rows that came by ascending id although nothing asks for that order. To rely on it is a bet: the draft
 * bets only if a scan of the list costs too much, because then no list could be served without the bet.
 */
export function withBet(order: OrderDraft, isAffordable: boolean): OrderDraft {
  const { seen } = order;
  if (seen === undefined) return order;
  const bet = `bets that the service keeps rows by ascending id though nothing asks for it: all ${seen} ids ascend now, and a write may end that`;
  const remedy =
    'A scan takes too long; ask for the order if the service can, or write orderIs: documented if it promises it';
  return isAffordable
    ? { ...order, remark: toEdit(`lists are scanned; order: id is faster, but ${bet}`) }
    : { ...order, order: 'id', remark: toEdit(`order: id ${bet}. ${remedy}`) };
}

/** An order that all rows showed, as a bet; or none. */
function seenOrder({ base, walk, kind }: OrderContext): OrderDraft {
  const isWhole = walk?.complete === true;
  const ids = walk?.ids ?? base.ids;
  const count = ids.length;
  if (isWhole && ascends(ids, kind) && count >= IDS_MIN[kind])
    return {
      ...unsorted(likely('lists are scanned, because there is no total, and sorted by id here')),
      seen: count,
    };
  const hint = ascends(ids, kind)
    ? `the ${count} ids seen ascend, but ${isWhole ? 'they are few' : 'not all were seen'}: write order: id and orderIs: documented if the service promises it`
    : 'rows do not come in the order of their ids; if the service promises an order of its own, write order: source and orderIs: documented';
  return unsorted(toEdit(`lists are scanned; ${hint}`));
}

/** Proposes the order of the rows: one that a request can ask for, or one that all rows showed, as a bet. */
export async function inferOrder(context: OrderContext): Promise<OrderDraft> {
  const { numbered } = context;
  if (numbered === undefined) return unsorted(likely('lists are read as a whole and sorted by id here'));
  const requested = await requestedOrder(context, numbered);
  const sortRemark = likely('no parameter that sorts was found: a section sort can name one');
  return requested ?? { ...seenOrder(context), sortRemark };
}
