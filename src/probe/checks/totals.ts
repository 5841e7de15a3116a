import type { Rows } from '../../adapter/compile.ts';
import type { Filter } from '../../contract/query.ts';
import { type Json, NumberText, readJson } from '../../kernel/json/json.ts';
import { callAt, type ProbeSession, describeExchange, type ProbedList } from '../resource/probe-session.ts';
import type { SessionExchange } from '../session/source-session.ts';
import { claimAt, counted, type Finding } from '../resource/finding.ts';
import { depthOf, hidesRows, isWithinReach } from '../resource/source-variant.ts';
import type { ProbeWalk } from '../resource/probe-walk.ts';
import { type Baseline, listPlace, unfilteredList } from '../resource/baseline.ts';

/** The total that the source gives, or the reply that lacks it. */
export type SourceTotal = { readonly total: number | undefined; readonly exchange: SessionExchange<unknown> };

/** The number of rows that the source gives for a selection. */
export async function askTotal(reader: ProbedList, first: SessionExchange<Rows>): Promise<SourceTotal> {
  if (reader.count === undefined) return { total: first.value?.total, exchange: first };
  const exchange = await reader.count();
  return { total: exchange.value, exchange };
}

/** Headers that commonly hold a total. */
const TOTAL_HEADERS = [
  'X-Total-Count',
  'X-Total',
  'X-Result-Count',
  'X-WP-Total',
  'X-Count',
  'X-Total-Results',
  'Total-Count',
];

/** Paths of whole numbers outside of lists. */
function numbersIn(tree: Json, path: string, depth: number): readonly (readonly [string, number])[] {
  if (typeof tree === 'number') return [[path, tree]];
  if (typeof tree === 'string' && /^\d{1,9}$/.test(tree)) return [[path, Number(tree)]];
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree) || tree instanceof NumberText)
    return [];
  if (depth === 0) return [];
  return Object.entries(tree).flatMap(([key, value]) => {
    const name = /^[A-Za-z_@$][\w@$-]*$/.test(key) ? key : JSON.stringify(key);
    return numbersIn(value, path === '' ? name : `${path}.${name}`, depth - 1);
  });
}

function findTotal({ reply }: SessionExchange<Rows>, rows: number): string | undefined {
  const header = TOTAL_HEADERS.find((name) => reply.header(name.toLowerCase())?.trim() === String(rows));
  if (header !== undefined) return `total: { header: ${header} }`;
  const range = /\/(\d+)$/.exec(reply.header('content-range') ?? '')?.[1];
  if (range === String(rows)) return `total: { header: Content-Range, pattern: '/(\\d+)$' }`;
  try {
    const at = numbersIn(readJson(reply.body.toString('utf8')), '', 4).find(([, count]) => count === rows);
    return at && `total: { at: ${at[0]} }`;
  } catch {
    return undefined;
  }
}

/** A total that the file does not name, where the number of all rows stands in the first reply. */
function judgeUndeclared(session: ProbeSession, { first }: Baseline, sample: ProbeWalk): Finding | undefined {
  const rows = sample.received;
  // A number that only counts the rows of the window says nothing.
  if (!sample.complete || rows <= first.value.received) return undefined;
  const found = findTotal(first, rows);
  if (found === undefined) return undefined;
  return claimAt('total', 'no total is declared', listPlace(session, 'total'))(
    'noted',
    `the first reply holds the number of the ${rows} rows`,
    { hint: `${found}: pages then come straight from the source` },
  );
}

/** Whether the last row that the total promises can be read, where not all rows were. */
async function probeLast(
  session: ProbeSession,
  { change }: Baseline,
  { total, exchange }: SourceTotal & { readonly total: number },
): Promise<Finding> {
  const { window } = session.list;
  const conclude = claimAt('total', 'the total is that of the rows', listPlace(session, 'total'));
  const reader = unfilteredList(session, change);
  if (reader.window.kind !== 'random' || hidesRows(session.list))
    return conclude('could not tell', 'not all rows were read');
  if (total > depthOf(session.list))
    return conclude('could not tell', 'the last row lies behind window.depthMax');
  const { size } = change;
  const firstRow = Math.floor((total - 1) / size) * size;
  const last = await reader.ask(callAt(session, reader, firstRow, size));
  const looksBehind = isWithinReach(session.list, firstRow + size, size);
  const behind = looksBehind ? await reader.ask(callAt(session, reader, firstRow + size, size)) : undefined;
  const calls = [exchange.request, last.request];
  if (last.value === undefined)
    return claimAt('reach', 'every row can be reached', listPlace(session, 'window'))(
      'differs',
      `the total is ${total}, but its last row cannot be read: ${describeExchange(last)}`,
      { calls, hint: 'window: { depthMax: … } with the rows that can be reached' },
    );
  const expected = total - firstRow;
  const more = behind?.value?.records.some(({ id }) => !last.value.records.some((row) => row.id === id));
  const goesOn = more === true && (!('pastEnd' in window) || window.pastEnd === 'empty');
  if (last.value.received === expected && !goesOn)
    return conclude('agrees', `${total}, and the last window holds ${counted(expected, 'row')}`);
  return conclude(
    'differs',
    `${total}, but the last window holds ${last.value.received} rows in place of ${expected}${goesOn ? ', and rows stand behind it' : ''}`,
    { calls, hint: 'where the number of rows stands, or no total' },
  );
}

