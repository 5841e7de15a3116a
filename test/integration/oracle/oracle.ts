import fc from 'fast-check';
import { generateProducts } from '../../../src/samples/generate-products.ts';
import { generateUsers } from '../../../src/samples/generate-users.ts';
import { compareTexts, modelBody, modelList, type ModelRecord } from '../../support/contract-model.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** Decides the queries; set `ORACLE_SEED` to try others, or the one of a failure again. */
export const seed = Number(process.env['ORACLE_SEED'] ?? 20_260_314);

/** How many queries are asked. */
export const QUERIES = 1_000;

const users = generateUsers({ seed: 1 });
const products = generateProducts({ seed: 1 });
const truths = {
  users: users.map<ModelRecord>(({ truth: { profile: _profile, ...item } }) => item),
  products: products.map<ModelRecord>(({ truth }) => truth),
};

/**
 * The users roughly in the order that a `sort` asks for. The model sorts them for itself, at leisure: it compares
 * character by character, and a thousand times five thousand users in any order would take a minute.
 */
const inReach = new Map<string, readonly ModelRecord[]>();
function recordsFor({ resource, parameters }: Query): readonly ModelRecord[] {
  const order = parameters['sort'];
  if (resource === 'products' || order === undefined) return truths[resource];
  const field = order.replace('-', '');
  const known = inReach.get(order);
  if (known !== undefined || field === 'id') return known ?? truths.users;
  const sign = order.startsWith('-') ? -1 : 1;
  const [missing, there] = [true, false].map((isMissing) =>
    truths.users.filter((user) => (user[field] === null) === isMissing),
  );
  const sorted = there!.sort((a, b) => sign * compareTexts(a[field] ?? '', b[field] ?? ''));
  inReach.set(order, [...sorted, ...missing!]);
  return [...sorted, ...missing!];
}

/** All users, as the single view has them. */
export const userTruths = users.map(({ truth }) => truth);

type Query = {
  readonly resource: 'users' | 'products';
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

const categories = [...new Set(truths.products.flatMap(({ category }) => category ?? []))];
const category = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...categories) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('toys', 'TOY', 'Home & garden', 'Nothing', 'ZZZ', ' Toys', 'Café'),
  },
);

/** A price that exists, or a hair beside one, in any spelling of the number. */
const bound = fc
  .tuple(
    fc.constantFrom(...truths.products.flatMap(({ price }) => price ?? [])),
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

/** Two bounds that leave something: the smaller one first, and now and then the same twice. */
const bounds = fc.tuple(bound, bound, fc.integer({ min: 0, max: 3 })).map(([a, b, kind]) => {
  const cents = (text: string) => BigInt(text.split('.')[0] ?? '0');
  const [low, high] = cents(a) <= cents(b) ? [a, b] : [b, a];
  if (kind === 0) return { min_price: low, max_price: low };
  if (kind === 1) return { min_price: low };
  return kind === 2 ? { max_price: high } : { min_price: low, max_price: high };
});

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 });

function stripped(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given);
}

/** A query of either list, weighted so that filters, sorts and pages meet. */
const anyQuery: fc.Arbitrary<Query> = fc.oneof(
  fc.record({ page: maybe(page), limit: maybe(limit), sort: maybe(sort) }).map((fields) => ({
    resource: 'users' as const,
    parameters: stripped(fields),
  })),
  fc
    .record({ page: maybe(page), limit: maybe(limit), category: maybe(category), prices: maybe(bounds) })
    .map(({ prices, ...fields }) => ({
      resource: 'products' as const,
      parameters: stripped({ ...fields, ...prices }),
    })),
);

/** A stack over all of the sample data. */
export function startFullStack(redis?: { url: string; prefix: string }): Promise<Stack> {
  return startStack({ users, products, ...(redis === undefined ? {} : { redis }) });
}

/** Fails unless the gateway's answer to a query has the very bytes of the model's. */
async function expectModelAnswer(stack: Stack, query: Query): Promise<void> {
  const { resource, parameters } = query;
  const response = await stack.get(`/v1/${resource}?${new URLSearchParams(parameters).toString()}`);
  const expected = modelList(resource, recordsFor(query), parameters);
  if (expected.status === 200) {
    // As bytes: read as numbers, prices and ids would be rounded on both sides alike.
    expect(await response.text()).toBe(modelBody(resource, expected));
  } else {
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_parameter', message: expect.stringContaining(`"${expected.parameter}"`) },
    });
  }
  expect(response.status).toBe(expected.status);
}

/**
 * Asks random queries of a stack and compares every answer with the model's. Where there is another stack, on the
 * same Redis, every fifth is asked there too: its answer comes from what the first has left there.
 */
export async function expectModelAnswers(stack: Stack, other?: Stack): Promise<void> {
  let asked = 0;
  const property = fc.asyncProperty(anyQuery, async (query) => {
    asked += 1;
    await expectModelAnswer(stack, query);
    if (other !== undefined && asked % 5 === 0) await expectModelAnswer(other, query);
  });
  await fc.assert(property, { seed, numRuns: QUERIES });
}
