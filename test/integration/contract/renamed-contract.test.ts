import { readFileSync } from 'node:fs';
import { renamed, renamedContract, renamedSource } from '../../support/gateway/renamed-texts.ts';
import { sourceTexts } from '../../support/gateway/config-texts.ts';
import { createSampleServices } from '../../support/gateway/sample-services.ts';
import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { MARKER } from '../../support/secret-markers/marker-watch.ts';

const contract = readFileSync('config/contract.yaml', 'utf8');
const sources = { 'crm.yaml': sourceTexts['crm.yaml']!, 'catalog.yaml': sourceTexts['catalog.yaml']! };
const entry = 'public: true, deadline: 60s, cache: { fresh: 0s, notFound: 0s }';

const services = createSampleServices({});
let one: SourceGateway;
let other: SourceGateway;
beforeAll(async () => {
  const variables = await services.listen();
  one = await startGateway({
    ...{ contract, sources, variables },
    config: `resources: { users: { source: crm, ${entry} }, products: { source: catalog, ${entry} } }\n`,
  });
  other = await startGateway({
    contract: renamedContract(contract),
    sources: {
      'crm.yaml': renamedSource(sources['crm.yaml']),
      'catalog.yaml': renamedSource(sources['catalog.yaml']),
    },
    variables,
    config: `resources: { zz1: { source: crm, ${entry} }, zz2: { source: catalog, ${entry} } }\n`,
  });
});
afterAll(() => Promise.all([one, other, services].map((part) => part.close())));

/** An answer: a list or a record as it is written, an error without what differs from request to request. */
async function answerOf({ url }: SourceGateway, path: string): Promise<string> {
  const answer = await fetch(url + path);
  const body = await answer.text();
  expect(body).not.toContain(MARKER);
  if (answer.ok) return body;
  const { error } = JSON.parse(body) as { error: { code: string; message: string } };
  return `${answer.status} ${error.code}: ${error.message}`;
}

/** An answer with the other names: keys and ids of one that is written, every name in the message of an error. */
const withOtherNames = (answer: string) =>
  answer.startsWith('{')
    ? answer
        .replaceAll(/"(\w+)":/g, (_key, name: string) => `"${renamed(name)}":`)
        .replaceAll(/"id":"(\w+?)_/g, (_id, prefix: string) => `"id":"${renamed(prefix)}_`)
    : renamed(answer);

const orders = (...names: readonly string[]) =>
  names.flatMap((name) => [`?sort=${name}`, `?sort=-${name}&page=2`]);

describe('the shipped contract with every resource and field renamed', () => {
  it.each([
    ...[
      '',
      '?limit=100',
      '?page=3&limit=7',
      '?limit=0',
      '?sort=price',
      '?sort=nothing',
      '/user_1',
      '/user_999999',
    ],
    ...orders('id', 'name', 'email', 'created_at'),
  ])('has the same users but for the names: %s', async (query) => {
    const asked = renamed(query).replace('/user_', '/za_');
    expect(await answerOf(other, `/v1/zz1${asked}`)).toBe(
      withOtherNames(await answerOf(one, `/v1/users${query}`)),
    );
  });

  it.each([
    ...['', '?limit=100', '?page=2', '?category=Toys', '?category=Home%20%26%20Garden&limit=3', '?category='],
    ...[
      '?min_price=10',
      '?max_price=20.5&min_price=5',
      '?min_price=9&max_price=1',
      '?min_price=-1',
      '?sort=id',
    ],
  ])('has the same products but for the names: %s', async (query) => {
    expect(await answerOf(other, `/v1/zz2${renamed(query)}`)).toBe(
      withOtherNames(await answerOf(one, `/v1/products${query}`)),
    );
  });

  it('answers with records', async () => {
    expect(await answerOf(other, '/v1/zz1')).toMatch(/^\{"data":\[\{"id":"za_\d+","f1":"/);
    expect(await answerOf(other, '/v1/zz2')).toMatch(/^\{"data":\[\{"id":"zb_\d+","f1":"/);
  });

  it('answers nothing under the former names', async () => {
    expect((await fetch(`${other.url}/v1/users`)).status).toBe(404);
    expect(await answerOf(other, '/v1/zz1?sort=name')).toMatch(/^400 invalid_parameter/);
  });
});
