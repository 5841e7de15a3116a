import type { Rows } from '../../adapter/compile.ts';
import type { Filter } from '../../contract/query.ts';
import { type Json, NumberText, readJson } from '../../kernel/json/json.ts';
import { callAt, type Examination, type Heard, heardText, type Lister } from '../session/probe-session.ts';
import { claimed, counted, type Finding } from '../session/finding.ts';
import { depthOf, hidesRows, isWithinReach } from '../session/source-variant.ts';
import type { Walk } from '../session/walk.ts';
import { type Footing, listPlace, plainLister } from '../session/windows.ts';

/** A total as the source tells it, or the reply that does not tell one. */
export type ToldTotal = { readonly total: number | undefined; readonly heard: Heard<unknown> };

/** What the source says is the number of rows that a question brings. */
export async function toldTotal(lister: Lister, first: Heard<Rows>): Promise<ToldTotal> {
  if (lister.count === undefined) return { total: first.value?.total, heard: first };
  const heard = await lister.count();
  return { total: heard.value, heard };
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

function findTotal({ reply }: Heard<Rows>, rows: number): string | undefined {
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
function judgeUndeclared(examination: Examination, { first }: Footing, sample: Walk): Finding | undefined {
  const rows = sample.received;
  // A number that only counts the rows of the window says nothing.
  if (!sample.complete || rows <= first.value.received) return undefined;
  const found = findTotal(first, rows);
  if (found === undefined) return undefined;
  return claimed('total', 'no total is declared', listPlace(examination, 'total'))(
    'noted',
    `the first reply tells the number of the ${rows} rows`,
    { hint: `${found}: pages then come straight from the source` },
  );
}

/** Whether the last row that the total promises can be had, where not all rows were read. */
async function probeLast(
  examination: Examination,
  { change }: Footing,
  { total, heard }: ToldTotal & { readonly total: number },
): Promise<Finding> {
  const { window } = examination.list;
  const tell = claimed('total', 'the total is that of the rows', listPlace(examination, 'total'));
  const lister = plainLister(examination, change);
  if (lister.window.kind !== 'random' || hidesRows(examination.list))
    return tell('could not tell', 'not all rows were read');
  if (total > depthOf(examination.list))
    return tell('could not tell', 'the last row lies behind window.depthMax');
  const { size } = change;
  const firstRow = Math.floor((total - 1) / size) * size;
  const last = await lister.ask(callAt(examination, lister, firstRow, size));
  const looksBehind = isWithinReach(examination.list, firstRow + size, size);
  const behind = looksBehind
    ? await lister.ask(callAt(examination, lister, firstRow + size, size))
    : undefined;
  const calls = [heard.request, last.request];
  if (last.value === undefined)
    return claimed('reach', 'every row can be reached', listPlace(examination, 'window'))(
      'differs',
      `the total is ${total}, but its last row cannot be had: ${heardText(last)}`,
      { calls, hint: 'window: { depthMax: … } with the rows that can be reached' },
    );
  const expected = total - firstRow;
  const more = behind?.value?.records.some(({ id }) => !last.value?.records.some((row) => row.id === id));
  const goesOn = more === true && (!('pastEnd' in window) || window.pastEnd === 'empty');
  if (last.value.received === expected && !goesOn)
    return tell('agrees', `${total}, and the last window holds ${counted(expected, 'row')}`);
  return tell(
    'differs',
    `${total}, but the last window holds ${last.value.received} rows in place of ${expected}${goesOn ? ', and rows stand behind it' : ''}`,
    { calls, hint: 'where the number of rows stands, or no total' },
  );
}

/** Why the rows of a walk cannot be counted. */
function untold({ repeated, steps, refusal, complete }: Walk, hidden: boolean): string | undefined {
  const filled = steps.filter(({ rows }) => rows.received > 0);
  const short = filled.slice(0, -1).some(({ call, rows }) => rows.received < call.size);
  if (repeated > 0) return 'records came twice in the walk';
  if (short && !hidden) return 'windows before the last are short';
  return refusal !== undefined && !complete ? 'not all rows can be reached' : undefined;
}

/** Probes the number of rows that the source tells. */
export async function probeTotal(
  examination: Examination,
  footing: Footing,
  sample: Walk,
): Promise<Finding | undefined> {
  const { total: spec } = examination.list;
  if (spec === undefined) return judgeUndeclared(examination, footing, sample);
  const tell = claimed('total', 'the total is that of the rows', listPlace(examination, 'total'));
  const lister = plainLister(examination, footing.change);
  if (spec.count !== undefined && lister.count === undefined)
    return tell('could not tell', 'Portico does not ask for it with such windows');
  const told = await toldTotal(lister, footing.first);
  const { total, heard } = told;
  const more = { calls: [heard.request], hint: 'where the number of rows stands; or no total' };
  if (heard.problem !== undefined) return tell('differs', heardText(heard), more);
  if (footing.first.value.isTotalLost === true) return tell('differs', 'no number stands there', more);
  if (total === undefined) return tell('could not tell', 'the source says that it is only a bound');
  const rows = sample.received;
  const why = untold(sample, hidesRows(examination.list) || footing.first.value.next !== undefined);
  if (why !== undefined) return tell('could not tell', why);
  if (!sample.complete) {
    if (total === 0 && rows === 0) return tell('could not tell', 'there are no rows');
    if (total < rows) return tell('differs', `${total}, but there are at least ${rows} rows`, more);
    return probeLast(examination, footing, { ...told, total });
  }
  if (total === rows) return tell('agrees', `${total}, and as many rows`);
  if (hidesRows(examination.list) && total > rows)
    return tell('agrees', `${total}, of which ${rows} are seen: the others are hidden after paging`);
  return tell('differs', `${total}, but there are ${counted(rows, 'row')}`, more);
}

/** What the total with a filter says of the claim that it counts the rows that match. */
export function judgeFilteredTotal(
  examination: Examination,
  { total, heard }: ToldTotal,
  { rows, all }: { readonly rows: number; readonly all: number | undefined },
  filters: readonly Filter[],
): Finding | undefined {
  const spec = examination.list.total;
  if (spec === undefined || total === undefined || hidesRows(examination.list)) return undefined;
  // Where it is wrong without a filter, it is no use to say so again.
  if (examination.doubts.has('total') || examination.doubts.has('short windows')) return undefined;
  const names = filters.map(({ field, op }) => `${field} ${op}`).join(', ');
  const counts = spec.counts;
  const tell = claimed(
    `total with ${names}`,
    counts === 'all' ? 'the total counts all rows, filtered or not' : 'the total counts the rows that match',
    listPlace(examination, 'total'),
  );
  const calls = [heard.request];
  if (counts === 'filtered') {
    if (total === rows) return tell('agrees', `${total}, and as many rows`);
    const whole = total === all;
    return tell(
      'differs',
      whole ? `${total}, the number of all rows, for ${rows}` : `${total}, but ${rows} rows`,
      {
        calls,
        hint: whole ? 'total: { counts: all }' : 'where the number of rows stands; or no total',
      },
    );
  }
  if (total === all) return tell('agrees', `${total} with and without the filter`);
  if (total === rows)
    return tell('noted', `${total}, and as many rows match`, {
      hint: 'total: { counts: filtered }, if it is so with every filter',
    });
  if (all === undefined && total > rows) return tell('could not tell', 'not all rows were read');
  return tell('differs', `${total}, where ${rows} rows match`, { calls });
}
