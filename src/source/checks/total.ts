// Checks that the total of a source is the number of its rows, with and without filters: the gateway in each reply
// (`brokenTotal`), `doctor` and `infer` by reading all rows.

import type { ReplyEnvelope, Rows } from '../adapter/compile.ts';
import type { Filter } from '../../contract/query.ts';
import { explainReplies } from '../adapter/read/explain-reply.ts';
import {
  claimOf,
  type Evidence,
  inconsistent,
  type InconsistentReads,
  type WindowEnvelope,
} from './claim.ts';
import {
  type Ask,
  depthOf,
  describeExchange,
  endsEmpty,
  type Exchange,
  hidesRows,
  idsOf,
  isNumbered,
  isWithinReach,
  listPlace,
  type OpenList,
  rowsAt,
  sizeOf,
} from './evidence/ask.ts';
import { type Advice, type Change, concludeAt, type Finding, setting } from './evidence/finding.ts';
import { type StatedNumber, statedNumbers } from './evidence/stated-numbers.ts';
import { plural } from '../../kernel/plural.ts';
import { changeText } from './evidence/spec-change.ts';
import type { RowWalk } from './evidence/walk.ts';
import { shortWindows } from './window-size.ts';

/**
 * Whether totals of the same rows return to an earlier value. `totals` are in the order in which they came. A write changes a
 * total, too, but then the new value stays.
 */
export function isUnsteady(totals: readonly number[]): boolean {
  const changes = totals.filter((total, index) => total !== totals[index - 1]);
  return new Set(changes).size < changes.length;
}

/** How the total of a reply differs from the total that another reply gave for the same rows; `undefined`: it does not. */
export function brokenSteadiness(
  { total }: ReplyEnvelope,
  before: number | undefined,
): InconsistentReads | undefined {
  if (total === undefined || before === undefined || total === before) return undefined;
  return inconsistent('the total changed during the walk', { totals: [before, total] });
}

/** How a window contradicts a total, because it does not have exactly the rows that the total promises; `undefined`: it has. */
export function brokenTotal({ call, rows }: WindowEnvelope, total: number): InconsistentReads | undefined {
  const expected = Math.max(0, Math.min(call.size, total - call.firstRow));
  const unsteady = brokenSteadiness(rows, total);
  if (unsteady !== undefined || rows.received === expected) return unsteady;
  return inconsistent('a window has fewer or more rows than the total allows');
}

/** Asks for the total of a selection; `exchange` is the reply that has it or lacks it. */
async function askTotal(reader: OpenList, first: Exchange<Rows>) {
  if (reader.count === undefined) return { total: first.value?.total, exchange: first };
  const exchange = await reader.count();
  return { total: exchange.value, exchange };
}

/** Finds another place for the total: a number in the first reply that is the number of all rows. */
function findTotal({ ask, first, sample }: Evidence): readonly (Change & { readonly text: string })[] {
  const rows = sample.received;
  const body = explainReplies(ask.spec, ask.resource, 'list')?.body(first.reply);
  // If all rows are in the first window, a number may also be that of the rows in the window, so it proves nothing.
  if (!sample.complete || rows <= first.value.received || body === undefined) return [];
  // If a total is declared, another number may be equal to the number of rows by coincidence.
  const isLikely = ({ count, isNamed }: StatedNumber) =>
    count === rows && (isNamed || ask.list.total === undefined);
  const place = statedNumbers(first.reply, body).find(isLikely)?.place;
  if (place === undefined) return [];
  const value = { ...place, counts: 'filtered' };
  const text = changeText({ at: ['total'], value: place });
  return [{ sets: [{ at: listPlace(ask, 'total'), value }], text }];
}

/** Proposes a total to a file without one, if the first reply has the number of all rows. */
function proposeTotal(evidence: Evidence): Finding | undefined {
  const { ask, sample } = evidence;
  const [found] = findTotal(evidence);
  if (found === undefined) return undefined;
  const isPaged = isNumbered(ask.list.window);
  const text = isPaged ? `${found.text}: pages then come straight from the source` : found.text;
  return concludeAt('total', 'no total is declared', listPlace(ask, 'total'))(
    'noted',
    `the first reply holds the number of the ${sample.received} rows`,
    { tries: [{ ...found, text }] },
  );
}

/** Why the rows of a walk cannot be counted; `undefined` if they can. */
function whyInconclusive({ ask, first, sample }: Evidence): string | undefined {
  const { repeated, refusal, complete } = sample;
  const hasNumbers = !hidesRows(ask.list) && first.value.next === undefined;
  if (repeated > 0) return 'records came twice in the walk';
  if (hasNumbers && shortWindows(sample).short.length > 0) return 'windows before the last are short';
  return refusal !== undefined && !complete ? 'not all rows can be reached' : undefined;
}

/**
 * The advice for a total that is not the number of the rows that came: another place for the total, or no total. If the total is
 * larger, rows may be missing, and only people who know the service can tell.
 */
function withoutTotal(ask: Ask, isTooLarge: boolean, others: readonly Change[] = []): Advice {
  const text = 'where the number of rows stands; or no total';
  if (!isTooLarge)
    return {
      tries: [...others, ...setting(listPlace(ask, 'total'), undefined, text).tries],
      otherwise: text,
    };
  return {
    tries: others,
    otherwise:
      'rows are missing: another window or a constant parameter that lists them; or no total, if it counts what is no row of this list',
  };
}

