import type { ResourceName } from '../reference.ts';
import fc from 'fast-check';
import type { ModelRecord } from './contract-model.ts';

/** A question to one of the two lists, with the decoded parameters. */
export type ContractQuery = {
  readonly resource: ResourceName;
  readonly parameters: Readonly<Record<string, string>>;
};

const limit = fc.constantFrom('1', '2', '39', '40', '41', '50', '100', '7', '99', '0100');
const page = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 12 }).map(String) },
  { weight: 2, arbitrary: fc.integer({ min: 13, max: 130 }).map(String) },
  { weight: 1, arbitrary: fc.constantFrom('2000', '5000', '5001', '125', '126', '00002') },
  { weight: 1, arbitrary: fc.constantFrom('1000000000', '999999999', '21474836', '53687092') },
);
const sort = fc
  .tuple(fc.constantFrom('', '-'), fc.constantFrom('id', 'name', 'email', 'created_at'))
  .map((parts) => parts.join(''));

/** A category that exists, or one that a careless source takes for one. */
function categoryAmong(categories: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...categories) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('toys', 'TOY', 'Home & garden', 'Nothing', 'ZZZ', ' Toys', 'Café'),
    },
  );
}

/** A price that exists, or a hair beside one, in any spelling of the number. */
function boundAmong(prices: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(...prices),
      fc.constantFrom('at', 'above', 'below'),
      fc.integer({ min: 0, max: 40 }),
    )
    .map(([price, side, digits]) => {
      if (side === 'above') return `${price}${'0'.repeat(digits)}1`;
      const cents = BigInt(price.replace('.', ''));
      if (side === 'at' || cents === 0n) return `${'0'.repeat(digits % 3)}${price}${'0'.repeat(digits)}`;
      const less = (cents - 1n).toString().padStart(3, '0');
      return `${less.slice(0, -2)}.${less.slice(-2)}${'9'.repeat(digits + 1)}`;
    });
}

/** Two bounds that leave something: the smaller one first, and now and then the same twice. */
function boundsAmong(prices: readonly string[]) {
  const bound = boundAmong(prices);
  return fc.tuple(bound, bound, fc.integer({ min: 0, max: 3 })).map(([a, b, kind]) => {
    const cents = (text: string) => BigInt(text.split('.')[0] ?? '0');
    const [low, high] = cents(a) <= cents(b) ? [a, b] : [b, a];
    if (kind === 0) return { min_price: low, max_price: low };
    if (kind === 1) return { min_price: low };
    return kind === 2 ? { max_price: high } : { min_price: low, max_price: high };
  });
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 });

function stripped(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given);
}

/** The users' list, asked for any page in any order. */
export const usersQuery: fc.Arbitrary<ContractQuery> = fc
  .record({ page: maybe(page), limit: maybe(limit), sort: maybe(sort) })
  .map((fields) => ({ resource: 'users', parameters: stripped(fields) }));

/** The products' list, asked for any page of any selection; the prices of `products` have two decimals each. */
export function productsQuery(products: readonly ModelRecord[]): fc.Arbitrary<ContractQuery> {
  const known = (field: string) => [...new Set(products.flatMap((product) => product[field] ?? []))];
  const category = categoryAmong(known('category'));
  const prices = boundsAmong(products.flatMap(({ price }) => price ?? []));
  return fc
    .record({ page: maybe(page), limit: maybe(limit), category: maybe(category), prices: maybe(prices) })
    .map(({ prices, ...fields }) => ({
      resource: 'products',
      parameters: stripped({ ...fields, ...prices }),
    }));
}
