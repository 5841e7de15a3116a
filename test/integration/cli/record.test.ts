import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyPorts, startSamples } from '../../../src/cli/demo/serve.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { startForAll, startForEach } from '../../support/jest/lifetime.ts';

let env: Record<string, string>;
const samples = startForAll(() => startSamples({ ports: anyPorts, count: 60 }));
const config = startForEach(copyConfig);
beforeEach(() => {
  config.useGenerousTimeouts();
  config.drop('fixtures');
  env = { USERS_URL: samples.urls.users!, CATALOG_URL: samples.urls.catalog! };
});

const record = (...args: string[]) => runCommand(['--config', config.file, 'test', '--record', ...args], env);
const replay = () => runCommand(['--config', config.file, 'test'], env);
const folderOf = (source: string) => config.file.replace('portico.yaml', `fixtures/${source}`);
const textOf = (source: string, name: string) => readFileSync(join(folderOf(source), `${name}.yaml`), 'utf8');

describe('portico test --record', () => {
  it('records pages, sorts, filters, a record and a missing one, and replays them', async () => {
    const users = await record('crm');
    const products = await record('catalog');
    expect([users.code, products.code]).toEqual([0, 0]);
    expect(readdirSync(folderOf('crm')).sort()).toEqual(
      [
        ...['first-page', 'middle-page', 'past-the-end', 'single', 'not-found'],
        ...['id', 'name', 'email', 'created-at'].flatMap((by) => [`sort-${by}`, `sort-${by}-descending`]),
      ]
        .map((name) => `users-${name}.yaml`)
        .sort(),
    );
    expect(readdirSync(folderOf('catalog')).sort()).toEqual(
      ['category', 'first-page', 'max-price', 'middle-page', 'min-price', 'past-the-end'].map(
        (name) => `products-${name}.yaml`,
      ),
    );

    // The services are not asked again, and no credential is needed.
    const { code, out } = await runCommand(['--config', config.file, 'test'], {});
    expect(code).toBe(0);
    expect(out).toContain('19 passed, 0 failed');
  });

  it('keeps no credential, and no header that the source does not read', async () => {
    await record('crm', 'GET /v1/users?limit=2');
    const text = textOf('crm', 'users-limit-2');
    expect(text).not.toMatch(/authorization|basic|sample-password|set-cookie|date:|etag/i);
    expect(text).toContain('content-type: application/json');
  });

  it('keeps the bytes of a reply that is not UTF-8', async () => {
    await record('catalog', '/v1/products?limit=100');
    expect(textOf('catalog', 'products-limit-100')).toMatch(/base64: \S+/);
    expect((await replay()).out).toContain('1 passed, 0 failed');
  });

  it('records an error answer as one', async () => {
    await record('crm', '/v1/users/user_999999999');
    expect(textOf('crm', 'users-user-999999999')).toMatch(
      /expect:\n {2}status: 404\n {2}error: not_found\n$/,
    );
  });

  it('keeps an existing case, unless `--overwrite` replaces it', async () => {
    await record('crm', '/v1/users?limit=2');
    const again = await record('crm', '/v1/users?limit=2');
    expect(again.code).toBe(1);
    expect(again.out).toContain('is there already; --overwrite replaces it');
    expect((await record('crm', '/v1/users?limit=2', '--overwrite')).code).toBe(0);
  });

  it('refuses a request that would need a whole store, and says why', async () => {
    config.edit('sources/catalog.yaml', 'sizes: [20, 50, 100]', 'sizes: [20]');
    const big = await startSamples({ which: 'catalog', ports: { catalog: 0 }, count: 500 });
    env['CATALOG_URL'] = big.urls.catalog!;
    const { code, out } = await record('catalog', '/v1/products?min_price=1');
    await big.close();
    expect(code).toBe(1);
    expect(out).toContain('it takes more than 20 calls; name a request that costs less');
    expect(existsSync(folderOf('catalog'))).toBe(false);
  });

  it('says that the source could not be reached', async () => {
    env['USERS_URL'] = 'http://127.0.0.1:1';
    const { code, out } = await record('crm', '/v1/users');
    expect(code).toBe(1);
    expect(out).toContain('a call had no reply: the exchange with the source failed: ECONNREFUSED');
  });

  it.each([
    [[], '--record needs the name of a source; sources: catalog, crm, people'],
    [['crn'], 'no source is named "crn"; did you mean "crm"?'],
    [['crm', 'POST /v1/users'], '"POST /v1/users" is no request'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await record(...args);
    expect(code).toBe(64);
    expect(err).toContain(message);
  });
});

describe('a request with a secret of the environment in it', () => {
  const MARKER = 'a-canary-of-a-key';
  const service = startForEach(() =>
    startUpstream(serving(() => ({ headers: { 'X-Result-Count': '0' }, body: [] }))),
  );
  beforeEach(() => {
    env['CATALOG_URL'] = service.origin;
    env['CATALOG_ZONE'] = MARKER;
    config.edit(
      'sources/catalog.yaml',
      "query: { pg: '{page}'",
      "query: { zone: '${CATALOG_ZONE}', pg: '{page}'",
    );
  });

  it('is recorded with the secret masked, and replays whatever the secret is', async () => {
    expect((await record('catalog', '/v1/products')).code).toBe(0);
    expect(service.requests.map(({ target }) => target)).toEqual([
      `/catalogue/items?zone=${MARKER}&pg=0&ps=50`,
    ]);
    const text = textOf('catalog', 'products');
    expect(text).not.toContain(MARKER);
    expect(text).toContain('target: /catalogue/items?zone=***&pg=0&ps=50');

    env['CATALOG_ZONE'] = 'another';
    expect((await replay()).out).toContain('1 passed, 0 failed');
  });
});
