import type { RequestSpec } from '../../config/schema/source.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { compilePath } from '../../adapter/path.ts';
import { wholeNumber } from '../../kernel/json/values.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import { likely, type Remark, sure } from '../note.ts';
import { probeEnd } from './probe-end.ts';
import { findTotals, readTotal, type TotalPlace } from './probe-total.ts';
import { requestSection } from '../requests/request-parameters.ts';
import type { NumberedWindows, PastEnd, ListWalk } from '../requests/walk-list.ts';

/** The `total` section of a draft. */
export type TotalDraft = {
  readonly total: Readonly<Record<string, unknown>> | undefined;
  /** The place of the total in the list's own replies, if it is there. */
  readonly place: TotalPlace | undefined;
  /** The number of rows, if it was counted or stated. */
  readonly rows: number | undefined;
  readonly pastEnd: PastEnd | undefined;
  readonly remark: Remark;
};

/** The facts about the list so far. */
export type TotalContext = {
  readonly reader: ListReader;
  readonly request: RequestSpec;
  readonly base: ListReply;
  /** A second window of the same list. */
  readonly other: ListReply | undefined;
  readonly numbered: NumberedWindows | undefined;
  readonly walk: ListWalk | undefined;
  readonly dialect: Dialect | undefined;
};

const places = ({ dialect, base, other }: TotalContext): readonly TotalPlace[] => {
  const known = dialect?.total;
  if (known === 'none') return [];
  const found = findTotals(base, other);
  if (known === undefined || 'count' in known) return found;
  if ('header' in known) return [known];
  const alternatives = known.at.split(' | ').map((at) => ({ ...known, at }));
  return [...alternatives.filter((place) => readTotal(place, base) !== undefined), ...found].slice(0, 3);
};

/** A separate request that may return the number of rows: that of the dialect, or the list's path with /count. */
function countOf({ request, dialect, walk }: TotalContext): { request: RequestSpec; at: string } | undefined {
  const known = dialect?.total;
  const own = dialect?.count?.(request);
  if (own !== undefined) return own;
  const isKnown = known !== undefined && known !== 'none' && 'count' in known;
  if (request.body !== undefined || known === 'none' || (!isKnown && walk?.complete !== true))
    return undefined;
  const path = `${request.path.replace(/\/$/, '')}/count`;
  return { request: { method: 'GET', path, query: {}, headers: request.headers }, at: '' };
}

async function countRequest(context: TotalContext): Promise<TotalDraft | undefined> {
  const { reader, walk } = context;
  const count = reader.client.callsLeft < 3 ? undefined : countOf(context);
  if (count === undefined) return undefined;
  const reply = await reader.client.send(count.request);
  const document = reply.status < 300 ? reader.layout.read(reply) : undefined;
  const rows = document === undefined ? undefined : wholeNumber(compilePath(count.at)(document));
  if (rows === undefined || (walk?.complete === true && rows !== walk.ids.length)) return undefined;
  return {
    total: { at: count.at, count: requestSection(count.request) },
    place: undefined,
    rows,
    pastEnd: walk?.pastEnd,
    remark:
      walk?.complete === true ? sure(`it says ${rows}, and as many rows came`) : likely(`it says ${rows}`),
  };
}

/** Checks a possible total against the counted rows, or against the end of the list. */
async function checkTotal(context: TotalContext, place: TotalPlace): Promise<TotalDraft | undefined> {
  const { reader, base, walk, numbered } = context;
  const rows = readTotal(place, walk?.windows[0] ?? base);
  if (rows === undefined) return undefined;
  const draft = (remark: Remark, pastEnd = walk?.pastEnd): TotalDraft => ({
    total: place,
    place,
    rows,
    pastEnd,
    remark,
  });
  if (walk?.complete === true)
    return walk.ids.length === rows ? draft(sure(`it says ${rows}, and as many rows came`)) : undefined;
  if (numbered !== undefined) {
    const end = await probeEnd(reader, numbered, place, rows);
    return end.holds ? draft(sure(`row ${rows} is the last one`), end.pastEnd) : undefined;
  }
  if (rows < base.rows.length) return undefined;
  return draft(likely('the rows were not counted; a list with another number of rows is refused'));
}

/** Finds the total, and checks it. */
export async function draftTotal(context: TotalContext): Promise<TotalDraft> {
  const { walk, base } = context;
  const candidates = places(context);
  for (const place of candidates) {
    const found = await checkTotal(context, place);
    if (found !== undefined) return found;
  }
  const counted = await countRequest(context);
  if (counted !== undefined) return counted;
  const [wrong] = candidates;
  const text =
    wrong === undefined
      ? 'no total was found, so lists are counted by a scan'
      : `${wrong.header ?? wrong.at ?? ''} looks like a total, but says ${readTotal(wrong, base) ?? 'nothing'} where other rows came`;
  return {
    total: undefined,
    place: undefined,
    rows: walk?.complete === true ? walk.ids.length : undefined,
    pastEnd: walk?.pastEnd,
    remark: likely(text),
  };
}
