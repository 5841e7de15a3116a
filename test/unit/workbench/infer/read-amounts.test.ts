import fc from 'fast-check';
import { amountForm } from '../../../../src/workbench/infer/map/read-amounts.ts';

describe('the form of amounts', () => {
  it.each([
    [['956.00', '1249.5'], '.', ''],
    [['12,50', '9,90'], ',', ''],
    [['1.234,50', '9,90'], ',', '.'],
    [['1,234.50', '9.90'], '.', ','],
    [["1'234.50", '9.90'], '.', "'"],
    [['1 234,50', '3,00'], ',', ' '],
    [['12', '7'], '.', ''],
  ] as const)('of %j is read from its characters', (texts, decimal, group) => {
    expect(amountForm(texts)).toMatchObject({ decimal, group, ambiguous: false, share: 1 });
  });

  it('is ambiguous where nothing shows whether 1.234 is a thousand or a fraction', () => {
    expect(amountForm(['1.234', '5.678'])).toMatchObject({ ambiguous: true });
    expect(amountForm(['1.234', '5.67'])).toMatchObject({ ambiguous: false });
  });

  it('is none where no text is a number', () => {
    expect(amountForm(['on request', ''])).toBeUndefined();
  });

  it('is that in which prices of two digits were written', () => {
    const price = fc.tuple(fc.integer({ min: 1_000, max: 99_999 }), fc.integer({ min: 0, max: 99 }));
    fc.assert(
      fc.property(
        fc.array(price, { minLength: 1 }),
        fc.constantFrom(['.', ','], [',', '.']),
        (prices, [group, decimal]) => {
          const texts = prices.map(([units, cents]) => {
            const [high, low] = [Math.floor(units / 1_000), String(units % 1_000).padStart(3, '0')];
            return `${high}${group}${low}${decimal}${String(cents).padStart(2, '0')}`;
          });
          expect(amountForm(texts)).toMatchObject({ decimal, group, share: 1 });
        },
      ),
    );
  });
});
