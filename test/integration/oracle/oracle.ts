import fc from 'fast-check';
import { generateProducts } from '../../../src/cli/demo/data/generate-products.ts';
import { generateUsers } from '../../../src/cli/demo/data/generate-users.ts';
import { compareTexts, modelBody, modelList, type ModelRecord } from '../../support/model/contract-model.ts';
import { type ContractQuery, productsQuery, usersQuery } from '../../support/model/contract-queries.ts';
import { type Stack, startStack } from '../../support/gateway/stack.ts';

/** Decides the queries; set `ORACLE_SEED` to try others, or the one of a failure again. */
export const seed = Number(process.env['ORACLE_SEED'] ?? 20_260_314);

/** How many queries are asked. */
export const QUERIES = Number(process.env['ORACLE_QUERIES'] ?? 150);

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
function recordsFor({ resource, parameters }: ContractQuery): readonly ModelRecord[] {
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

/** A query of either list, weighted so that filters, sorts and pages meet. */
const anyQuery = fc.oneof(usersQuery, productsQuery(truths.products));

/** A stack over all of the sample data. */
export function startFullStack(redis?: { url: string; prefix: string }): Promise<Stack> {
  return startStack({ users, products, ...(redis === undefined ? {} : { redis }) });
}

/** Fails unless the gateway's answer to a query has the very bytes of the model's. */
async function expectModelAnswer(stack: Stack, query: ContractQuery): Promise<void> {
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
