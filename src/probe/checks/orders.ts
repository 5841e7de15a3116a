import { isOrdered } from '../../claims/order.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { FieldKind, Value } from '../../contract/fields.ts';
import { compareKeys, compileOrder, sortKeyOf } from '../../contract/order.ts';
import type { Sort } from '../../contract/query.ts';
import { callAt, type ProbeSession, describeExchange, type ProbedList } from '../resource/probe-session.ts';
import { claimAt, counted, type Finding, type Probe } from '../resource/finding.ts';
import { depthOf } from '../resource/source-variant.ts';
import { type ProbeWalk, walkRows } from '../resource/probe-walk.ts';
import { type Baseline, idsOf, listPlace, unfilteredList, sameIds } from '../resource/baseline.ts';

type Records = readonly CanonicalRecord[];

function kindOf({ resource }: ProbeSession, field: string): FieldKind {
  return resource.itemFields.find(({ name }) => name === field)?.kind ?? 'text';
}

function isSame(kind: FieldKind, left: Value, right: Value): boolean {
  if (left === null || right === null) return left === right;
  return compareKeys(sortKeyOf(kind, left), sortKeyOf(kind, right)) === 0;
}

/** In what way records are not in the contract's order; `undefined` where they are. */
function disorder(records: Records, sort: Sort, kind: FieldKind): string | undefined {
  const order = compileOrder(sort, kind);
  const folded = (value: Value) => (typeof value === 'string' ? value.toLocaleLowerCase('en') : value);
  for (const [index, record] of records.entries()) {
    const before = records[index - 1];
    if (before === undefined || order(before, record) < 0) continue;
    const [left, right] = [before[sort.field] ?? null, record[sort.field] ?? null];
    if (before.id === record.id) return 'a record comes twice';
    if (isSame(kind, left, right)) return 'rows that tie are not in the order of their ids';
    if (left === null || right === null) return 'unknown values are not last';
    const ignoresCase = isOrdered(
      records.map((one) => ({ ...one, [sort.field]: folded(one[sort.field] ?? null) })),
      (a, b) => {
        const [x, y] = [a[sort.field] ?? null, b[sort.field] ?? null];
        // Only the letters count here: the order of ties is judged elsewhere.
        return x === y ? -1 : order(a, b);
      },
    );
    if (ignoresCase) return 'letters are compared without their case';
    return kind === 'text'
      ? 'texts are compared otherwise than by code point, or not at all'
      : 'rows stand in another order';
  }
  return undefined;
}

/** The last windows of a list whose rows were not all read: unknown values must stand there. */
async function readTail(
  session: ProbeSession,
  reader: ProbedList,
  { change }: Baseline,
  total: number,
): Promise<Records> {
  const { size } = change;
  const last = Math.floor((total - 1) / size) * size;
  const records: CanonicalRecord[] = [];
  for (const firstRow of [last - size, last]) {
    if (firstRow <= 0) continue;
    const { value } = await reader.ask(callAt(session, reader, firstRow, size));
    records.push(...(value?.records ?? []));
  }
  return records;
}

async function probeSort(
  session: ProbeSession,
  baseline: Baseline,
  { sample, callsMax, sort }: { sample: ProbeWalk; callsMax: number; sort: Sort },
): Promise<Finding> {
  const direction = sort.descending ? 'descending' : 'ascending';
  const conclude = claimAt(
    `sort ${sort.field} ${direction}`,
    "the contract's order: unknown last, ties by ascending id",
    listPlace(session, 'sort', 'columns', sort.field),
  );
  const reader = session.reader({ sort }, baseline.change);
  if (reader === undefined)
    return conclude('could not tell', 'Portico does not send sorts with such windows');
  const sorted = await walkRows(session, reader, {
    size: baseline.change.size,
    callsMax: Math.max(2, callsMax - 2),
  });
  const [first] = sorted.steps;
  if (first === undefined)
    return sorted.refusal === undefined
      ? conclude('could not tell', 'there are no rows')
      : conclude('differs', describeExchange(sorted.refusal), { calls: [sorted.refusal.request] });
  const more = {
    calls: [first.exchange.request],
    hint: `directions without ${direction}, or no such column`,
  };
  const total = first.rows.total ?? sample.steps[0]?.rows.total;
  const kind = kindOf(session, sort.field);
  const reachesEnd = !sorted.complete && total !== undefined && total <= depthOf(session.list);
  const tail = reachesEnd ? await readTail(session, reader, baseline, total) : [];
  const known = new Set(sorted.records.map(({ id }) => id));
  const records = [...sorted.records, ...tail.filter(({ id }) => !known.has(id))];
  const wrong = disorder(records, sort, kind);
  if (sorted.repeated > 0)
    return conclude('differs', `${counted(sorted.repeated, 'record')} came twice in the walk`, {
      ...more,
      hint: `${more.hint}; or a sort that ends with the id, if the source takes several columns`,
    });
  const ignored = sameIds(idsOf(first.exchange), idsOf(baseline.first));
  if (wrong !== undefined)
    return conclude('differs', ignored ? 'the sort is ignored: the same rows as without it' : wrong, more);
  const missing =
    sorted.complete && sample.repeated === 0 ? sample.records.filter(({ id }) => !known.has(id)).length : 0;
  if (missing > 0) return conclude('differs', `${counted(missing, 'record')} did not come`, more);
  if (records.length < 2) return conclude('could not tell', 'there are too few rows');
  return conclude(
    'agrees',
    `${counted(records.length, 'row')} in order${sorted.complete ? '' : ', from the start and the end'}`,
  );
}

