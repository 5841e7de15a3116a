import { anyPorts, startSamples } from '../../../src/cli/demo/serve.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { startForAll, startForEach } from '../../support/jest/lifetime.ts';

const PASSWORD = 'a-canary-of-a-password';
const KEY = 'a-canary-of-a-key';

let env: Record<string, string>;
const samples = startForAll(() =>
  startSamples({
    ports: anyPorts,
    credentials: {
      users: { user: 'portico', password: PASSWORD },
      catalog: { key: KEY },
      orders: { token: 'orders-token-of-a-test' },
      people: { token: 'people-token-of-a-test' },
    },
  }),
);
beforeAll(() => {
  const { users = '', catalog = '' } = samples.urls;
  env = { USERS_URL: users, USERS_PASSWORD: PASSWORD, CATALOG_URL: catalog, CATALOG_KEY: KEY };
});
const config = startForEach(copyConfig);

/** `portico explain`; file names are told from the folder of the configuration, ports as `PORT`. */
async function explain(...args: string[]) {
  const { code, out, err } = await runCommand(['--config', config.file, 'explain', ...args], env);
  expect(out + err).not.toMatch(new RegExp(`${PASSWORD}|${KEY}|${btoa(`portico:${PASSWORD}`)}`));
  const normalised = out
    .replaceAll(config.file.replace('portico.yaml', ''), '')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST');
  return { code, out: normalised, err };
}

async function explainJson(...args: string[]) {
  const { code, out } = await explain(...args, '--json');
  return { code, ...JSON.parse(out) };
}

/** The fields of an explained record by name. */
function byField(record: readonly { field: string; value: string }[]) {
  return Object.fromEntries(record.map((shown) => [shown.field, shown]));
}

/** The line of a text in a file of the copy. */
const lineOf = (name: string, text: string) => config.edit(name, text, text);

describe('portico explain', () => {
  it('shows why a query is a scan, its upstream calls, and what the gateway does itself', async () => {
    const { code, out } = await explain('GET /v1/products?min_price=10&page=3');
    expect(code).toBe(0);
    expect(out).toContain(`
Plan: a scan: the source does not filter by price (ge) exactly
  GET http://HOST/catalogue/items?pg=0&ps=100
    Accept: application/json
    X-Catalogue-Key: ***
  GET http://HOST/catalogue/items?pg=1&ps=100
  GET http://HOST/catalogue/items?pg=2&ps=100
  … 201 calls at most

Left for Portico
  keep price >= 10
  sort by id ascending
  count, and cut out the page

Depends on
  total  sources/catalog.yaml:${lineOf('sources/catalog.yaml', 'total: { header')}
  window  sources/catalog.yaml:${lineOf('sources/catalog.yaml', 'window: { kind: page')}
`);
  });

  it('shows the calls of a page, and each claim with the line that makes it', async () => {
    const at = (text: string) => ({
      file: expect.any(String),
      line: lineOf('sources/catalog.yaml', text),
    });
    const { plan, freshSeconds, cacheKey, budget } = await explainJson(
      'GET /v1/products?page=3&category=Toys',
    );
    expect(plan).toMatchObject({
      kind: 'page',
      callsMax: 1,
      gatewaySteps: [expect.stringMatching(/^once a minute/)],
    });
    expect(plan.calls).toMatchObject([
      { method: 'GET', url: expect.stringMatching(/\?pg=2&ps=50&cat=TOY$/) },
    ]);
    expect(plan.dependsOn).toEqual([
      { claim: 'filter.category.eq', ...at('eq: { query') },
      { claim: 'order', ...at('order: id') },
      { claim: 'total', ...at('total: {') },
      { claim: 'window', ...at('window: {') },
    ]);
    expect(freshSeconds).toBe(10);
    expect(budget).toEqual({ rows: 20_000, calls: 250, timeMs: 8_000, beyond: '503 scan_limit_exceeded' });
    expect(cacheKey).toEqual({
      operation: 'products.list',
      digest: expect.stringMatching(/^[\w-]{16}$/),
      query: '3/50//[["category","eq","tToys"]]',
    });
  });

  it('counts a scan of one call, and names a record that cannot exist', async () => {
    config.edit('sources/catalog.yaml', '{ kind: page, base: 0, sizes: [20, 50, 100] }', '{ kind: none }');
    config.edit('sources/catalog.yaml', "query: { pg: '{page}', ps: '{limit}' }", 'query: {}');
    const all = await explainJson('GET /v1/products');
    expect(all.plan).toMatchObject({ kind: 'scan', callsMax: 1, reason: expect.stringContaining('at once') });
    const none = await explainJson('GET /v1/users/user_x');
    expect(none.plan).toMatchObject({ kind: 'nothing', calls: [], reason: expect.stringContaining('404') });
    const nothing = await explainJson('GET /v1/products?category=Weapons');
    expect(nothing.plan).toMatchObject({ kind: 'nothing', calls: [] });
  });

  it("shows a client's mistake as the answer that the client would get", async () => {
    const { code, mistake } = await explainJson('GET /v1/products?limit=101', '--live');
    expect(code).toBe(0);
    expect(mistake.status).toBe(400);
    expect(JSON.parse(mistake.body).error).toMatchObject({ code: 'invalid_parameter' });
  });

  it.each([['GET /v1/orders'], ['DELETE /v1/users'], ['nonsense at all']])(
    'ends with 64 for a request to no operation: %s',
    async (request) => {
      expect(await explain(request)).toMatchObject({
        code: 64,
        out: '',
        err: expect.stringMatching(/^portico: /),
      });
    },
  );
});

