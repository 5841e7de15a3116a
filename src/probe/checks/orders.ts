import { isOrdered } from '../../adapter/plan/check-records.ts';
import type { CanonicalRecord } from '../../contract/document.ts';
import type { FieldKind, Value } from '../../contract/fields.ts';
import { compareKeys, compileOrder, sortKeyOf } from '../../contract/order.ts';
import type { Sort } from '../../contract/query.ts';
import { callAt, type Examination, heardText, type Lister } from '../session/probe-session.ts';
import { claimed, counted, type Finding, type Probe } from '../session/finding.ts';
import { depthOf } from '../session/source-variant.ts';
import { type Walk, walk } from '../session/walk.ts';
import { type Footing, idsOf, listPlace, plainLister, sameIds } from '../session/windows.ts';

type Records = readonly CanonicalRecord[];

function kindOf({ resource }: Examination, field: string): FieldKind {
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
        // Only the letters count here: how ties stand is another question.
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

/** The last windows of a list whose rows were not all read: unknown values stand there. */
async function readTail(
  examination: Examination,
  lister: Lister,
  { change }: Footing,
  total: number,
): Promise<Records> {
  const { size } = change;
  const last = Math.floor((total - 1) / size) * size;
  const records: CanonicalRecord[] = [];
  for (const firstRow of [last - size, last]) {
    if (firstRow <= 0) continue;
    const { value } = await lister.ask(callAt(examination, lister, firstRow, size));
    records.push(...(value?.records ?? []));
  }
  return records;
}

async function probeSort(
  examination: Examination,
  footing: Footing,
  { sample, callsMax, sort }: { sample: Walk; callsMax: number; sort: Sort },
): Promise<Finding> {
  const direction = sort.descending ? 'descending' : 'ascending';
  const tell = claimed(
    `sort ${sort.field} ${direction}`,
    "the contract's order: unknown last, ties by ascending id",
    listPlace(examination, 'sort', 'columns', sort.field),
  );
  const lister = examination.lister({ sort }, footing.change);
  if (lister === undefined) return tell('could not tell', 'Portico does not send sorts with such windows');
  const sorted = await walk(examination, lister, {
    size: footing.change.size,
    callsMax: Math.max(2, callsMax - 2),
  });
  const [first] = sorted.steps;
  if (first === undefined)
    return sorted.refusal === undefined
      ? tell('could not tell', 'there are no rows')
      : tell('differs', heardText(sorted.refusal), { calls: [sorted.refusal.request] });
  const more = { calls: [first.heard.request], hint: `directions without ${direction}, or no such column` };
  const total = first.rows.total ?? sample.steps[0]?.rows.total;
  const kind = kindOf(examination, sort.field);
  const reachesEnd = !sorted.complete && total !== undefined && total <= depthOf(examination.list);
  const tail = reachesEnd ? await readTail(examination, lister, footing, total) : [];
  const known = new Set(sorted.records.map(({ id }) => id));
  const records = [...sorted.records, ...tail.filter(({ id }) => !known.has(id))];
  const wrong = disorder(records, sort, kind);
  if (sorted.repeated > 0)
    return tell('differs', `${counted(sorted.repeated, 'record')} came twice in the walk`, {
      ...more,
      hint: `${more.hint}; or a sort that ends with the id, if the source takes several columns`,
    });
  const ignored = sameIds(idsOf(first.heard), idsOf(footing.first));
  if (wrong !== undefined)
    return tell('differs', ignored ? 'the sort is ignored: the same rows as without it' : wrong, more);
  const missing =
    sorted.complete && sample.repeated === 0 ? sample.records.filter(({ id }) => !known.has(id)).length : 0;
  if (missing > 0) return tell('differs', `${counted(missing, 'record')} did not come`, more);
  if (records.length < 2) return tell('could not tell', 'there are too few rows');
  return tell(
    'agrees',
    `${counted(records.length, 'row')} in order${sorted.complete ? '' : ', from the start and the end'}`,
  );
}

/** Whether the rows come in the order that is claimed without a sort. */
function judgeOrder(examination: Examination, { records }: Walk): Finding {
  const { order } = examination.list;
  const at = listPlace(examination, 'order');
  const wrong = disorder(records, { field: 'id', descending: false }, 'id');
  const rows = counted(records.length, 'row');
  if (records.length < 2) return claimed('order', `order: ${order}`, at)('could not tell', rows);
  if (order === 'id') {
    const tell = claimed('order', 'rows come by ascending id', at);
    return wrong === undefined
      ? tell('agrees', `${rows} in order`)
      : tell('differs', wrong, { hint: 'order: source, if it is always the same; else order: unknown' });
  }
  if (order === 'source') return claimed('order', 'rows come in an order of their own', at)('agrees', rows);
  const tell = claimed('order', 'no order is claimed', at);
  return wrong === undefined
    ? tell('noted', `${rows} by ascending id`, {
        hint: 'order: id, if its documentation says so, too: pages then come straight from the source',
      })
    : tell('noted', `${rows} in some other order`);
}

/** Whether the same call gives the same rows twice. */
async function probeStable(examination: Examination, { first, change }: Footing): Promise<Finding> {
  const { order } = examination.list;
  const tell = claimed('stability', 'the same call gives the same rows', listPlace(examination, 'order'));
  const lister = plainLister(examination, change);
  const again = await lister.ask(callAt(examination, lister, 0, change.size));
  const third = await lister.ask(callAt(examination, lister, 0, change.size));
  const ids = idsOf(again);
  const before = idsOf(first).slice(0, ids.length);
  if (sameIds(ids, before) && sameIds(ids, idsOf(third)))
    return tell('agrees', `${counted(ids.length, 'row')}, three times`);
  const sets = [before, ids, idsOf(third)].map((list) => [...list].sort().join('\n'));
  const shuffled = new Set(sets).size === 1;
  if (order === 'unknown')
    return tell('noted', shuffled ? 'the same rows in another order' : 'other rows each time', {
      hint: 'ask for an order that is total, such as by id, with a constant parameter',
    });
  if (sameIds(ids, idsOf(third))) return tell('could not tell', 'the rows changed meanwhile');
  return tell('differs', shuffled ? 'the same rows in another order' : 'other rows each time', {
    calls: [again.request],
    hint: 'order: unknown, or a constant parameter that asks for an order that is total',
  });
}

/** Probes the order without a sort. */
export function orderProbes(examination: Examination, footing: Footing, sample: Walk): readonly Probe[] {
  return [
    { name: 'order', run: () => judgeOrder(examination, sample) },
    { name: 'stability', run: () => probeStable(examination, footing) },
  ];
}

/** Probes every declared sort in every declared direction; they share the calls that are left. */
export function sortProbes(examination: Examination, footing: Footing, sample: Walk): readonly Probe[] {
  const isThere = (field: string) => examination.resource.itemFields.some(({ name }) => name === field);
  const sorts = Object.entries(examination.list.sort?.columns ?? {}).flatMap(([field, { directions }]) =>
    isThere(field) ? directions.map((direction) => ({ field, descending: direction === 'descending' })) : [],
  );
  return sorts.map((sort, index) => ({
    name: `sort ${sort.field} ${sort.descending ? 'descending' : 'ascending'}`,
    run() {
      const callsMax = Math.floor(examination.callsLeft() / (sorts.length - index));
      return probeSort(examination, footing, { sample, callsMax, sort });
    },
  }));
}
