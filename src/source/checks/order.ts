// Checks that rows come in the order that a source file claims, and in the same order each time: the gateway in each reply
// (`isOrdered`), `doctor` and `infer` in a sample, and they say what is wrong (`disorder`).

import type { Value } from '../../contract/fields.ts';
import {
  compileFieldOrder,
  compileOrder,
  type RecordOrder,
  sortFieldOf,
  type SortRules,
} from '../../contract/order.ts';
import type { Sort } from '../../contract/query.ts';
import { type Claim, claimOf, type Evidence, type EvidenceRow } from './claim.ts';
import { idsOf, isNumbered, listPlace, rowsAt, sameIds, sizeOf } from './evidence/ask.ts';
import { concludeAt, type Finding, setting } from './evidence/finding.ts';
import { plural } from '../../kernel/plural.ts';

/** Whether rows are in strict order. Two equal neighbours would be the same row twice. */
export function isOrdered(rows: readonly EvidenceRow[], order: RecordOrder): boolean {
  let before: EvidenceRow | undefined;
  for (const row of rows) {
    if (before !== undefined && !(order(before, row) < 0)) return false;
    before = row;
  }
  return true;
}

/** Whether rows are in order if the case of letters does not count. The order of ties is checked elsewhere. */
function isOrderedInLowerCase(rows: readonly EvidenceRow[], { field }: Sort, order: RecordOrder): boolean {
  const folded = (value: Value) => (typeof value === 'string' ? value.toLocaleLowerCase('en') : value);
  const lower = rows.map((one) => ({ ...one, [field]: folded(one[field] ?? null) }));
  return isOrdered(lower, (a, b) => ((a[field] ?? null) === (b[field] ?? null) ? -1 : order(a, b)));
}

/** How rows break the contract's order, in words; `undefined` if they are in order. */
export function disorder(rows: readonly EvidenceRow[], sort: Sort, by: SortRules): string | undefined {
  const order = compileOrder(sort, by);
  const { keyOf, compare } = compileFieldOrder(sort, by);
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1];
    if (before === undefined || order(before, row) < 0) continue;
    const [left, right] = [before[sort.field] ?? null, row[sort.field] ?? null];
    if (before.id === row.id) return 'a record comes twice';
    if (compare(keyOf(before), keyOf(row)) === 0) return 'rows that tie are not in the order of their ids';
    if (left === null || right === null) return 'unknown values are not last';
    if (isOrderedInLowerCase(rows, sort, order)) return 'letters are compared without their case';
    return by.kind === 'text'
      ? 'texts are compared otherwise than by code point, or not at all'
      : 'rows stand in another order';
  }
  return undefined;
}

/** The advice to declare an order by id. Only numbered windows with a total are then read page by page. */
function orderAdvice({ ask }: Evidence) {
  const { window, total } = ask.list;
  const straight = isNumbered(window) && total !== undefined;
  const text = `order: id, if its documentation says so, too${straight ? ': pages then come straight from the source' : ''}`;
  return setting(listPlace(ask, 'order'), 'id', text);
}

/** Whether the rows come in the order that is claimed without a sort. */
function checkOrder(evidence: Evidence): Finding {
  const { ask, sample } = evidence;
  const { order } = ask.list;
  const { records } = sample;
  const at = listPlace(ask, 'order');
  const byId = { field: 'id', descending: false };
  const wrong = disorder(records, byId, sortFieldOf(ask.resource.itemFields, byId));
  const rows = plural(records.length, 'row');
  if (records.length < 2) return concludeAt('order', `order: ${order}`, at)('could not tell', rows);
  if (order === 'id') {
    const conclude = concludeAt('order', 'rows come by ascending id', at);
    const text = 'order: source, if it is always the same; else no order';
    return wrong === undefined
      ? conclude('agrees', `${rows} in order`)
      : conclude('differs', wrong, setting(at, undefined, text));
  }
  if (order === 'source')
    return concludeAt('order', 'rows come in an order of their own', at)('agrees', rows);
  const conclude = concludeAt('order', 'no order is claimed', at);
  return wrong === undefined
    ? conclude('noted', `${rows} by ascending id`, orderAdvice(evidence))
    : conclude('noted', `${rows} in some other order`);
}

/** Whether the same call gives the same rows twice. */
async function checkStable({ ask, first }: Evidence): Promise<Finding> {
  const at = listPlace(ask, 'order');
  const conclude = concludeAt('stability', 'the same call gives the same rows', at);
  const [again, third] = [await rowsAt(ask, 0, sizeOf(ask.list)), await rowsAt(ask, 0, sizeOf(ask.list))];
  const ids = idsOf(again);
  const before = idsOf(first).slice(0, ids.length);
  if (sameIds(ids, before) && sameIds(ids, idsOf(third)))
    return conclude('agrees', `${plural(ids.length, 'row')}, three times`);
  const sets = [before, ids, idsOf(third)].map((list) => [...list].sort().join('\n'));
  const observed = new Set(sets).size === 1 ? 'the same rows in another order' : 'other rows each time';
  const total = 'a constant parameter that asks for an order that is total, such as by id';
  if (ask.list.order === 'unknown') return conclude('noted', observed, total);
  if (sameIds(ids, idsOf(third))) return conclude('could not tell', 'the rows changed meanwhile');
  const text = `no order, or ${total}`;
  return conclude('differs', observed, { ...setting(at, undefined, text), otherwise: text }, again);
}

/** The claims about the order without a sort: which order it is, and that it is always the same. */
export const orderClaims: readonly Claim[] = [
  claimOf('order', checkOrder),
  claimOf('stability', checkStable),
];
