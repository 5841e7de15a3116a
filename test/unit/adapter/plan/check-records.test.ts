import fc from 'fast-check';
import { brokenFilter, hasDuplicates, isOrdered } from '../../../../src/adapter/plan/check-records.ts';
import { compileOrder } from '../../../../src/contract/order.ts';
import type { CanonicalRecord } from '../../../../src/contract/response-body.ts';
import { Decimal } from '../../../../src/kernel/decimal.ts';
import { sortRecords } from '../../../support/pipeline/sort-records.ts';

const byId = compileOrder({ field: 'id', descending: false }, 'id');
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
          const sorted = sortRecords(records, sort, 'text');
          const same = sorted.every((one, i) => one === records[i]);
          expect(isOrdered(records, compileOrder(sort, 'text'))).toBe(same);
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
