import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

const config = startForEach(copyConfig);
const run = (...args: string[]) => runCommand(['--config', config.file, ...args]);
const place = (name: string) => config.file.replace('portico.yaml', name);

const INVOICES = `  invoices:
    singular: invoice
    id: { prefix: inv }
    fields: { number: { kind: text, description: Its number. }, placed_at: { kind: datetime }, total: { kind: decimal } }
    sort: [placed_at]
    filters: { min_total: { field: total, is: at_least } }
`;

describe('portico check --against', () => {
  const check = async (...more: string[]) => {
    writeFileSync(place('old.yaml'), readFileSync('config/contract.yaml'));
    const { code, out, err } = await run('check', '--no-fixtures', '--against', place('old.yaml'), ...more);
    return { code, err, out: out.replaceAll(place(''), '') };
  };

  it('finds nothing in the same contract', async () => {
    const { code, out } = await check();
    expect([code, out]).toEqual([0, expect.stringMatching(/\nNothing breaks clients of old\.yaml\.\n$/)]);
  });

  it('fails with the line of what breaks clients, and what takes it back', async () => {
    const line = config.edit('contract.yaml', 'prefix: prod', 'prefix: item');
    config.edit('contract.yaml', 'resources:\n', `resources:\n${INVOICES}`);
    const { code, out } = await check();
    const moved = line + INVOICES.split('\n').length - 1;
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `\\nThe configuration is sound\\.\\nnote: contract\\.yaml:\\d+:\\d+: resources\\.invoices: the resource invoices is new\\nbreaks: contract\\.yaml:${moved}:\\d+: resources\\.products\\.id\\.prefix: prefix was prod, and is item\\n +hint: prefix: prod\\nClients of old\\.yaml break: 1 change\\.\\n$`,
        ),
      ),
    ]);
    const { code: again, out: json } = await check('--json');
    expect(again).toBe(1);
    expect(JSON.parse(json)).toMatchObject({
      against: {
        breaks: [{ line: moved, path: 'resources.products.id.prefix' }],
        widens: [{ path: 'resources.invoices' }],
      },
    });
  });

  it('compares who may read a resource, if the older file is that of a gateway', async () => {
    const old = copyConfig();
    try {
      const line = config.edit('portico.yaml', 'source: crm\n', 'source: crm\n    permission: staff:read\n');
      const { code, out } = await run('check', '--no-fixtures', '--against', old.file);
      expect([code, out]).toEqual([
        1,
        expect.stringContaining(
          `breaks: ${config.file}:${line + 1}:17: resources.users.permission: permission was users:read, and is staff:read`,
        ),
      ]);
    } finally {
      old.remove();
    }
  });

  it.each([
    ['clamp', 'reject', 1, 'breaks: contract.yaml:'],
    ['reject', 'clamp', 0, 'note: contract.yaml:'],
    ['clamp', 'clamp', 0, 'Nothing breaks clients'],
  ])(
    'compares what a too large limit means, if gateway files say it: %s, then %s',
    async (before, now, code, wanted) => {
      const old = copyConfig();
      try {
        for (const [{ file }, overflow] of [[old, before] as const, [config, now] as const])
          writeFileSync(file, `${readFileSync(file, 'utf8')}\ncontract: { limitOverflow: ${overflow} }\n`);
        const { code: ended, out } = await run('check', '--no-fixtures', '--against', old.file);
        expect([ended, out.replaceAll(place(''), '')]).toEqual([code, expect.stringContaining(wanted)]);
      } finally {
        old.remove();
      }
    },
  );

  it('finds nothing if the contract says now what the gateway file said before', async () => {
    const old = copyConfig();
    try {
      writeFileSync(old.file, `${readFileSync(old.file, 'utf8')}\ncontract: { limitOverflow: clamp }\n`);
      config.edit('contract.yaml', 'contract: 1', 'contract: 1\npages: { overflow: clamp }');
      const { code, out } = await run('check', '--no-fixtures', '--against', old.file);
      expect([code, out]).toEqual([0, expect.stringMatching(/sound\.\nNothing breaks clients of [^\n]+\n$/)]);
    } finally {
      old.remove();
    }
  });

  it('compares the built-in contract, too, and says that it has no line', async () => {
    config.drop('contract.yaml');
    writeFileSync(
      place('other.yaml'),
      readFileSync('config/contract.yaml', 'utf8').replace('prefix: prod', 'prefix: item'),
    );
    const { code, out } = await run('check', '--no-fixtures', '--against', place('other.yaml'));
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('breaks: the built-in contract: resources.products.id.prefix:'),
    ]);
  });

  it.each([
    ['a file that is no contract', ['--against', 'config/sources/crm.yaml'], 78, 'config/sources/crm.yaml:'],
    ['a file that there is not', ['--against', 'gone.yaml'], 78, 'gone.yaml: cannot be read'],
    [
      'one source alone',
      ['--source', 'config/sources/crm.yaml', '--against', 'config/contract.yaml'],
      64,
      'cannot be used with',
    ],
  ] as const)('refuses %s', async (_what, args, code, wanted) => {
    const refused = await run('check', '--no-fixtures', ...args);
    expect([refused.code, refused.err]).toEqual([code, expect.stringContaining(wanted)]);
  });
});

