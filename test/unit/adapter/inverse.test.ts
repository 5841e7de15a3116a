import fc from 'fast-check';
import { compileStep } from '../../../src/adapter/coerce.ts';
import { invertCoercion, NOTHING } from '../../../src/adapter/inverse.ts';
import type { CoercionSpec } from '../../../src/config/source-schema.ts';
import { matches } from '../../../src/contract/order.ts';
import { Decimal } from '../../../src/kernel/decimal.ts';

const price = (text: string) => Decimal.parse(text)!;

describe('a bound on a price in cents', () => {
  const bound = fc
    .tuple(fc.nat(2_000), fc.stringMatching(/^\d{0,5}$/))
    .map(([units, fraction]) => (fraction === '' ? String(units) : `${units}.${fraction}`));
  const cents = fc
    .oneof(fc.integer({ min: -500, max: 200_500 }), fc.bigInt({ min: 0n, max: 2n ** 70n }))
    .map(BigInt);

  it.each(['ge', 'le'] as const)('%s, sent as whole cents, keeps exactly the rows that satisfy it', (op) => {
    const codec = invertCoercion([{ nullIf: ['', 'n/a'] }, 'cents'], op)!;
    fc.assert(
      fc.property(bound, cents, (text, row) => {
        const sent = BigInt(String(codec(price(text))));
        const kept = op === 'ge' ? row >= sent : row <= sent;
        const read = compileStep('cents').run(String(row)) as Decimal;
        expect(kept).toBe(matches(read, op, price(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('near a bound too, where most mistakes would be', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('ge' as const, 'le' as const),
        bound,
        fc.integer({ min: -2, max: 2 }),
        (op, text, near) => {
          const row = BigInt(Math.round(Number(text) * 100)) + BigInt(near);
          const sent = BigInt(String(invertCoercion(['cents'], op)!(price(text))));
          expect(op === 'ge' ? row >= sent : row <= sent).toBe(matches(new Decimal(row, 2), op, price(text)));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['ge', '19.99', '1999'],
    ['ge', '19.991', '2000'],
    ['le', '19.999', '1999'],
    ['le', '0', '0'],
    ['ge', '7', '700'],
    ['ge', '0.0001', '1'],
  ] as const)('%s %s is sent as %s', (op, text, sent) =>
    expect(invertCoercion(['cents'], op)!(price(text))).toBe(sent),
  );
});

describe('a label behind a code', () => {
  const steps: CoercionSpec[] = ['trim', { enum: { ELC: 'Electronics', TOY: 'Toys', HOM: 'Home & Garden' } }];

  it('is sent as its code', () => expect(invertCoercion(steps, 'eq')!('Home & Garden')).toBe('HOM'));

  it.each(['ELC', 'electronics', 'Nobody', 'constructor', '__proto__', ''])(
    'that no code stands for (%j) is found nowhere, without asking',
    (label) => expect(invertCoercion(steps, 'eq')!(label)).toBe(NOTHING),
  );

  it('cannot be sent where two codes mean the same', () => {
    expect(invertCoercion([{ enum: { A: 'Toys', B: 'Toys' } }], 'eq')).toBeUndefined();
    expect(invertCoercion([{ enum: { A: 'Toys', B: ' Toys' } }, 'trim'], 'eq')).toBeUndefined();
  });

  it('is looked up as all steps leave it', () => {
    expect(invertCoercion([{ enum: { A: ' Toys ' } }, 'trim'], 'eq')!('Toys')).toBe('A');
    const unknown = invertCoercion([{ nullIf: ['X'] }, { enum: { X: 'Other', A: 'Toys' } }], 'eq')!;
    expect([unknown('Toys'), unknown('Other')]).toEqual(['A', NOTHING]);
  });

  it('round trips for any table of labels', () => {
    const table = fc.dictionary(fc.stringMatching(/^[A-Z0-9]{1,3}$/), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(table, (labels) => {
        const codec = invertCoercion([{ enum: labels }], 'eq');
        const unique = new Set(Object.values(labels)).size === Object.keys(labels).length;
        expect(codec !== undefined).toBe(unique);
        for (const [code, label] of Object.entries(labels)) if (unique) expect(codec!(label)).toBe(code);
      }),
    );
  });
});

describe('a text that is only cleaned up', () => {
  const codec = invertCoercion(['trim', { nullIf: ['', '-'] }], 'eq')!;

  it('is sent as it is', () => expect(codec('Toys & more')).toBe('Toys & more'));

  it.each(['-', '', ' Toys', 'Toys\n'])(
    'that the steps would not leave as it is (%j) can be the value of no record',
    (text) => expect(codec(text)).toBe(NOTHING),
  );

  it('is found, if anywhere, under what is sent', () => {
    const read = (text: string) => {
      const trimmed = compileStep('trim').run(text);
      return compileStep({ nullIf: ['', '-'] }).run(trimmed);
    };
    fc.assert(
      fc.property(fc.string(), (wanted) => {
        const sent = codec(wanted);
        expect(sent === NOTHING ? read(wanted) !== wanted : read(sent) === wanted).toBe(true);
      }),
    );
  });
});

describe('other steps', () => {
  it('send a plain decimal for a price that is one', () => {
    for (const steps of [[], [{ number: { decimal: '.', group: '' } }]] as CoercionSpec[][])
      expect(invertCoercion(steps, 'ge')!(price('19.90'))).toBe('19.90');
  });

  it.each<CoercionSpec[]>([
    [{ number: { decimal: ',', group: '.' } }],
    ['epochSeconds'],
    [{ date: { format: 'yyyy', zone: 'UTC' } }],
    [{ join: ' ' }],
    ['cents', { number: { decimal: '.', group: '' } }],
  ])('%j cannot be turned round', (...steps) => expect(invertCoercion(steps, 'ge')).toBeUndefined());
});
