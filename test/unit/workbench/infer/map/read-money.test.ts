import type { Json } from '../../../../../src/kernel/json/json.ts';
import type { Column } from '../../../../../src/workbench/infer/map/columns.ts';
import { findMoney } from '../../../../../src/workbench/infer/map/read-money.ts';

const column = (path: string, word: string, values: readonly Json[]): Column => ({
  path,
  words: [word],
  values,
});
const amount = column('price.amount', 'amount', ['1.50', '2.00', '3.00']);
const currency = (...codes: readonly Json[]) => column('price.currency', 'currency', codes);

describe('the currency beside an amount', () => {
  it('is expected, if every amount is in it', () => {
    expect(findMoney(amount, [amount, currency('EUR', 'EUR', 'EUR')])).toEqual({
      from: 'price',
      step: { money: { amount: 'amount', currency: 'currency', expect: 'EUR' } },
      remark: { level: 'likely', text: 'every amount is in EUR; others become null' },
    });
  });

  it('is the most frequent of several, and the operator has to look', () => {
    expect(findMoney(amount, [currency('USD', 'EUR', 'EUR')])).toMatchObject({
      step: { money: { expect: 'EUR' } },
      remark: { level: 'edit', text: expect.stringContaining('2 currencies (EUR, USD)') },
    });
  });

  it.each<[string, Column]>([
    ['stands elsewhere', column('total.currency', 'currency', ['EUR'])],
    ['is no code of three letters', currency('EUR', 'euro')],
    ['is always null', currency(null, null)],
    ['has another name', column('price.unit', 'unit', ['EUR'])],
  ])('is not assumed if it %s', (_why, other) => expect(findMoney(amount, [other])).toBeUndefined());

  it('is not assumed of an amount in a list', () => {
    const listed = column('prices[0].amount', 'amount', ['1']);
    expect(findMoney(listed, [column('prices[0].currency', 'currency', ['EUR'])])).toBeUndefined();
  });
});