/** Whether the rows come in the order that is claimed without a sort. */
function judgeOrder(session: ProbeSession, { records }: ProbeWalk): Finding {
  const { order } = session.list;
  const at = listPlace(session, 'order');
  const wrong = disorder(records, { field: 'id', descending: false }, 'id');
  const rows = counted(records.length, 'row');
  if (records.length < 2) return claimAt('order', `order: ${order}`, at)('could not tell', rows);
  if (order === 'id') {
    const conclude = claimAt('order', 'rows come by ascending id', at);
    return wrong === undefined
      ? conclude('agrees', `${rows} in order`)
      : conclude('differs', wrong, { hint: 'order: source, if it is always the same; else order: unknown' });
  }
  if (order === 'source') return claimAt('order', 'rows come in an order of their own', at)('agrees', rows);
  const conclude = claimAt('order', 'no order is claimAt', at);
  return wrong === undefined
    ? conclude('noted', `${rows} by ascending id`, {
        hint: 'order: id, if its documentation says so, too: pages then come straight from the source',
      })
    : conclude('noted', `${rows} in some other order`);
}

/** Whether the same call gives the same rows twice. */
async function probeStable(session: ProbeSession, { first, change }: Baseline): Promise<Finding> {
  const { order } = session.list;
  const conclude = claimAt('stability', 'the same call gives the same rows', listPlace(session, 'order'));
  const reader = unfilteredList(session, change);
  const again = await reader.ask(callAt(session, reader, 0, change.size));
  const third = await reader.ask(callAt(session, reader, 0, change.size));
  const ids = idsOf(again);
  const before = idsOf(first).slice(0, ids.length);
  if (sameIds(ids, before) && sameIds(ids, idsOf(third)))
    return conclude('agrees', `${counted(ids.length, 'row')}, three times`);
  const sets = [before, ids, idsOf(third)].map((list) => [...list].sort().join('\n'));
  const shuffled = new Set(sets).size === 1;
  if (order === 'unknown')
    return conclude('noted', shuffled ? 'the same rows in another order' : 'other rows each time', {
      hint: 'ask for an order that is total, such as by id, with a constant parameter',
    });
  if (sameIds(ids, idsOf(third))) return conclude('could not tell', 'the rows changed meanwhile');
  return conclude('differs', shuffled ? 'the same rows in another order' : 'other rows each time', {
    calls: [again.request],
    hint: 'order: unknown, or a constant parameter that asks for an order that is total',
  });
}

/** Probes the order without a sort. */
export function orderProbes(session: ProbeSession, baseline: Baseline, sample: ProbeWalk): readonly Probe[] {
  return [
    { name: 'order', run: () => judgeOrder(session, sample) },
    { name: 'stability', run: () => probeStable(session, baseline) },
  ];
}

/** Probes every declared sort in every declared direction; they share the calls that are left. */
export function sortProbes(session: ProbeSession, baseline: Baseline, sample: ProbeWalk): readonly Probe[] {
  const isThere = (field: string) => session.resource.itemFields.some(({ name }) => name === field);
  const sorts = Object.entries(session.list.sort?.columns ?? {}).flatMap(([field, { directions }]) =>
    isThere(field) ? directions.map((direction) => ({ field, descending: direction === 'descending' })) : [],
  );
  return sorts.map((sort, index) => ({
    name: `sort ${sort.field} ${sort.descending ? 'descending' : 'ascending'}`,
    run() {
      const callsMax = Math.floor(session.callsLeft() / (sorts.length - index));
      return probeSort(session, baseline, { sample, callsMax, sort });
    },
  }));
}
