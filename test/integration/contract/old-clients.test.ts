import { parse } from 'yaml';
import {
  contractSchema,
  type ContractSpec,
  type FieldSpecs,
  isLeafSpec,
} from '../../../src/contract/contract-schema.ts';
import { generateClient, type OldClient } from '../../support/client/old-client.ts';
import {
  BREAKING,
  changedContract,
  type ContractEdit,
  OFFERING,
  OLD_CONTRACT,
} from '../../support/contract/contract-changes.ts';
import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const PLACES = [
  { id: 1, name: 'Here' },
  { id: 2, name: 'There' },
];
const line = { sku: 'A', price: 1.5 };
const order = { customer: 1, address: { city: 'X' }, note: 'n', by: { name: 'B' }, marks: ['m', 'n', 'o'] };
const ORDERS = [
  {
    ...order,
    id: 1,
    number: 'N1',
    status: 'open',
    total: 3,
    codes: ['x'],
    tags: ['a', '1'],
    lines: [line],
  },
  { ...order, id: 2, number: 'N2', status: 'shipped', total: 10.5, codes: [{ name: 'x' }], tags: ['1', '2'] },
  {
    ...order,
    id: 3,
    number: 'N3',
    status: 'lost',
    total: 0,
    tags: ['a', 'b', 'c', 'd', 'e', 'f'],
    lines: [{ price: 1 }],
  },
  { ...order, id: 4, number: null, status: 'open', total: 7, tags: ['a', 'b', 'c', 'd', 'e'], lines: [] },
];
const PACKED = { ...order, id: 5, number: 'N5', status: 'packed', total: 2 };
const ASKED = {
  status: ['open', 'lost,shipped'],
  min_total: ['0', '10.50'],
  tag: ['a', '2'],
  limit: ['1', '100', '500'],
};

/** Where a source has what a contract promises: each field under its own name. */
function mapOf(fields: FieldSpecs, above = ''): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, spec]): (readonly [string, unknown])[] => {
      const from = above + key;
      if (!isLeafSpec(spec)) return Object.entries(mapOf(spec, `${from}.`));
      if (spec.kind !== 'list' || isLeafSpec(spec.of)) return [[from, from]];
      const map = Object.fromEntries(Object.keys(spec.of).map((name) => [name, name]));
      return [[from, { from, each: { map } }]];
    }),
  );
}

/** A source file for all resources of a contract. */
function sourceText({ resources }: ContractSpec, baseUrl: string): string {
  const entries = Object.entries(resources).map(([name, { fields, single }]) => {
    const map = { id: 'id', ...mapOf(fields) };
    const more = typeof single === 'object' ? mapOf(single) : {};
    const get = { request: { path: `/${name}/{id}` }, item: '', map: { ...map, ...more } };
    const list = { request: { path: `/${name}` }, window: { kind: 'none' }, items: '', map };
    const own = { id: { kind: 'number' }, onInvalidRecord: 'drop', list };
    return [name, single === false ? own : { ...own, get }];
  });
  return JSON.stringify({
    ...{ source: 1, name: 'shop', net: { baseUrl } },
    outcomes: [
      { status: 404, is: 'not_found', on: 'get' },
      { status: 200, is: 'ok' },
    ],
    resources: Object.fromEntries(entries) as unknown,
  });
}

let upstream: ScriptedUpstream;
let orders: readonly { readonly id: number }[] = ORDERS;
let old: SourceGateway;
let client: OldClient;

function serve(contract: string): Promise<SourceGateway> {
  const spec = contractSchema.parse(parse(contract));
  return startGateway({ contract, sources: { 'shop.yaml': sourceText(spec, upstream.origin) } });
}

beforeAll(async () => {
  upstream = await startUpstream(
    serving(({ target }) => {
      const [, name = '', id] = new URL(target, 'http://service').pathname.split('/');
      const records = name === 'orders' ? orders : PLACES;
      const found = id === undefined ? records : records.find((one) => String(one.id) === id);
      return { status: found === undefined ? 404 : 200, body: JSON.stringify(found ?? {}) };
    }),
  );
  old = await serve(OLD_CONTRACT);
  client = await generateClient(old.url, ['ord_1', 'ord_2', 'ord_3', 'ord_4'], ASKED);
});
afterAll(async () => {
  await old.close();
  await upstream.close();
});

async function missesWith(contract: string, one = client): Promise<readonly string[]> {
  const gateway = await serve(contract);
  try {
    return await one.missesAt(gateway.url);
  } finally {
    await gateway.close();
  }
}

describe('a client that was generated from the OpenAPI document of an older contract', () => {
  it('misses nothing while the contract stays', async () =>
    expect(await client.missesAt(old.url)).toEqual([]));

  it.each(BREAKING)('fails, as check --against says, by %s', async (_what, from, to) => {
    expect(await missesWith(changedContract([from, to]))).not.toEqual([]);
  });

  it.each(OFFERING as ContractEdit[])('does not notice what is offered by %s', async (_what, from, to) => {
    expect(await missesWith(changedContract([from, to]))).toEqual([]);
  });

  it('fails if a limit above the largest was cut, and is refused now', async () => {
    const contract = OLD_CONTRACT.replace('max: 100 }', 'max: 100, overflow: clamp }');
    const gateway = await serve(contract);
    const lenient = await generateClient(gateway.url, [], ASKED);
    await gateway.close();
    expect(await missesWith(OLD_CONTRACT, lenient)).toEqual(
      ['sites', 'orders', 'zones'].map((name) => `/v1/${name}?limit=500: 400`),
    );
    expect(await missesWith(contract)).toEqual([]);
  });

  it('fails if it is for everybody, and a resource asks for a credential now', async () => {
    const gateway = await startGateway({
      contract: OLD_CONTRACT,
      sources: { 'shop.yaml': sourceText(contractSchema.parse(parse(OLD_CONTRACT)), upstream.origin) },
      config: `auth: { apiKeys: { pepper: ${'p'.repeat(32)} } }
resources: { sites: { source: shop, public: true }, zones: { source: shop, public: true }, orders: { source: shop } }
`,
    });
    const misses = await client.missesAt(gateway.url);
    await gateway.close();
    expect(misses).toContain('/v1/orders: 401');
    expect(misses.filter((miss) => !miss.startsWith('/v1/orders'))).toEqual([]);
  });

  it('may not expect a value that is new, as the note says', async () => {
    orders = [PACKED];
    const gateway = await serve(OLD_CONTRACT);
    const strict = await generateClient(gateway.url, [], {});
    await gateway.close();
    const misses = await missesWith(
      changedContract(['[open, shipped, lost]', '[open, packed, shipped, lost]']),
      strict,
    );
    orders = ORDERS;
    expect(misses).toContainEqual(
      expect.stringContaining('/v1/orders: data/data/0/status must be equal to one of'),
    );
  });
});
