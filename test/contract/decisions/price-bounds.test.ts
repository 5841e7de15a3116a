import { referenceContract } from '../../support/reference.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { openapiDocument } from '../../../src/contract/openapi.ts';
import { modelList } from '../../support/model/contract-model.ts';
import { parseList, refusal } from '../../support/pipeline/parse-as.ts';

type Parameter = { readonly name: string; readonly schema: object };
type Stated = { paths: Record<string, { get: { parameters: readonly Parameter[] } }> };

/** The schema of a parameter of products as the OpenAPI document states it. */
function statedSchema(parameter: string): object {
  const { paths } = openapiDocument(referenceContract) as Stated;
  const stated = Object.entries(paths).find(([path]) => path.endsWith('/products'))?.[1].get.parameters;
  return stated!.find(({ name }) => name === parameter)!.schema;
}

const filtersOf = (query: string) =>
  parseList('products.list', query).filters.map(({ field, op, value }) => `${field} ${op} ${String(value)}`);

describe('`min_price`, `max_price`: plain decimals', () => {
  it.each([
    ['min_price=10', 'price ge 10'],
    ['min_price=9.99', 'price ge 9.99'],
    ['min_price=0', 'price ge 0'],
    ['max_price=0.00', 'price le 0.00'],
    ['max_price=007.50', 'price le 7.50'],
    ['max_price=9007199254740993.01', 'price le 9007199254740993.01'],
    [`min_price=${'9'.repeat(1_000)}`, `price ge ${'9'.repeat(1_000)}`],
    [`max_price=0.${'1'.repeat(1_000)}`, `price le 0.${'1'.repeat(1_000)}`],
  ])('%s is read to the digit', (query, filter) => expect(filtersOf(query)).toEqual([filter]));

  const odd = [
    ...[
      '',
      '-1',
      '-0',
      '%2B1',
      '+1',
      '.5',
      '5.',
      '1e3',
      '1,50',
      '1.000,00',
      '0x1',
      'NaN',
      'Infinity',
      'free',
      '%20',
      '1%20',
    ],
    ...['%EF%BC%91', '1%00'],
  ];
  describe.each(['min_price', 'max_price'])('%s', (parameter) => {
    it.each(odd)('refuses %j and says what is allowed', (value) => {
      const error = refusal(() => parseList('products.list', `${parameter}=${value}`));
      expect(error.code).toBe('invalid_parameter');
      expect(error.message).toBe(
        `The parameter "${parameter}" must be a plain decimal number such as 10 or 9.99.`,
      );
    });
  });

  it.each([
    'min_price=10&max_price=9.99',
    'max_price=9.99&min_price=10',
    'min_price=0.10000000000000000001&max_price=0.1',
  ])('`min_price` > `max_price` is 400: %s', (query) => {
    const error = refusal(() => parseList('products.list', query));
    expect(error.code).toBe('invalid_parameter');
    expect(error.message).toBe('The parameter "min_price" must be not greater than "max_price".');
  });

  it('equal bounds are a question like any other, however they are written', () => {
    expect(filtersOf('min_price=10&max_price=10.00')).toEqual(['price ge 10', 'price le 10.00']);
  });

  it('are combined with each other and with `category` by AND', () => {
    expect(filtersOf('max_price=9&category=Toys&min_price=1')).toEqual([
      'category eq Toys',
      'price ge 1',
      'price le 9',
    ]);
  });

  it.each(['min_price', 'max_price'])(
    '%s is read exactly where the OpenAPI document says so',
    (parameter) => {
      const stated = new Ajv2020({ strict: false }).compile(statedSchema(parameter));
      const bound = fc.oneof(fc.stringMatching(/^-?\d{0,110}(\.\d{0,2})?$/), fc.string({ maxLength: 4 }));
      fc.assert(
        fc.property(bound, (value) => {
          const parse = () =>
            parseList('products.list', new URLSearchParams({ [parameter]: value }).toString());
          if (stated(value)) expect(parse).not.toThrow();
          else expect(refusal(parse).code).toBe('invalid_parameter');
        }),
      );
    },
  );

  it('are refused exactly where the model of the contract refuses them', () => {
    const bound = fc.oneof(fc.stringMatching(/^\d{0,3}(\.\d{0,2})?$/), fc.string({ maxLength: 4 }));
    fc.assert(
      fc.property(fc.record({ min_price: bound, max_price: bound }, { requiredKeys: [] }), (parameters) => {
        const answer = modelList('products', [], parameters);
        const parse = () => parseList('products.list', new URLSearchParams(parameters).toString());
        if (answer.status === 200) expect(parse).not.toThrow();
        else expect(refusal(parse).message).toContain(`"${answer.parameter}"`);
      }),
      { numRuns: 500 },
    );
  });
});

describe('`category`: exact match on the label', () => {
  it.each([
    ['category=Toys', 'Toys'],
    ['category=Home+%26+Garden', 'Home & Garden'],
    ['category=Home%20%26%20Garden', 'Home & Garden'],
    ['category=%20', ' '],
    ['category=a=b', 'a=b'],
    ['category=K%C3%BCche', 'Küche'],
    ['category=100%25', '100%'],
    ['category=%2541', '%41'],
  ])('%s asks for %j', (query, label) => expect(filtersOf(query)).toEqual([`category eq ${label}`]));

  it.each(['category=', 'category'])('%s, empty, is 400', (query) => {
    const error = refusal(() => parseList('products.list', query));
    expect(error.code).toBe('invalid_parameter');
    expect(error.message).toContain('"category"');
  });

  it('is not a parameter of users, where it is ignored', () => {
    expect(parseList('users.list', 'category=').filters).toEqual([]);
  });
});