/** Why the rows of a walk cannot be counted. */
function whyInconclusive(
  { repeated, steps, refusal, complete }: ProbeWalk,
  hidden: boolean,
): string | undefined {
  const filled = steps.filter(({ rows }) => rows.received > 0);
  const short = filled.slice(0, -1).some(({ call, rows }) => rows.received < call.size);
  if (repeated > 0) return 'records came twice in the walk';
  if (short && !hidden) return 'windows before the last are short';
  return refusal !== undefined && !complete ? 'not all rows can be reached' : undefined;
}

/** Probes the number of rows that the source gives. */
export async function probeTotal(
  session: ProbeSession,
  baseline: Baseline,
  sample: ProbeWalk,
): Promise<Finding | undefined> {
  const { total: spec } = session.list;
  if (spec === undefined) return judgeUndeclared(session, baseline, sample);
  const conclude = claimAt('total', 'the total is that of the rows', listPlace(session, 'total'));
  const reader = unfilteredList(session, baseline.change);
  if (spec.count !== undefined && reader.count === undefined)
    return conclude('could not tell', 'Portico does not ask for it with such windows');
  const sourceTotal = await askTotal(reader, baseline.first);
  const { total, exchange } = sourceTotal;
  const more = { calls: [exchange.request], hint: 'where the number of rows stands; or no total' };
  if (exchange.problem !== undefined) return conclude('differs', describeExchange(exchange), more);
  if (baseline.first.value.isTotalLost === true) return conclude('differs', 'no number stands there', more);
  if (total === undefined) return conclude('could not tell', 'the source says that it is only a bound');
  const rows = sample.received;
  const why = whyInconclusive(sample, hidesRows(session.list) || baseline.first.value.next !== undefined);
  if (why !== undefined) return conclude('could not tell', why);
  if (!sample.complete) {
    if (total === 0 && rows === 0) return conclude('could not tell', 'there are no rows');
    if (total < rows) return conclude('differs', `${total}, but there are at least ${rows} rows`, more);
    return probeLast(session, baseline, { ...sourceTotal, total });
  }
  if (total === rows) return conclude('agrees', `${total}, and as many rows`);
  if (hidesRows(session.list) && total > rows)
    return conclude('agrees', `${total}, of which ${rows} are seen: the others are hidden after paging`);
  return conclude('differs', `${total}, but there are ${counted(rows, 'row')}`, more);
}

/** Whether the total with a filter counts the rows that match. */
export function judgeFilteredTotal(
  session: ProbeSession,
  { total, exchange }: SourceTotal,
  { rows, all }: { readonly rows: number; readonly all: number | undefined },
  filters: readonly Filter[],
): Finding | undefined {
  const spec = session.list.total;
  if (spec === undefined || total === undefined || hidesRows(session.list)) return undefined;
  // A total that is wrong without a filter is reported once.
  if (session.failedClaims.has('total') || session.failedClaims.has('short windows')) return undefined;
  const names = filters.map(({ field, op }) => `${field} ${op}`).join(', ');
  const counts = spec.counts;
  const conclude = claimAt(
    `total with ${names}`,
    counts === 'all' ? 'the total counts all rows, filtered or not' : 'the total counts the rows that match',
    listPlace(session, 'total'),
  );
  const calls = [exchange.request];
  if (counts === 'filtered') {
    if (total === rows) return conclude('agrees', `${total}, and as many rows`);
    const whole = total === all;
    return conclude(
      'differs',
      whole ? `${total}, the number of all rows, for ${rows}` : `${total}, but ${rows} rows`,
      {
        calls,
        hint: whole ? 'total: { counts: all }' : 'where the number of rows stands; or no total',
      },
    );
  }
  if (total === all) return conclude('agrees', `${total} with and without the filter`);
  if (total === rows)
    return conclude('noted', `${total}, and as many rows match`, {
      hint: 'total: { counts: filtered }, if it is so with every filter',
    });
  if (all === undefined && total > rows) return conclude('could not tell', 'not all rows were read');
  return conclude('differs', `${total}, where ${rows} rows match`, { calls });
}
