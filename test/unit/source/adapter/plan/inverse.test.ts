import fc from 'fast-check';
import { compileStep } from '../../../../../src/source/adapter/map/coercion/coerce.ts';
import { invertCoercion as invert, NO_MATCH } from '../../../../../src/source/adapter/plan/inverse.ts';
import type { CoercionSpec } from '../../../../../src/config/schema/source.ts';
import type { Field, Value } from '../../../../../src/contract/fields.ts';
import type { PushableOp } from '../../../../../src/contract/query.ts';
import { resources } from '../../../../support/reference.ts';
import { matches } from '../../../../../src/contract/order.ts';
import { Decimal } from '../../../../../src/kernel/decimal.ts';
import { anyCharacter } from '../../../../support/any-character.ts';

const [label, amount] = ['category', 'price'].map((name) =>
  resources.products.itemFields.find((field) => field.name === name)!,
);

/** The inverse of the steps of a category, or of a price. */
const invertCoercion = (steps: Parameters<typeof invert>[0], op: PushableOp) =>
  invert(steps, op, (op === 'eq' ? label : amount)!);

const satisfies = (value: Value, op: Exclude<PushableOp, 'in'>, wanted: string | Decimal) =>
  matches(value, { field: '', op, value: wanted });

const price = (text: string) => Decimal.parse(text)!;
const AT = '2025-01-07T10:00:00Z';

