import { compareContracts } from '../../../src/contract/compare-contracts.ts';
import { contractSchema } from '../../../src/contract/contract-schema.ts';

/** A contract whose resource has these views, and what only lists have. */
function contractWith(views: { readonly list?: boolean; readonly single?: boolean }, more: object = {}) {
  const orders = { singular: 'order', id: { prefix: '' }, fields: { total: { kind: 'decimal' } } };
  return contractSchema.parse({
    contract: 1,
    title: 'Shop',
    resources: { orders: { ...orders, ...views, ...more } },
  });
}

const both = contractWith({ single: true }, { sort: ['total'], pages: { default: 5 } });
const single = contractWith({ list: false, single: true });
const list = contractWith({}, { sort: ['total'], pages: { default: 5 } });

describe('a contract with other views than an older one', () => {
  it.each([
    [
      'the list is gone',
      both,
      single,
      { path: ['resources', 'orders', 'list'], breaks: true, hint: 'list: true' },
    ],
    ['the list is new', single, both, { path: ['resources', 'orders', 'list'], breaks: false }],
    [
      'the view of a single record is gone',
      both,
      list,
      { path: ['resources', 'orders', 'single'], breaks: true, hint: 'single: true' },
    ],
    [
      'the view of a single record is new',
      list,
      both,
      { path: ['resources', 'orders', 'single'], breaks: false },
    ],
  ] as const)('says in one line that %s', (message, before, now, wanted) =>
    expect(compareContracts(before, now)).toEqual([{ message, ...wanted }]),
  );

  it.each([both, single, list])('breaks nothing if they are the same', (one) =>
    expect(compareContracts(one, one)).toEqual([]),
  );
});
