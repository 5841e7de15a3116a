import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { runCommand } from '../../support/command/run-command.ts';
import { inferDraft, runInfer } from '../../support/dialects/infer-draft.ts';
import { type Dialect, serve } from '../../support/dialects/serve.ts';
import { twoLists } from '../../support/dialects/two-lists.ts';
import { createFolder } from '../../support/process/folder.ts';
import { endAfterTest, startForEach } from '../../support/jest/lifetime.ts';

const folder = startForEach(() => createFolder('messages'));
beforeEach(() => {
  mkdirSync(join(folder.path, 'sources'));
});

async function serving(dialect: Dialect): Promise<string> {
  return endAfterTest(await serve(dialect, { open: true })).origin;
}

const SOURCE = {
  source: 1,
  name: 'shop',
  outcomes: [{ status: 200, is: 'ok' }],
};

const LIST = {
  request: { path: '/api/products', query: { limit: '{limit}', offset: '{offset}' } },
  window: { kind: 'offset', sizeMax: 20 },
  total: { at: 'total' },
  items: 'items',
  order: 'id',
  map: { id: 'id', name: 'title', description: 'description', price: 'price', category: 'category' },
};

function writeSource(baseUrl: string, list: object = {}, more: object = {}): string {
  const file = join(folder.path, 'sources', `${(more as { name?: string }).name ?? 'shop'}.yaml`);
  const products = { id: { kind: 'number' }, list: { ...LIST, ...list } };
  writeFileSync(file, stringify({ ...SOURCE, net: { baseUrl }, resources: { products }, ...more }));
  return file;
}

function writeGateway(sections: object = {}): string {
  const file = join(folder.path, 'portico.yaml');
  const auth = { apiKeys: { pepper: '${A_PEPPER}' } };
  writeFileSync(
    file,
    stringify({ portico: 1, auth, resources: { products: { source: 'shop' } }, ...sections }),
  );
  return file;
}

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand(['-c', join(folder.path, 'portico.yaml'), ...args], env);

describe('a tool that asks one source', () => {
  it.each([
    ['doctor', ['doctor', 'shop', '--calls-max', '3']],
    ['explain', ['explain', 'GET /v1/products']],
    ['explain --live', ['explain', '--live', 'GET /v1/products']],
    ['quality --live', ['quality', 'shop', '--live']],
    ['test --record', ['test', '--record', 'shop', 'GET /v1/products?limit=2']],
  ])('needs neither the pepper nor the variables of other sources: %s', async (_name, args) => {
    writeSource(await serving(twoLists));
    writeSource(
      '${OTHER_URL}',
      {},
      { name: 'other', auth: { kind: 'header', name: 'X-Key', value: '${OTHER}' } },
    );
    writeGateway();
    const { code, err } = await run(args);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('says which of its own variables is not set', async () => {
    writeSource('${SHOP_URL}');
    writeGateway();
    const { code, err } = await run(['doctor', 'shop']);
    expect({ code, err }).toEqual({ code: 78, err: expect.stringContaining('SHOP_URL is not set') });
  });
});

describe('portico keys create --print', () => {
  const args = ['keys', 'create', '--label', 'web', '--permissions', 'users:read', '--print'];

  it('says that the pepper is a default that everybody can read', async () => {
    const { code, err } = await runCommand(args);
    expect(code).toBe(0);
    expect(err).toContain('PORTICO_KEY_PEPPER is not set');
    expect(err).toContain('portico -c <file> keys create');
  });

  it('says which file the pepper is from, and needs no variable of a source', async () => {
    writeSource('${SHOP_URL}');
    writeGateway();
    const { code, err } = await run(args, { A_PEPPER: 'a pepper of more than sixteen' });
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining(`pepper of ${folder.path}/portico.yaml`),
    });
  });

  it('takes the only tier that there is, and says what to write where there are several', async () => {
    writeSource('http://127.0.0.1:1');
    const env = { A_PEPPER: 'a pepper of more than sixteen' };
    const windows = ['5 per 1s'];
    writeGateway({ limits: { anonymousTier: 'web', tiers: { web: { windows } } } });
    expect((await run(args, env)).out).toContain('tier: "web"');
    writeGateway({ limits: { anonymousTier: 'web', tiers: { web: { windows }, bulk: { windows } } } });
    const { code, err } = await run(args, env);
    expect({ code, err }).toEqual({
      code: 64,
      err: expect.stringMatching(/no tier was named.*name one of the tiers: web, bulk/),
    });
  });
});