describe('a bound on a price in cents', () => {
  const bound = fc
    .tuple(fc.nat(2_000), fc.stringMatching(/^\d{0,5}$/))
    .map(([units, fraction]) => (fraction === '' ? String(units) : `${units}.${fraction}`));
  const cents = fc
    .oneof(fc.integer({ min: -500, max: 200_500 }), fc.bigInt({ min: 0n, max: 2n ** 70n }))
    .map(BigInt);

  it.each(['ge', 'le'] as const)('%s, sent as whole cents, keeps exactly the rows that satisfy it', (op) => {
    const toNative = invertCoercion([{ nullIf: ['', 'n/a'] }, 'cents'], op)!.toNative;
    fc.assert(
      fc.property(bound, cents, (text, row) => {
        const sent = BigInt(String(toNative(price(text))));
        const kept = op === 'ge' ? row >= sent : row <= sent;
        const read = compileStep('cents').run(String(row)) as Decimal;
        expect(kept).toBe(satisfies(read, op, price(text)));
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
          const sent = BigInt(String(invertCoercion(['cents'], op)!.toNative(price(text))));
          expect(op === 'ge' ? row >= sent : row <= sent).toBe(
            satisfies(new Decimal(row, 2), op, price(text)),
          );
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
    expect(invertCoercion(['cents'], op)!.toNative(price(text))).toBe(sent),
  );
});

describe('a label behind a code', () => {
  const steps: CoercionSpec[] = ['trim', { enum: { ELC: 'Electronics', TOY: 'Toys', HOM: 'Home & Garden' } }];

  it('is sent as its code', () => expect(invertCoercion(steps, 'eq')!.toNative('Home & Garden')).toBe('HOM'));

  it.each(['ELC', 'electronics', 'Nobody', 'constructor', '__proto__', ''])(
    'that no code stands for (%j) is found nowhere, without asking',
    (label) => expect(invertCoercion(steps, 'eq')!.toNative(label)).toBe(NO_MATCH),
  );

  it('cannot be sent where two codes mean the same', () => {
    expect(invertCoercion([{ enum: { A: 'Toys', B: 'Toys' } }], 'eq')).toBeUndefined();
    expect(invertCoercion([{ enum: { A: 'Toys', B: ' Toys' } }, 'trim'], 'eq')).toBeUndefined();
  });

  it('is looked up as all steps leave it', () => {
    expect(invertCoercion([{ enum: { A: ' Toys ' } }, 'trim'], 'eq')!.toNative('Toys')).toBe('A');
    const unknown = invertCoercion([{ nullIf: ['X'] }, { enum: { X: 'Other', A: 'Toys' } }], 'eq')!.toNative;
    expect([unknown('Toys'), unknown('Other')]).toEqual(['A', NO_MATCH]);
  });

  it('round trips for any table of labels', () => {
    const table = fc.dictionary(fc.stringMatching(/^[A-Z0-9]{1,3}$/), fc.string({ unit: anyCharacter }));
    fc.assert(
      fc.property(table, (labels) => {
        const inverse = invertCoercion([{ enum: labels }], 'eq');
        const unique = new Set(Object.values(labels)).size === Object.keys(labels).length;
        expect(inverse !== undefined).toBe(unique);
        for (const [code, label] of Object.entries(labels))
          if (unique) expect(inverse?.toNative(label)).toBe(code);
      }),
    );
  });
});

describe('a text that is only cleaned up', () => {
  const toNative = invertCoercion(['trim', { nullIf: ['', '-'] }], 'eq')!.toNative;

  it('is sent as it is', () => expect(toNative('Toys & more')).toBe('Toys & more'));

  it.each(['-', '', ' Toys', 'Toys\n'])(
    'that the steps would not leave as it is (%j) can be the value of no record',
    (text) => expect(toNative(text)).toBe(NO_MATCH),
  );

  it('is found, if at all, by the value that is sent', () => {
    const read = (text: string) => {
      const trimmed = compileStep('trim').run(text);
      return compileStep({ nullIf: ['', '-'] }).run(trimmed);
    };
    fc.assert(
      fc.property(fc.string(), (wanted) => {
        const sent = toNative(wanted);
        expect(sent === NO_MATCH ? read(wanted) !== wanted : read(String(sent)) === wanted).toBe(true);
      }),
    );
  });
});

describe('other steps', () => {
  it('send a plain decimal for a price that is one', () => {
    for (const steps of [[], [{ number: { decimal: '.', group: '' } }]] as CoercionSpec[][])
      expect(invertCoercion(steps, 'ge')!.toNative(price('19.90'))).toBe('19.90');
  });

  it.each<CoercionSpec[]>([
    [{ number: { decimal: ',', group: '.' } }],
    ['epochSeconds'],
    ['lowercase'],
    ['unescape'],
    ['stripHtml'],
    [{ split: { by: '/', at: -1 } }],
    [{ match: '(.*)' }],
    [{ parseJson: 'a' }],
    [{ template: '1{value}' }, 'cents'],
    [{ enum: { A: '1' } }, 'cents'],
    [{ date: { format: 'yyyy', zone: 'UTC' } }],
    [{ join: ' ' }],
    ['cents', { number: { decimal: '.', group: '' } }],
  ])('%j cannot be inverted', (...steps) => expect(invertCoercion(steps, 'ge')).toBeUndefined());
});

describe('text around a value', () => {
  const toNative = invertCoercion([{ template: 'cat:{value}!' }], 'eq')!.toNative;

  it('is taken off before the value is sent', () => expect(toNative('cat:Toys & more!')).toBe('Toys & more'));

  it.each(['Toys', 'cat:Toys', 'Toys!', 'cat!', 'CAT:Toys!'])(
    'that is missing (%s) is around no record',
    (text) => expect(toNative(text)).toBe(NO_MATCH),
  );

  it('is taken off from outside in', () => {
    const steps: CoercionSpec[] = ['trim', { enum: { T: 'toys' } }, { template: '<{value}>' }];
    expect(invertCoercion(steps, 'eq')!.toNative('<toys>')).toBe('T');
    expect(invertCoercion([{ template: 'a{value}' }, { template: '{value}z' }], 'eq')!.toNative('aMz')).toBe(
      'M',
    );
  });

  it('round trips whatever the value', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(toNative(compileStep({ template: 'cat:{value}!' }).run(text) as string)).toBe(text);
      }),
    );
  });
});

