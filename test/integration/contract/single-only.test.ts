import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../support/command/run-command.ts';
import { loadTexts } from '../../support/gateway/config-texts.ts';
import { type SourceGateway, startGateway } from '../../support/gateway/start-gateway.ts';
import { createFolder } from '../../support/process/folder.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const CONTRACT = `contract: 1
title: Shop
resources:
  accounts:
    singular: account
    id: { prefix: acc }
    fields: { name: { kind: text, required: true } }
    list: false
    single: { limit: { kind: decimal } }
  orders:
    singular: order
    id: { prefix: ord }
    fields: { account: { kind: reference, to: accounts } }
    sort: [account]
    filters: { account: { field: account, is: equal } }
`;

const ACCOUNTS = `  accounts:
    id: { kind: number }
    get: { request: { path: '/accounts/{id}' }, item: '', map: { id: id, name: name, limit: limit } }
`;
const ORDERS = `  orders:
    id: { kind: number }
    list: { request: { path: /orders }, window: { kind: none }, items: '', map: { id: id, account: account } }
`;
const source = (baseUrl: string, resources = ACCOUNTS + ORDERS, name = 'shop') => `source: 1
name: ${name}
net: { baseUrl: '${baseUrl}' }
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
${resources}`;

let upstream: ScriptedUpstream;
let gateway: SourceGateway;
const paths: string[] = [];
beforeAll(async () => {
  upstream = await startUpstream(
    serving(({ path }) => {
      paths.push(path);
      if (path === '/accounts/5') return { body: '{"id":5,"name":"Five","limit":null}' };
      if (path === '/accounts/7') return { body: '{"id":7,"name":"Seven","limit":10.50}' };
      // An alias of the same record.
      if (path === '/accounts/8') return { body: '{"id":7,"name":"Seven","limit":10.50}' };
      if (path === '/accounts/9') return { status: 500, body: '{}' };
      if (path !== '/orders') return { status: 404, body: '{}' };
      return { body: '[{"id":1,"account":7},{"id":2,"account":10},{"id":3,"account":9}]' };
    }),
  );
  gateway = await startGateway({ contract: CONTRACT, sources: { 'shop.yaml': source(upstream.origin) } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const ask = async (path: string) => {
  const answer = await fetch(`${gateway.url}/v1/${path}`);
  return { status: answer.status, text: await answer.text() };
};
const listed = async (query: string) =>
  ((await (await fetch(`${gateway.url}/v1/orders?${query}`)).json()) as { data: { id: string }[] }).data.map(
    ({ id }) => id,
  );

describe('a resource without a list', () => {
  it('gives its records one by one, and no other record in place of one', async () => {
    expect(await ask('accounts/acc_7')).toEqual({
      status: 200,
      text: '{"data":{"id":"acc_7","name":"Seven","limit":10.50}}',
    });
    expect((await ask('accounts/acc_5')).status).toBe(200);
    for (const id of ['acc_8', 'acc_11', 'acc_x']) expect((await ask(`accounts/${id}`)).status).toBe(404);
    expect((await ask('accounts/acc_9')).status).toBe(502);
  });

  it('keeps its claim if an alias is the first that is asked for, because nothing proves it wrong', async () => {
    const fresh = await startGateway({
      contract: CONTRACT,
      sources: { 'shop.yaml': source(upstream.origin) },
    });
    const statusOf = async (id: string) => (await fetch(`${fresh.url}/v1/accounts/acc_${id}`)).status;
    for (let n = 0; n < 3; n += 1) expect(await statusOf('8')).toBe(502);
    expect(fresh.log.filter((line) => line.includes('"capability":"get"'))).toEqual([]);
    expect([await statusOf('7'), await statusOf('5'), await statusOf('8')]).toEqual([200, 200, 404]);
    await fresh.close();
  });

  it('has no path of a list, by no method, and nothing is asked of the source for one', async () => {
    expect(await ask('accounts?limit=3')).toMatchObject({ status: 404 });
    expect((await fetch(`${gateway.url}/v1/accounts`, { method: 'POST' })).status).toBe(404);
    expect(paths.filter((path) => path.startsWith('/accounts') && !/^\/accounts\/\d+$/.test(path))).toEqual(
      [],
    );
    expect(paths).not.toContain('/');
  });

  it('may be referred to', async () => {
    expect(await listed('sort=account')).toEqual(['ord_1', 'ord_3', 'ord_2']);
    expect(await listed('account=acc_10')).toEqual(['ord_2']);
  });

  it('is in the OpenAPI document with the view of a single record alone', async () => {
    const { paths: all, components } = (await (await fetch(`${gateway.url}/v1/openapi.json`)).json()) as {
      paths: object;
      components: { schemas: Record<string, { required: string[] }> };
    };
    expect(Object.keys(all)).toEqual(['/v1/accounts/{id}', '/v1/orders']);
    expect(components.schemas['Account']?.required).toEqual(['id', 'name', 'limit']);
    expect(components.schemas['AccountDetail']).toBeUndefined();
  });

  it('has series of single records alone', async () => {
    const metrics = await gateway.metrics();
    expect(metrics).toContain('accounts.get');
    expect(metrics).not.toContain('accounts.list');
  });
});

describe('a contract whose lists are all gone', () => {
  const alone = CONTRACT.slice(0, CONTRACT.indexOf('  orders:'));
  it('has a document without what only lists have, and a page of the API', async () => {
    const sources = { 'shop.yaml': source(upstream.origin, ACCOUNTS) };
    const lone = await startGateway({ contract: alone, sources });
    const document = (await (await fetch(`${lone.url}/v1/openapi.json`)).json()) as {
      components: { schemas: object };
    };
    expect(Object.keys(document.components.schemas)).toEqual(['Account', 'Error']);
    const page = await (await fetch(`${lone.url}/docs`)).text();
    expect(page).toContain('/v1/accounts/acc_42');
    expect(page).not.toContain('?limit=');
    await lone.close();
  });
});

describe('files that do not fit the contract', () => {
  const problemsOf = (resources: string, gatewayText = 'portico: 1\nresources: {}\n') =>
    loadTexts({
      gateway: gatewayText,
      contract: CONTRACT,
      sources: {
        'shop.yaml': source('http://127.0.0.1:1', resources),
        'new.yaml': source('http://127.0.0.1:2', resources, 'new'),
      },
    }).problems;

  it('are told if a source has a list that the contract has not', () => {
    const list = ORDERS.slice(ORDERS.indexOf('    list:')).replace('account: account', 'name: name');
    expect(problemsOf(ACCOUNTS + list)[0]).toMatchObject({
      file: 'shop.yaml',
      line: 9,
      message: 'the contract has no list of accounts',
      hint: 'remove it',
    });
  });

  it.each([
    [
      'the list',
      '  orders:\n    id: { kind: number }\n',
      'the contract lists orders, but the source has no `list`',
    ],
    ['the record', '  accounts:\n    id: { kind: number }\n', 'the contract reads a single account, but'],
  ])('are told if a source lacks %s that the contract has', (_what, resources, message) => {
    const [problem] = problemsOf(resources);
    expect(problem).toMatchObject({ file: 'shop.yaml', line: 7 });
    expect(problem?.message).toContain(message);
    expect(problem?.hint).toContain('add: ');
  });

  it('are told that it cannot migrate', () => {
    const entry = 'resources: { accounts: { source: shop, migration: { to: new, stage: shadow } } }';
    expect(problemsOf(ACCOUNTS, `portico: 1\n${entry}\n`)).toContainEqual(
      expect.objectContaining({
        file: 'portico.yaml',
        line: 2,
        message: 'the contract has no list of accounts, and a migration compares lists',
        hint: expect.stringContaining('remove migration') as string,
      }),
    );
  });
});

describe('a command', () => {
  const folder = createFolder('single-only');
  const place = (name: string) => join(folder.path, name);
  const config =
    'portico: 1\nresources: { accounts: { source: shop, public: true }, orders: { source: shop, public: true } }\n';
  beforeAll(() => {
    writeFileSync(place('contract.yaml'), CONTRACT);
    writeFileSync(place('portico.yaml'), config);
    mkdirSync(place('sources'));
    writeFileSync(place('sources/shop.yaml'), source(upstream.origin));
  });
  afterAll(() => folder.remove());
  const run = (...args: readonly string[]) => runCommand(['--config', place('portico.yaml'), ...args]);

  it('checks it, and says that a record costs a call', async () => {
    const { code, out, err } = await run('check');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('/acc_…');
  });

  it('says that nothing of it can be probed, and probes the others', async () => {
    const { out } = await run('doctor', 'shop');
    expect(out).toContain('the contract has no list of it, so no id is known to ask for');
    expect(out).toContain('orders');
  });

  it('infers no draft, and says why', async () => {
    const { code, err } = await run('infer', '--resource', `accounts=${upstream.origin}/accounts`);
    expect([code, err]).toEqual([
      64,
      expect.stringContaining('the contract has no list of accounts, and a draft begins with one'),
    ]);
  });

  it('reads its quality, as far as that goes', async () => {
    const { out } = await run('quality', '--live');
    expect(out).toContain('the contract has no list of it, so no id is known');
  });

  it('explains how one is read', async () => {
    const { code, out } = await run('explain', 'GET /v1/accounts/acc_7');
    expect([code, out]).toEqual([0, expect.stringContaining('/accounts/7')]);
  });
});
