import fc from 'fast-check';
import type { WindowEvidence } from '../../../../../src/source/checks/claim.ts';
import { isFullWindow } from '../../../../../src/source/checks/continuation.ts';
import { brokenEcho } from '../../../../../src/source/checks/echo.ts';
import { brokenFilter } from '../../../../../src/source/checks/filter.ts';
import { isOrdered } from '../../../../../src/source/checks/order.ts';
import { brokenTotal } from '../../../../../src/source/checks/total.ts';
import { hasDuplicates } from '../../../../../src/source/checks/unique-ids.ts';
import { wrongRowCount } from '../../../../../src/source/checks/window-size.ts';
import { compileIdOrder, compileOrder, sortFieldOf } from '../../../../../src/contract/order.ts';
import type { CanonicalRecord } from '../../../../../src/contract/response-body.ts';
import { Decimal } from '../../../../../src/kernel/decimal.ts';
import { resources } from '../../../../support/reference.ts';
import { sortRecords } from '../../../../support/pipeline/sort-records.ts';

const byId = compileIdOrder(resources.users.itemFields);
const ids = (...numbers: number[]) => numbers.map((number) => ({ id: `user_${number}` }));
const product = (id: number, category: string | null, price: string | null): CanonicalRecord => ({
  id: `prod_${id}`,
  category,
  price: price === null ? null : Decimal.parse(price)!,
});

describe('rows that claim to be in order', () => {
  it.each([
    [[], true],
    [[5], true],
    [[1, 2, 10], true],
    [[1, 10, 2], false],
    [[2, 1], false],
    [[1, 1], false],
    [[1, 2, 1], false],
  ])('%j: %s', (numbers, expected) => expect(isOrdered(ids(...numbers), byId)).toBe(expected));

  it('are exactly those that sorting would leave as they are', () => {
    const record = fc.record({
      id: fc.nat(9).map((n) => `user_${n}`),
      name: fc.option(fc.constantFrom('a', 'é', 'e\u0301', 'B'), { nil: null }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(record, { selector: ({ id }) => id, maxLength: 4 }),
        fc.boolean(),
        (records, descending) => {
          const sort = { field: 'name', descending };
          const by = sortFieldOf(resources.users.itemFields, sort);
          const sorted = sortRecords(records, sort, by);
          const same = sorted.every((one, i) => one === records[i]);
          expect(isOrdered(records, compileOrder(sort, by))).toBe(same);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('rows that claim to satisfy a filter', () => {
  const filters = [
    { field: 'category', op: 'eq', value: 'Toys' },
    { field: 'price', op: 'ge', value: Decimal.parse('10')! },
  ] as const;

  it.each<[CanonicalRecord, string | undefined]>([
    [product(2, 'Toys', '10.00'), undefined],
    [product(2, 'toys', '10.00'), 'filter.category.eq'],
    [product(2, null, '10.00'), 'filter.category.eq'],
    [product(2, 'Toys', '9.99'), 'filter.price.ge'],
    [product(2, 'Toys', null), 'filter.price.ge'],
  ])('break the claim at the first row that does not: %#', (row, broken) => {
    expect(brokenFilter([product(1, 'Toys', '11'), row], filters)).toBe(broken);
  });

  it('break none where there are no rows', () => expect(brokenFilter([], filters)).toBeUndefined());
});

describe('a walk', () => {
  it('has duplicates where an id stands in it twice', () => {
    expect(hasDuplicates(ids(1, 2, 3))).toBe(false);
    expect(hasDuplicates(ids(1, 2, 1))).toBe(true);
    expect(hasDuplicates([])).toBe(false);
  });
});

/** A window of ten rows from row 20 on, of which some came. */
const window = (received: number, rows: Partial<WindowEvidence['rows']> = {}): WindowEvidence => ({
  call: { firstRow: 20, size: 10, variables: { offset: 20, limit: 10 } },
  rows: {
    records: ids(...Array.from({ length: received }, (_, n) => n)),
    received,
    total: undefined,
    next: undefined,
    ...rows,
  },
});

describe('a window', () => {
  it.each([
    ['is full before the end', window(10), 45, undefined],
    ['is as short as the total says at the end', window(5), 25, undefined],
    ['is empty behind the end', window(0), 20, undefined],
    ['is short before the end', window(9), 45, 'fewer or more rows'],
    ['goes on behind the end', window(10), 25, 'fewer or more rows'],
    ['tells another total', window(10, { total: 46 }), 45, 'the total changed'],
  ])('that %s is held against the total', (_what, evidence, total, detail) => {
    const broken = brokenTotal(evidence, total);
    expect(broken?.detail).toEqual(detail === undefined ? undefined : expect.stringContaining(detail));
  });

  it('may hold no more rows than it was asked for', () => {
    expect(wrongRowCount(window(10))).toBeUndefined();
    expect(wrongRowCount(window(11))).toBe('the source gave 11 rows where 10 were asked for');
  });

  it('repeats what it was asked for, where it repeats anything', () => {
    expect(brokenEcho({ offset: '20' }, window(1).call)).toBeUndefined();
    expect(brokenEcho({ offset: '20', limit: '5' }, window(1).call)).toBe('limit');
  });

  it.each([
    ['full, and names the next', window(10, { next: 'x' }), 45, true],
    ['full, and ends with the total', window(10), 30, true],
    ['full, but names none before the end', window(10), 45, false],
    ['short before the end', window(9, { next: 'x' }), 45, false],
    ['without a row that was dropped', window(10, { records: ids(1), next: 'x' }), 45, false],
  ])('has a fixed position if it is %s: %#', (_what, evidence, total, expected) => {
    expect(isFullWindow(evidence, total)).toBe(expected);
  });
});