/** Checks that the last row that the total promises can be read, if not all rows were read. */
async function checkLast({ ask }: Evidence, total: number, exchange: Exchange<unknown>): Promise<Finding> {
  const conclude = concludeAt('total', 'the total is that of the rows', listPlace(ask, 'total'));
  if (ask.open({})?.window.kind !== 'random' || hidesRows(ask.list))
    return conclude('could not tell', 'not all rows were read');
  if (total > depthOf(ask.list))
    return conclude('could not tell', 'the last row lies behind window.depthMax');
  const size = sizeOf(ask.list);
  const firstRow = Math.floor((total - 1) / size) * size;
  const last = await rowsAt(ask, firstRow, size);
  const looksBehind = isWithinReach(ask.list, firstRow + size, size);
  const behind = looksBehind ? await rowsAt(ask, firstRow + size, size) : undefined;
  if (last.value === undefined)
    return concludeAt('reach', 'every row can be reached', listPlace(ask, 'window'))(
      'differs',
      `the total is ${total}, but its last row cannot be read: ${describeExchange(last)}`,
      'another kind of window that reaches all rows; window: { depthMax: … } only has queries behind it refused',
      ...[exchange, last],
    );
  const expected = total - firstRow;
  const known = new Set(idsOf(last));
  const goesOn = behind !== undefined && endsEmpty(ask.list) && idsOf(behind).some((id) => !known.has(id));
  if (last.value.received === expected && !goesOn)
    return conclude('agrees', `${total}, and the last window holds ${plural(expected, 'row')}`);
  const more = goesOn ? ', and rows stand behind it' : '';
  return conclude(
    'differs',
    `${total}, but the last window holds ${last.value.received} rows in place of ${expected}${more}`,
    withoutTotal(ask, !goesOn && last.value.received < expected),
    ...[exchange, last],
  );
}

/** Checks that the total is the number of rows. */
async function checkTotal(evidence: Evidence): Promise<Finding | undefined> {
  const { ask, first, sample } = evidence;
  if (ask.list.total === undefined) return proposeTotal(evidence);
  const conclude = concludeAt('total', 'the total is that of the rows', listPlace(ask, 'total'));
  const reader = ask.open({});
  if (reader === undefined || (ask.list.total.count !== undefined && reader.count === undefined))
    return conclude('could not tell', 'Portico does not ask for it with such windows');
  const { total, exchange } = await askTotal(reader, first);
  const differs = (observed: string) =>
    conclude(
      'differs',
      observed,
      withoutTotal(ask, (total ?? 0) > sample.received, findTotal(evidence)),
      exchange,
    );
  if (exchange.problem !== undefined) return differs(describeExchange(exchange));
  if (first.value.isTotalLost === true) return differs('no number stands there');
  if (total === undefined) return conclude('could not tell', 'the source says that it is only a bound');
  const rows = sample.received;
  const why = whyInconclusive(evidence);
  if (why !== undefined) return conclude('could not tell', why);
  if (!sample.complete) {
    if (total === 0 && rows === 0) return conclude('could not tell', 'there are no rows');
    if (total < rows) return differs(`${total}, but there are at least ${rows} rows`);
    return checkLast(evidence, total, exchange);
  }
  if (total === rows) return conclude('agrees', `${total}, and as many rows`);
  if (hidesRows(ask.list) && total > rows)
    return conclude('agrees', `${total}, of which ${rows} are seen: the others are hidden after paging`);
  return differs(`${total}, but there are ${plural(rows, 'row')}`);
}

/** The claim that the total is the number of all rows. */
export const totalClaim = claimOf('total', checkTotal);

/** Checks what the total counts if there are filters; `found` has all rows that came with these filters. */
export async function checkFilteredTotal(
  { ask, sample, failed }: Evidence,
  reader: OpenList,
  filters: readonly Filter[],
  found: RowWalk,
): Promise<Finding | undefined> {
  const spec = ask.list.total;
  const first = found.steps[0]?.exchange;
  // A total that is wrong without a filter is reported once.
  if (spec === undefined || first === undefined || hidesRows(ask.list)) return undefined;
  if (failed.has('total') || failed.has('short windows')) return undefined;
  const { counts } = spec;
  const claim =
    counts === 'all' ? 'the total counts all rows, filtered or not' : 'the total counts the rows that match';
  const names = filters.map(({ field, op }) => `${field} ${op}`).join(', ');
  const conclude = concludeAt(`total with ${names}`, claim, listPlace(ask, 'total'));
  const { total, exchange } = await askTotal(reader, first);
  if (total === undefined) return undefined;
  const rows = found.received;
  const all = sample.steps[0]?.rows.total ?? (sample.complete ? sample.received : undefined);
  const at = listPlace(ask, 'total', 'counts');
  const differs = (observed: string, advice: Advice) => conclude('differs', observed, advice, exchange);
  if (counts === 'filtered') {
    if (total === rows) return conclude('agrees', `${total}, and as many rows`);
    if (total !== all) return differs(`${total}, but ${rows} rows`, withoutTotal(ask, total > rows));
    const tries = [...setting(at, 'all').tries, ...(withoutTotal(ask, false).tries ?? [])];
    return differs(`${total}, the number of all rows, for ${rows}`, { tries });
  }
  if (total === all) return conclude('agrees', `${total} with and without the filter`);
  if (total === rows) {
    const text = 'total: { counts: filtered }, if it is so with every filter';
    return conclude('noted', `${total}, and as many rows match`, setting(at, 'filtered', text));
  }
  if (all === undefined && total > rows) return conclude('could not tell', 'not all rows were read');
  return differs(`${total}, where ${rows} rows match`, withoutTotal(ask, false));
}