describe('portico check', () => {
  it('says of a tier that nobody named where it comes from, and the line to write', async () => {
    writeSource('http://127.0.0.1:1');
    writeGateway({ limits: { tiers: { web: { windows: ['5 per 1s'] } } } });
    const { code, err } = await run(['check'], { A_PEPPER: 'a pepper of more than sixteen' });
    expect(code).toBe(78);
    expect(err).toContain('no tier is named "standard", which it is if nothing is written');
    expect(err).toContain('write anonymousTier: web');
  });

  it('takes the short form of a sort column', async () => {
    const sort = { query: { sort: '{column}' }, columns: { id: 'id' } };
    const { code, err } = await runCommand([
      'check',
      '--source',
      writeSource('http://127.0.0.1:1', { sort }),
    ]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});

describe('a request that is refused with 403', () => {
  const choosy: Dialect = (request) =>
    request.query.has('expand') ? { status: 403, body: { error: 'forbidden' } } : twoLists(request);

  it('is told by infer as the parameter that it is refused for', async () => {
    const origin = await serving(choosy);
    const { code, err } = await runInfer([`${origin}/api/users?offset=0&expand=all`, '--resource', 'users']);
    expect(code).toBe(1);
    expect(err).toContain('HTTP 403 because of the parameter expand; the credential is good');
  });

  it('is told by doctor with the parameters of the request', async () => {
    const request = { ...LIST.request, query: { ...LIST.request.query, expand: 'all' } };
    const outcomes = [
      { status: 200, is: 'ok' },
      { status: 403, is: 'unauthorized' },
    ];
    const file = writeSource(await serving(choosy), { request }, { outcomes });
    const { out } = await runCommand(['doctor', '--source', file]);
    expect(out).toContain('or a parameter that the service refuses: ');
    expect(out).toContain('expand');
  });
});

describe('a GraphQL query that is broken', () => {
  it('is told as a query to mend, not as an outcome that is missing', async () => {
    const error = { message: 'Cannot query field "canary"', locations: [{ line: 1, column: 3 }] };
    const origin = await serving(() => ({ body: { errors: [error] } }));
    const body = {
      json: { query: 'query { users { canary } }', variables: { limit: '{limit}', offset: '{offset}' } },
    };
    const list = { request: { method: 'POST', path: '/graphql', body }, items: 'data.users' };
    const outcomes = [
      { at: 'errors', present: true, is: 'client_bug' },
      { status: 200, is: 'ok' },
    ];
    const { out } = await runCommand(['doctor', '--source', writeSource(origin, list, { outcomes })]);
    expect(out).toContain('the service refuses the query itself');
    expect(out).toContain('list.request.body');
    expect(out).not.toContain('a rule that fits this reply');
    expect(out).not.toContain('canary');
  });
});

describe('two headers of which one is public', () => {
  it.each([
    ['before', ['X-Client-Id: public-client', 'X-Client-Secret: secret-of-it']],
    ['behind', ['X-Client-Secret: secret-of-it', 'X-Client-Id: public-client']],
    ['of another kind', ['X-Account: public-client', 'Ocp-Apim-Subscription-Key: secret-of-it']],
  ])('make the secret the credential of the draft, the public one %s it', async (_name, headers) => {
    const origin = await serving(twoLists);
    const { draft } = await inferDraft([
      `${origin}/api/users`,
      ...['--resource', 'users', '--name', 'draft'],
      ...headers.flatMap((header) => ['--header', header]),
    ]);
    expect(draft).toMatch(/^auth:\n {2}kind: header\n {2}name: \S*(?:Secret|Key)$/m);
    expect(draft).not.toContain('secret-of-it');
  });
});

describe('the sample services', () => {
  it('have one port only if there is one of them', async () => {
    expect(await runCommand(['samples', 'all', '--port', '0'])).toMatchObject({
      code: 64,
      err: expect.stringContaining(
        '--port is for one service\n    hint: name one of users, catalog, orders, people',
      ),
    });
  });
});
