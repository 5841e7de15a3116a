import type { RequestSpec } from '../../../config/schema/source.ts';
import type { Dialect, TotalPlace } from '../dialects/dialect.ts';
import { compilePath } from '../../../source/adapter/spec/path.ts';
import { wholeNumber } from '../../../kernel/json/values.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import { likely, type Remark } from '../notes/note.ts';
import { findTotals, readTotal } from './probe-total.ts';
import { requestSection } from '../requests/request-parameters.ts';
import type { ListWalk } from './walk-list.ts';

/** The `total` section of a draft. */
export type TotalDraft = {
  readonly total: Readonly<Record<string, unknown>> | undefined;
  /** The number of rows, if it was counted or stated. */
  readonly rows: number | undefined;
  /** Other places that may hold it. */
  readonly others: readonly TotalPlace[];
  readonly remark: Remark;
};

/** The facts about the list so far. */
export type TotalContext = {
  readonly reader: ListReader;
  readonly request: RequestSpec;
  readonly base: ListReply;
  /** A second window of the same list. */
  readonly other: ListReply | undefined;
  readonly walk: ListWalk | undefined;
  readonly dialect: Dialect | undefined;
};

const places = ({ dialect, base, other }: TotalContext): readonly TotalPlace[] => {
  const known = dialect?.total;
  if (known === 'none') return [];
  const found = findTotals(base, other);
  if (known === undefined || 'count' in known) return found;
  if (known.at === undefined) return [known];
  const alternatives = known.at.split(' | ').map((at) => ({ ...known, at }));
  return [...alternatives.filter((place) => readTotal(place, base) !== undefined), ...found];
};

/** A separate request that may return the number of rows: that of the dialect, or the list's path with /count. */
function countOf({ request, dialect, walk }: TotalContext): { request: RequestSpec; at: string } | undefined {
  const known = dialect?.total;
  const own = dialect?.count(request);
  if (own !== undefined) return own;
  const isKnown = known !== undefined && known !== 'none' && 'count' in known;
  if (request.body !== undefined || known === 'none' || (!isKnown && walk?.complete !== true))
    return undefined;
  const path = `${request.path.replace(/\/$/, '')}/count`;
  return { request: { method: 'GET', path, query: {}, headers: request.headers }, at: '' };
}

/** Keys that a number stands under where the reply is an object. */
const COUNT_KEYS = ['count', 'total'];

/** What a request of its own for the number of rows says, if the service has one. */
async function countRequest(context: TotalContext): Promise<TotalDraft | undefined> {
  const { reader } = context;
  const count = reader.client.callsLeft < 3 ? undefined : countOf(context);
  if (count === undefined) return undefined;
  const reply = await reader.client.send(count.request);
  const document = reply.status < 300 ? reader.layout.read(reply) : undefined;
  if (document === undefined) return undefined;
  const rowsAt = (at: string) => wholeNumber(compilePath(at)(document));
  const at = [count.at, ...COUNT_KEYS].find((place) => rowsAt(place) !== undefined);
  const rows = at === undefined ? undefined : rowsAt(at);
  if (rows === undefined) return undefined;
  const total = { at, count: requestSection(count.request) };
  return { total, rows, others: [], remark: likely(`a request of its own says ${rows}`) };
}

/** Proposes the total: the best place that may hold it, and the others, should it not be the number of the rows. */
export async function draftTotal(context: TotalContext): Promise<TotalDraft> {
  const { walk, base } = context;
  const counted = walk?.complete === true ? walk.ids.length : undefined;
  const valued = places(context).flatMap((place) => {
    const rows = readTotal(place, base);
    return rows === undefined ? [] : [{ place, rows }];
  });
  const fitting = valued.filter(({ rows }) => rows === counted);
  const [best, ...others] = [...fitting, ...valued.filter((one) => !fitting.includes(one))];
  const stated = best && {
    ...{ total: best.place, rows: best.rows, others: others.map(({ place }) => place) },
    remark: likely(`it says ${best.rows}`),
  };
  const isRight = (one: TotalDraft | undefined) => counted === undefined || one?.rows === counted;
  if (stated !== undefined && isRight(stated)) return stated;
  const own = await countRequest(context);
  if (own !== undefined && isRight(own)) return own;
  // Rows may be missing, so a number that is too large stays, and doctor says what is the matter.
  const larger = [stated, own].find((one) => (one?.rows ?? 0) > (counted ?? 0));
  if (larger !== undefined) return larger;
  const text =
    best === undefined
      ? 'no total was found, so lists are counted by a scan'
      : `${best.place.header ?? best.place.at ?? ''} looks like a total, but says ${best.rows} where other rows came`;
  return { total: undefined, rows: counted, others: [], remark: likely(text) };
}