describe('portico explain of a pass-through route', () => {
  it('shows where a request goes, with which headers and bounds, and no credential', async () => {
    const { code, out } = await explain('GET /legacy/orders/7?state=open');
    expect(code).toBe(0);
    expect(out).toContain('passthrough.orders, needs orders:read: passed on untranslated');
    expect(out).toMatch(/Sent to\n +http:\/\/HOST\/legacy\/orders\/7\?state=open\n/);
    expect(out).toMatch(/With\n +X-Orders-Token: \*\*\*\n/);
    expect(out).toMatch(/30000 ms, 1048576 bytes of body, 128 requests at once/);
    expect(out).toContain('by the caller alone');
  });

  it('shows what a client gets for a method or a path that does not pass', async () => {
    expect(await explainJson('DELETE /legacy/orders')).toMatchObject({
      refused: { status: 405, code: 'method_not_allowed' },
      sentTo: [],
    });
    expect(await explainJson('GET /legacy/orders/%2e%2e/admin')).toMatchObject({
      refused: { status: 400, code: 'bad_request' },
    });
  });

  it('asks nobody: --live is for sources', async () => {
    expect(await explain('GET /legacy/orders', '--live')).toMatchObject({ code: 64 });
  });
});

describe('portico explain --live', () => {
  beforeEach(() => config.useGenerousTimeouts());

  it('shows each call with status, rows and the rule that decided, and masks values', async () => {
    const { code, out } = await explain('GET /v1/products?category=Toys&limit=2', '--live');
    const rule = lineOf('sources/catalog.yaml', '{ status: 200, is: ok }');
    expect(code).toBe(0);
    expect(out).toContain('Live: 1 call\n  GET http://HOST/catalogue/items?pg=0&ps=20&cat=TOY\n');
    expect(out).toMatch(new RegExp(`HTTP 200, [\\d.]+ ms, 20 rows, ok by sources/catalog\\.yaml:${rule}\n`));
    expect(out).toMatch(/\n {2}price = \*\*\* ← prc \*\*\* · nullIf \["","n\/a"\] · cents {2}sources/);
    expect(out).toMatch(/\nAnswer: 200, 2 records of \d+\n$/);
  });

  it('shows the values where they are asked for, and what each step made of them', async () => {
    const { live } = await explainJson('GET /v1/products?category=Toys', '--live', '--values');
    const { id, category } = byField(live.record);
    expect(category).toMatchObject({
      from: ['cc'],
      found: 'TOY',
      steps: [{ step: 'enum of 8 codes', value: 'Toys' }],
      value: 'Toys',
      state: 'known',
    });
    expect(id?.value).toMatch(/^prod_\d+$/);
  });

  it('explains the first record of the answer, not the first that a scan met', async () => {
    const { live } = await explainJson('GET /v1/users?sort=-created_at', '--live', '--values');
    expect(live.calls).toHaveLength(126);
    expect(live.answer).toEqual({ status: 200, records: 50, total: 5_000 });
    const [id] = live.record;
    expect(id).toMatchObject({ field: 'id', from: ['contact.core.cid'], value: 'user_3176' });
  });

  it('explains a single record, its missing fields too, and that there is none', async () => {
    const { live } = await explainJson('GET /v1/users/user_7', '--live');
    expect(byField(live.record)['profile.location']).toMatchObject({ value: null, state: 'missing' });
    expect(live.missingValues).toEqual({ 'profile.location missing': 1 });
    const none = await explainJson('GET /v1/users/user_99999999', '--live');
    expect(none).toMatchObject({ code: 0, live: { answer: { status: 404, code: 'not_found' } } });
    expect(none.live.calls).toMatchObject([{ status: 200, rows: 0, outcome: { is: 'not_found' } }]);
  });

  it('names a claim that the source contradicts, with its line', async () => {
    config.edit('sources/catalog.yaml', "eq: { query: { cat: '{value}' }", "eq: { query: { kat: '{value}' }");
    const { code, live } = await explainJson('GET /v1/products?category=Toys', '--live');
    expect(code).toBe(0);
    const line = lineOf('sources/catalog.yaml', 'eq: { query');
    expect(live.contradicted).toMatchObject([{ claim: 'filter.category.eq', line }]);
  });

  it('ends with 1 where the answer is an error, and says which call failed', async () => {
    config.edit('sources/crm.yaml', 'equals: 0, is: ok', 'equals: 1, is: ok');
    const unread = await explainJson('GET /v1/users', '--live');
    expect(unread).toMatchObject({ code: 1, live: { answer: { status: 502 } } });
    expect(unread.live.calls).toMatchObject([
      { status: 200, outcome: null, problem: expect.stringContaining('no outcome rule fits') },
    ]);
    env['CATALOG_URL'] = 'http://127.0.0.1:1';
    const { code, out } = await explain('GET /v1/products', '--live');
    env['CATALOG_URL'] = samples.urls.catalog ?? '';
    expect(code).toBe(1);
    expect(out).toContain('no reply, ');
    expect(out).toMatch(/\nAnswer: 503 upstream_unavailable: .*ECONNREFUSED\n$/);
  });
});

describe('portico check', () => {
  it('shows what each kind of query will cost, as a table or as JSON', async () => {
    const check = (...args: string[]) => runCommand(['--config', config.file, 'check', ...args], env);
    const { code, out } = await check();
    expect(code).toBe(0);
    expect(out).toMatch(/^users: crm .*\n {2}\(plain\) +page \(2 calls\)\n/m);
    expect(out).toMatch(/^ {2}sort=name +scan \(the source does not sort as asked; /m);
    const { resources, problems } = JSON.parse((await check('--json')).out);
    expect(problems).toEqual([]);
    expect(resources).toMatchObject([
      { resource: 'products', queries: expect.any(Array) },
      { resource: 'users' },
    ]);
  });

  it('prints problems as JSON, and ends with 78', async () => {
    const line = config.edit('sources/crm.yaml', 'order: id', 'order: none');
    const run = await runCommand(['--config', config.file, 'check', '--json'], env);
    expect(run).toMatchObject({ code: 78, err: '' });
    expect(JSON.parse(run.out).problems).toMatchObject([{ line, path: 'resources.users.list.order' }]);
  });
});
