import { compareDecimals, compareIds, compareTexts } from './contract-model.ts';
import { BOUND, type Capabilities, nativeValue, type Row } from './capabilities.ts';
import { readAsked, type Asked } from './questions.ts';
import { countText, type Extras, itemText, listText, missingReply, replyWith } from './replies.ts';
import {
  type HttpReply,
  type ScriptedUpstream,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../upstream/scripted-upstream.ts';

/**
 * A MODEL UPSTREAM: a real HTTP server with any combination of capabilities, shortcomings and lies.
 *
 * Some lies leave no trace in any reply that an answer needs. No gateway can see them without asking for more than
 * the answer needs, so the generated cases leave them out; probes (`doctor`) are what finds them:
 *
 * - A filter that leaves out rows that match, with a total that agrees: rows that never come cannot be missed.
 * - A filter that is ignored, a sort or an order that is not kept, where the rows of the page asked for happen to
 *   fit: nobody sees the rows in front of them. The lies here are told where the page holds all rows, or is behind
 *   them and the last window, which is looked at then, has them all.
 * - A total that counts all rows where it says "those that match", where the page is behind them and behind the last
 *   row is "anything else": the last window may be any other one.
 * - An order of its own that changes between two requests: one page shows no more than that no row came twice.
 * - Rows in another order with each window, where behind the last row is "anything else" and no total is told: a
 *   window that brings nothing new looks like the end.
 * - A total that is wrong, or counts all rows where it says "those that match", where the page lies wholly before
 *   the end of the list, or without filters behind it: all that such a page needs of the total is that it is no smaller.
 * - A filter applied after paging where no total says how many rows there should be: a window it left empty looks
 *   like the end.
 * - Rows in another order with each window, some of which are hidden after paging: a hidden row that comes twice is
 *   not seen, and so not the row that it stands in for.
 * - Rows hidden after paging for two whole windows on end, where no total says how many rows there should be, or
 *   for one, where windows are asked for by key.
 * - Windows smaller than asked for, where windows anywhere may be short.
 * - Pages smaller than asked for by a source that counts pages in the size asked for and tells no total: the rows
 *   between are behind no number at all.
 * - A total that is too small by whole windows, where asking behind the last row brings "anything else",
 *   or where the row behind lies beyond the depth that can be asked for.
 * - A cursor or link that ends early and tells no total.
 */
export type ModelUpstream = Pick<ScriptedUpstream, 'requests' | 'close'> & {
  readonly baseUrl: string;
  /** From now on, the server has these rows and does these things. */
  become(can: Capabilities, rows: readonly Row[]): void;
};

const BASE = '/v0';

function matching(can: Capabilities, rows: readonly Row[], { category, low, high }: Asked): Row[] {
  const wide = can.filter === 'superset';
  return rows.filter(({ record }) => {
    const own = nativeValue(can, 'category', record['category'] ?? null);
    const price = nativeValue(can, 'price', record['price'] ?? null);
    const fits = (bound: string | undefined, sign: number) =>
      bound === undefined || (price !== null && compareDecimals(price, bound) * sign >= 0);
    if (category !== undefined && own !== category && !(wide && own?.[0] === category[0])) return false;
    // Whole units only: wider than asked for.
    const [floor, ceiling] = wide
      ? [low?.split('.')[0], high && `${BigInt(high.split('.')[0]!) + 1n}`]
      : [low, high];
    return fits(floor, 1) && fits(ceiling, -1);
  });
}

/** Ties in another order with each window. */
const unstable = (id: string, salt: number) =>
  ((id.length * 7 + id.charCodeAt(id.length - 1)) * (salt + 3)) % 11;

function ordered(can: Capabilities, rows: readonly Row[], { sort, first }: Asked): Row[] {
  const byId = (a: Row, b: Row) => compareIds(a.record.id, b.record.id);
  if (sort === undefined || can.sort === 'ignored') {
    if (can.order === 'own' || can.order === 'unsaid') return [...rows];
    if (can.order === 'id') return [...rows].sort(byId);
    return [...rows].sort((a, b) => unstable(a.native, first) - unstable(b.native, first));
  }
  const { field, descending } = sort;
  const compare = (a: string, b: string) => {
    if (can.sort === 'collation') return a.localeCompare(b, 'de');
    if (field === 'created_at') return Date.parse(a) - Date.parse(b);
    return field === 'id' ? compareIds(a, b) : compareTexts(a, b);
  };
  return [...rows].sort((a, b) => {
    const [left, right] = [a.record[field] ?? null, b.record[field] ?? null];
    if (left === null || right === null) {
      const nulls = Number(left === null) - Number(right === null);
      if (nulls !== 0) return can.sort === 'collation' ? -nulls : nulls;
    } else {
      const order = (descending ? -1 : 1) * compare(left, right);
      if (order !== 0) return order;
    }
    return can.sort === 'unstable' ? unstable(a.native, first) - unstable(b.native, first) : byId(a, b);
  });
}

type Windowed = { readonly rows: readonly Row[]; readonly refused?: number; readonly next?: string };

function windowOf(can: Capabilities, rows: readonly Row[], { first, size, after }: Asked): Windowed {
  if (can.window === 'none') return { rows };
  let start = first;
  if (after !== undefined) start = rows.findIndex(({ native }) => native === after) + 1;
  const reached = can.window === 'page' ? start + 1 : start + size;
  if (can.depth !== undefined && reached > can.depth) return { rows: [], refused: 400 };
  if (start >= rows.length && start > 0) {
    if (typeof can.pastEnd === 'number') return { rows: [], refused: can.pastEnd };
    if (can.pastEnd === 'wrap') start = rows.length === 0 ? 0 : start % rows.length;
    if (can.pastEnd === 'last') start = Math.floor(Math.max(0, rows.length - 1) / size) * size;
  }
  const end = start + size;
  return { rows: rows.slice(start, end), ...(end < rows.length && { next: String(end) }) };
}

function totalOf(can: Capabilities, all: number, matched: number): Extras {
  const count = Math.max(0, (can.counts === 'all' ? all : matched) + can.totalError);
  if (can.total === 'bound') return { total: Math.min(count, BOUND), bounded: count > BOUND };
  return can.total === 'none' || can.total === 'count' ? {} : { total: count };
}

function listReply(
  can: Capabilities,
  rows: readonly Row[],
  asked: Asked,
  { path, query }: UpstreamRequest,
): HttpReply {
  const late = can.filter === 'pageLocal';
  const matched = late || can.filter === 'ignored' ? rows : matching(can, rows, asked);
  const window = windowOf(can, ordered(can, matched, asked), asked);
  if (window.refused !== undefined)
    return { status: window.refused, headers: { 'Content-Type': 'text/plain' }, body: 'canary' };
  const kept = late ? matching(can, window.rows, asked) : window.rows;
  const extras = totalOf(can, rows.length, matched.length);
  const headers: Record<string, string> = {};
  if (can.total === 'header') headers['X-Total'] = `items */${extras.total}`;
  if (can.window === 'link' && window.next !== undefined) {
    query.set('cursor', window.next);
    query.set('limit', String(asked.size));
    // Sources behind proxies name hosts of their own.
    headers['Link'] =
      `<http://inside.example${path}>; rel="first", <http://inside.example:81${path}?${query.toString()}>; title="a, b"; rel="next"`;
  }
  const visible = kept.filter(({ hidden }) => !(can.hides && !can.marks && hidden));
  const text = listText(can, visible, {
    ...(can.total === 'header' ? {} : extras),
    ...(can.window === 'cursor' && { next: window.next }),
  });
  return replyWith(can, text, { headers });
}

function answer(can: Capabilities, rows: readonly Row[], request: UpstreamRequest): HttpReply {
  const path = request.path.slice(BASE.length);
  const asked = readAsked(can, request.query, request.body);
  if (path === '/rows') return listReply(can, rows, asked, request);
  if (path === '/count') {
    const counted = can.counts === 'all' ? rows : matching(can, rows, asked);
    return replyWith(can, countText(can, Math.max(0, counted.length + can.totalError)));
  }
  const id = decodeURIComponent(path.slice('/rows/'.length));
  const at = rows.findIndex(({ native }) => native === id || native.replace(/^0+(?=\d)/, '') === id);
  const found = rows[can.details === 'other' ? (at + 1) % rows.length : at];
  const isMissing = found === undefined || (can.details === 'gone' && at === 0);
  return isMissing ? missingReply(can) : replyWith(can, itemText(can, found));
}

/** Starts a model upstream. */
export async function startModelUpstream(): Promise<ModelUpstream> {
  const upstream = await startUpstream();
  return {
    ...upstream,
    baseUrl: `${upstream.origin}${BASE}`,
    become: (can, rows) => upstream.become(serving((request) => answer(can, rows, request))),
    get requests() {
      return upstream.requests;
    },
  };
}
