// Finds out for `infer` where a reply states how many rows the whole list has.

import type { RequestSpec } from '../../../config/schema/source.ts';
import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import { compileTotal } from '../../../source/adapter/read/total.ts';
import { compilePath } from '../../../source/adapter/spec/path.ts';
import { statedNumbers } from '../../../source/checks/evidence/stated-numbers.ts';
import { wholeNumber } from '../../../kernel/json/values.ts';
import type { TotalPlace } from '../dialects/dialect.ts';
import { likely, type Remark } from '../notes/note.ts';
import { readOrUndefined } from '../detect/detect-format.ts';
import type { ListReply } from '../requests/list-reader.ts';
import { requestSection } from '../requests/request-parameters.ts';
import type { KnownList } from './find-window.ts';
import type { ListRows } from './read-whole-list.ts';

/** The `total` section of a draft. */
export type TotalDraft = {
  readonly total: Readonly<Record<string, unknown>> | undefined;
  /** The number of rows, if it was counted or stated. */
  readonly rows: number | undefined;
  readonly remark: Remark;
};

/** What `infer` knows of the list before it looks for the total. */
type TotalContext = KnownList & {
  /** A second window of the same list. */
  readonly other: ListReply | undefined;
  readonly walk: ListRows | undefined;
};

/** The total in a reply; `undefined` if there is none, or only a lower bound. */
function readTotal(place: TotalPlace, { reply, document }: ListReply): number | undefined {
  const read = compileTotal({ counts: 'filtered', ...place }, CHECKED);
  return readOrUndefined(() => read(reply, document));
}

/**
 * The places of a total: those of the dialect, then those with the same number in another window, if the name is usual, or if it
 * is the number of all rows and not that of the window.
 */
function guesses({ dialect, base, other = base, walk }: TotalContext): readonly TotalPlace[] {
  const known = dialect?.total;
  if (known === 'none') return [];
  const counted = walk?.complete === true && base.ids.length < walk.ids.length ? walk.ids.length : undefined;
  const stated = statedNumbers(base.reply, base.document)
    .filter(
      ({ place, count, isNamed }) => (isNamed || count === counted) && readTotal(place, other) === count,
    )
    .map(({ place }) => place);
  if (known === undefined || 'count' in known) return stated;
  const documented = known.at === undefined ? [known] : known.at.split(' | ').map((at) => ({ ...known, at }));
  return [...documented, ...stated];
}

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

/** The usual keys of the number if the reply is an object. */
const COUNT_KEYS = ['count', 'total'];

/** The total from a separate request for the number of rows, if the service has one. */
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
  return { total, rows, remark: likely(`a separate request says ${rows}`) };
}

/** Infers the total: a number that may count the rows and is not less than the rows that came. Doctor checks it later. */
export async function inferTotal(context: TotalContext): Promise<TotalDraft> {
  const { walk, base } = context;
  const seen = (walk ?? base).ids.length;
  const isRight = ({ rows }: TotalDraft) => walk?.complete !== true || rows === seen;
  const stated = guesses(context).flatMap((place): readonly TotalDraft[] => {
    const rows = readTotal(place, base);
    return rows === undefined ? [] : [{ total: place, rows, remark: likely(`it says ${rows}`) }];
  });
  const right = stated.find(isRight);
  if (right !== undefined) return right;
  const own = await countRequest(context);
  // Rows may be missing from what was read, so a larger number is kept; doctor reports what is wrong.
  const found = [...stated, ...(own === undefined ? [] : [own])].filter(({ rows = 0 }) => rows >= seen);
  const rows = walk?.complete === true ? seen : undefined;
  const none = {
    total: undefined,
    rows,
    remark: likely('no total was found, so lists are counted by a scan'),
  };
  return found.find(isRight) ?? found[0] ?? none;
}