describe('a default for unknown values', () => {
  it('is not asked for, because the source does not know it', () => {
    const { toNative, exact } = invertCoercion([{ nullIf: ['-'] }, { default: 'Other' }], 'eq')!;
    const sent = ['Other', 'Toys', '-'].map((text) => toNative(text));
    expect([...sent, exact]).toEqual([undefined, 'Toys', NO_MATCH, true]);
    const coded = invertCoercion([{ enum: { T: 'Toys' } }, { default: 'Other' }], 'eq')!.toNative;
    expect([coded('Other'), coded('Toys'), coded('T')]).toEqual([undefined, 'T', NO_MATCH]);
  });

  it('keeps bounds from being asked for that it lies within', () => {
    const { toNative } = invertCoercion(['cents', { default: 0 }], 'le')!;
    expect(toNative(price('5'))).toBeUndefined();
    const { toNative: low } = invertCoercion(['cents', { default: 0 }], 'ge')!;
    expect([low(price('0')), low(price('0.01'))]).toEqual([undefined, '1']);
  });
});

describe('a number that means "unknown"', () => {
  it.each<[CoercionSpec[], 'ge' | 'le', string, string | undefined]>([
    [[{ nullIf: [-1] }], 'le', '5', undefined],
    [[{ nullIf: [-1] }], 'ge', '5', '5'],
    [[{ nullIf: ['999999', ''] }, 'cents'], 'ge', '5', undefined],
    [[{ nullIf: ['999999', ''] }, 'cents'], 'ge', '10000', '1000000'],
    [[{ nullIf: ['n/a', null, false] }, { number: { decimal: '.', group: '' } }], 'le', '5', '5'],
  ])('of %j keeps %s %s from being asked for if it lies within', (steps, op, bound, sent) =>
    expect(invertCoercion(steps, op)!.toNative(price(bound))).toBe(sent),
  );
});

describe('a value that means "unknown" and is none of its kind', () => {
  const zero = { nullIf: ['0000-00-00'] };
  const late = { nullIf: ['9999-99-99'] };
  it.each<[Field['kind'], CoercionSpec[], 'ge' | 'le' | 'eq', boolean]>([
    ['date', [zero], 'le', true],
    ['date', [zero], 'ge', false],
    ['date', [zero], 'eq', false],
    ['date', [late], 'ge', true],
    ['date', [late], 'le', false],
    ['date', [{ nullIf: ['2025-01-00'] }], 'le', true],
    ['date', [{ nullIf: [0] }], 'le', true],
    ['date', [{ nullIf: [0] }], 'ge', false],
    ['date', [{ nullIf: [''] }], 'le', true],
    ['date', [{ nullIf: ['N/A'] }], 'le', false],
    ['date', [{ nullIf: ['N/A'] }], 'ge', true],
    ['date', [{ nullIf: [null, false] }], 'le', false],
    ['datetime', [{ nullIf: ['0001-01-01T00:00:00'] }, 'iso8601'], 'le', true],
    ['datetime', [{ nullIf: ['0001-01-01T00:00:00'] }, 'iso8601'], 'ge', false],
    ['datetime', [{ nullIf: [-1e15] }, 'epochSeconds'], 'le', true],
    ['datetime', [{ nullIf: [9e17] }, 'epochSeconds'], 'ge', true],
    ['datetime', [{ nullIf: [9e17] }, 'epochSeconds'], 'le', false],
    ['integer', [{ nullIf: [-0.5] }], 'le', true],
    ['integer', [{ nullIf: ['', 'n/a'] }], 'le', false],
    ['decimal', [{ nullIf: ['99.5'] }, 'cents'], 'ge', true],
  ])(
    'of a %s read by %j, asked for by %s: the total of the source counts it: %s',
    (kind, steps, op, counts) => {
      const { countsUnknown, toNative } = invert(steps, op, { kind, isLabel: false, accepts: () => true })!;
      expect(countsUnknown).toBe(counts);
      const isNumber = kind === 'integer' || kind === 'decimal';
      // The rows themselves are right, so the source is asked all the same.
      const value = isNumber ? price('5') : kind === 'date' ? '2025-01-07' : AT;
      expect(toNative(value)).toEqual(expect.any(String));
    },
  );
});

describe('money in one currency', () => {
  const money: CoercionSpec = { money: { amount: 'a', currency: 'c', expect: ['EUR'] } };

  it('is asked for by its amount, which may find other currencies too', () => {
    const inverse = invertCoercion([money, 'cents'], 'ge')!;
    expect([inverse.toNative(price('19.99')), inverse.exact]).toEqual(['1999', false]);
  });
});