describe('what follows from the contract in force', () => {
  it('is printed as the gateway serves it', async () => {
    expect((await run('openapi')).out).toBe(readFileSync('config/openapi.json', 'utf8'));
    config.edit('contract.yaml', 'resources:\n', `resources:\n${INVOICES}`);
    config.edit('contract.yaml', 'version: v1', 'version: v3');
    const { paths } = JSON.parse((await run('openapi')).out) as { paths: object };
    expect(Object.keys(paths)).toContain('/v3/invoices');
  });

  it('fails with the line where the contract is wrong', async () => {
    const line = config.edit('contract.yaml', 'prefix: prod', 'prefix: Prod');
    for (const command of ['openapi', 'schema']) {
      const { code, err } = await run(command);
      expect([code, err]).toEqual([78, expect.stringContaining(`contract.yaml:${line}:`)]);
    }
  });

  it('is in the schemas of the files: resources, and their fields in sources', async () => {
    config.edit('contract.yaml', 'resources:\n', `resources:\n${INVOICES}`);
    const schemaOf = async (...kind: string[]) => {
      const { code, out } = await run('schema', ...kind);
      expect(code).toBe(0);
      return new Ajv2020({ strict: false, logger: false }).compile(JSON.parse(out) as object);
    };
    const [gateway, source, contract] = [
      await schemaOf('gateway'),
      await schemaOf(),
      await schemaOf('contract'),
    ];
    const content = (name: string) =>
      parse(readFileSync(place(name), 'utf8')) as { resources: Record<string, object> };
    expect(contract(content('contract.yaml'))).toBe(true);
    const crm = content('sources/crm.yaml');
    expect(source(crm)).toBe(true);
    expect(source({ ...crm, resources: { tickets: crm.resources['users'] } })).toBe(false);
    expect(source({ ...crm, resources: { products: crm.resources['users'] } })).toBe(false);
    const list = { request: { path: '/o' }, window: { kind: 'none' }, items: '' };
    const invoices = (more: object) => ({
      ...crm,
      resources: { invoices: { id: { kind: 'number' }, list: { ...list, ...more } } },
    });
    const map = { id: 'no', number: 'nr', placed_at: { from: 'at', as: ['iso8601'] } };
    expect(source(invoices({ map }))).toBe(true);
    expect(source(invoices({ map: { ...map, placed: 'at' } }))).toBe(false);
    expect(source(invoices({ map: { ...map, number: { from: 3 } } }))).toBe(false);
    expect(source(invoices({ map, sort: { columns: { placed_at: 'at' } } }))).toBe(true);
    expect(source(invoices({ map, sort: { columns: { total: 'sum' } } }))).toBe(false);
    expect(gateway({ portico: 1, resources: { invoices: { source: 'shop' } } })).toBe(true);
    expect(gateway({ portico: 1, resources: { tickets: { source: 'shop' } } })).toBe(false);
  });
});
