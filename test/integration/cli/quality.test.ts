import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { fewUsers } from '../../support/gateway/sample-services.ts';
import { startStack } from '../../support/gateway/stack.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

let env: Record<string, string>;
/** What the service replies to the catalogue's list: rows, or a text that is none. */
let rows: readonly object[] | string;

const service = startForEach(() =>
  startUpstream(serving(() => ({ headers: { 'X-Result-Count': String(rows.length) }, body: rows }))),
);
const config = startForEach(copyConfig);
beforeEach(() => {
  rows = [
    { sku: '1', nm: 'Rope', txt: '', prc: '1990', cc: 'TOY' },
    { sku: '2', nm: 'Lamp', prc: '12.05.2024', cc: 'HOM' },
    { sku: '3', nm: 'Vase', txt: 'x', prc: 'Ünsold!', cc: 'HOM' },
    { sku: 'none', nm: 'Ghost', txt: 'x', prc: '1', cc: 'HOM' },
  ];
  config.useGenerousTimeouts();
  config.edit(
    'sources/catalog.yaml',
    'id: { kind: number }',
    'id: { kind: number }\n    onInvalidRecord: drop',
  );
  env = { CATALOG_URL: service.origin };
});

const quality = (...args: string[]) => runCommand(['--config', config.file, 'quality', ...args], env);

describe('portico quality --live', () => {
  it('reads the source and tells, per field, what could not be read and by which step', async () => {
    const { code, out } = await quality('catalog', '--live');
    expect(code).toBe(0);
    expect(out).toContain('lists: 4 records read, 1 (25.0 %) left out because they have no id');
    expect(out).toMatch(/description +2 \(50\.0 %\) +1 \(25\.0 %\) +0 +txt {2}line \d+/);
    expect(out).toContain('price: as[1] cents could not read 2');
    expect(out).not.toContain('users');
  });

  it('shows no values, and with --values their form only', async () => {
    const plain = await quality('catalog', '--live');
    const shown = await quality('catalog', '--live', '--values');
    for (const { out, err } of [plain, shown]) expect(out + err).not.toMatch(/Rope|Ghost|2024|nsold/);
    expect(plain.out).not.toContain('looks like');
    expect(shown.out).toContain('price: looks like "99.99.9999", 1 times');
    expect(shown.out).toContain('price: looks like "Aaaaaa!", 1 times');
  });

  it('says that not all could be read, and why, with exit code 1', async () => {
    rows = '<html>';
    const { code, out } = await quality('catalog', '--live');
    expect(code).toBe(1);
    expect(out).toContain('unusable replies: syntax 1');
    expect(out).toContain('not all of it could be read: upstream_invalid_response: the body is not JSON');
  });

  it('keeps to the budget of the source', async () => {
    config.edit('sources/catalog.yaml', 'rows: 20000', 'rows: 3');
    const { code, out } = await quality('catalog', '--live');
    expect(code).toBe(1);
    expect(out).toContain('scan_limit_exceeded');
    expect(service.requests).toHaveLength(1);
  });

  it('prints everything as JSON', async () => {
    const { out } = await quality('catalog', '--live', '--json', '--values');
    const { sources } = JSON.parse(out) as { sources: unknown };
    expect(sources).toMatchObject([
      {
        source: 'catalog',
        resource: 'products',
        views: [{ view: 'list', records: 4, dropped: 1 }],
        shapes: expect.arrayContaining([
          { view: 'list', field: 'price', shape: '"99.99.9999"', count: 1 },
        ]) as unknown,
      },
    ]);
  });
});

describe('portico quality', () => {
  it('prints what a running gateway has counted', async () => {
    const stack = await startStack();
    await stack.get(`/v1/users/${fewUsers[0]!.truth.id}`);
    const { code, out } = await quality('--gateway', stack.adminUrl);
    await stack.close();
    expect(code).toBe(0);
    expect(out).toMatch(/users: crm .*\n {2}lists: 0 records read\n {2}single records: 1 records read\n/);
    expect(out).toContain('products: catalog');
  });

  it('says where it looked for the gateway, with exit code 69', async () => {
    const { code, err } = await quality('--admin', 'http://127.0.0.1:2/');
    expect(code).toBe(69);
    expect(err).toContain('no answer from http://127.0.0.1:2/api/quality: the connection is refused');
    expect(err).toContain('whether the gateway runs');
  });

  it("recognises a service that is no operator's listener", async () => {
    const { code, err } = await quality('--admin', env['CATALOG_URL']!);
    expect(code).toBe(69);
    expect(err).toContain("is no operator's listener");
  });

  it.each([
    [['cataloge'], 'no source is named "cataloge"; did you mean "catalog"?'],
    [['--values'], '--values needs --live'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await quality(...args);
    expect(code).toBe(64);
    expect(err).toContain(message);
  });
});
