import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { liveEnvironment, readConfig, readSource } from '../../../src/cli/input/read-config.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { runOnTerminal } from '../../support/command/run-on-terminal.ts';
import { answererOf } from '../../support/dialects/infer-draft.ts';
import { STAFF, staffDesk } from '../../support/dialects/staff-desk.ts';
import { twoLists } from '../../support/dialects/two-lists.ts';
import { endAfterTest, startForEach } from '../../support/jest/lifetime.ts';
import { createFolder } from '../../support/process/folder.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const parent = startForEach(() => createFolder('init'));
const service = startForEach(() => startUpstream(serving(twoLists)));

const shop = () => join(parent.path, 'shop');
const read = (file: string) => readFileSync(join(shop(), file), 'utf8');
const init = (...words: readonly string[]) => runCommand(['init', shop(), '--yes', ...words]);
const listed = () => readdirSync(shop(), { recursive: true, encoding: 'utf8' }).sort();
const served = (env = {}) => {
  const { compiled } = readConfig(join(shop(), 'portico.yaml'), env);
  return compiled.map(({ resource }) => resource.name).sort();
};

const MINIMAL = ['.env.example', '.gitignore', 'portico.yaml', 'sources'];
const WHOLE = [...MINIMAL, 'contract.yaml', 'docker-compose.yml', 'package.json'];
const SAMPLES = ['sources/catalog.yaml', 'sources/crm.yaml'];

describe('portico init', () => {
  it('writes a configuration that is served as it is, in front of the sample services', async () => {
    expect(await init()).toMatchObject({ code: 0, err: '' });
    expect(listed()).toEqual([...WHOLE, ...SAMPLES].sort());
    expect(served()).toEqual(['products', 'users']);
  });

  it('writes the configuration alone with --minimal', async () => {
    expect(await init('--minimal')).toMatchObject({ code: 0, err: '' });
    expect(listed()).toEqual([...MINIMAL, ...SAMPLES].sort());
    expect(served()).toEqual(['products', 'users']);
  });

  it.each([
    ['portico.yaml', 'portico.schema.json'],
    ['contract.yaml', 'contract.schema.json'],
    ['sources/crm.yaml', 'source.schema.json'],
  ])('names in %s the schema of the installed package', async (file, schema) => {
    await init();
    const [, up = ''] = /^sources(\/)/.exec(file) ?? [];
    expect(read(file).split('\n')[0]).toBe(
      `# yaml-language-server: $schema=${up && '../'}node_modules/portico/config/${schema}`,
    );
    expect(existsSync(`config/${schema}`)).toBe(true);
  });

  it.each(['portico.yaml', 'contract.yaml', '.env.example', '.gitignore', 'docker-compose.yml'])(
    'explains %s by three comments or more',
    async (file) => {
      await init();
      expect(read(file).match(/^ *# .*$/gm)?.length).toBeGreaterThanOrEqual(3);
    },
  );

  it('replaces nothing, and says at a second run what differs', async () => {
    await init();
    const changed = read('portico.yaml').replace('20 per 1s', '30 per 1s');
    writeFileSync(join(shop(), 'portico.yaml'), changed);
    const { code, out } = await init();
    expect(code).toBe(0);
    expect(read('portico.yaml')).toBe(changed);
    expect(out).toContain('kept     portico.yaml: it differs');
    expect(out).toMatch(/- {5}standard: .*30 per 1s.*\n.*\+ {5}standard: .*20 per 1s/);
    expect(out).toContain('as it is contract.yaml');
    expect(out).not.toContain('written');
  });

  it('drafts the sources that are named, serves them, and ends with how they answer', async () => {
    const lists = ['users', 'products'].flatMap((name) => ['--from', `${service.origin}/api/${name}`]);
    const { code, out } = await init(...lists, '--header', 'X-Key: its-secret');
    expect(code).toBe(0);
    expect(listed()).toEqual([...WHOLE, 'sources/service.yaml'].sort());
    expect(read('.env.example')).toMatch(/^SERVICE_KEY=$/m);
    expect(served({ SERVICE_KEY: 'its-secret' })).toEqual(['products', 'users']);
    expect(read('sources/service.yaml')).toContain('$schema=../node_modules/portico/');
    expect(out.slice(out.indexOf('Next:'))).toMatch(/Answers of the draft:\n +GET \/v1\/\w+\?limit=10 +200/);
  });

  it('asks three questions at most on a terminal', async () => {
    const answers = [`${service.origin}/api/products?x=1`, 'X-Key: its-secret'];
    const { code, written } = await runOnTerminal(['init', shop()], { answers });
    expect({ code, written }).toMatchObject({ code: 0 });
    expect(written.match(/\?\s\(none/g)).toHaveLength(2);
    expect(served({ SERVICE_KEY: 'its-secret' })).toEqual(['products']);
  });

  it('asks what an address lists that does not say so', async () => {
    const { code, written } = await runOnTerminal(['init', shop()], {
      answers: [`${service.origin}/api`, 'nothing'],
    });
    expect(code).toBe(64);
    expect(written).toContain('What does it list: users or products?');
    expect(written.replaceAll(/\s+/g, ' ')).toContain('the contract has no list of nothing');
  });

  it.each([
    ['an address that names no resource', 64, ['--from', 'http://127.0.0.1:1/list'], 'says what it lists'],
    ['what is no address', 64, ['--from', 'users=ftp://files'], 'it does not begin with http'],
    ['a resource that the contract lacks', 64, ['--from', 'orders=http://127.0.0.1:1/'], 'no list of orders'],
    ['a service that does not answer', 69, ['--from', 'http://127.0.0.1:1/users'], 'ECONNREFUSED'],
  ])('refuses %s with %i, and writes no file', async (_what, code, words, problem) => {
    expect(await init(...words)).toEqual({ code, out: '', err: expect.stringContaining(problem) });
    expect(listed()).toEqual(['sources']);
  });

  it('refuses a folder that is a file', async () => {
    writeFileSync(shop(), '');
    expect(await init()).toMatchObject({ code: 64, err: expect.stringContaining('is a file') });
  });

  it('shows the problems of a contract that is there already, with 78', async () => {
    await init();
    writeFileSync(join(shop(), 'contract.yaml'), 'contract: 2\n');
    expect(await init()).toMatchObject({ code: 78, err: expect.stringContaining('contract.yaml:1') });
  });
});

describe('portico init from a service of ranges of rows, ids with zeros in front and unusual names', () => {
  const desk = startForEach(() => startUpstream(serving(staffDesk)));
  const HEADER = ['--header', 'X-Desk: open-sesame'];
  const from = (query: string) =>
    ['users=%/staff/find.do', 'products=%/goods/find.do'].flatMap((one) => [
      '--from',
      one.replace('%', desk.origin) + query,
    ]);

  /** What a source file answers to requests. */
  async function answersOf(file: string, ...requests: readonly string[]) {
    const answers = [];
    for (const one of readSource(file, liveEnvironment({ SERVICE_DESK: 'open-sesame' }))) {
      const source = endAfterTest(answererOf(one));
      const own = requests.filter((request) => request.includes(one.resource.path));
      for (const request of own) answers.push(JSON.parse((await source.answer(`GET ${request}`)).body));
    }
    return answers;
  }

  it.each(['?from=1&upto=25', ''])('serves its pages without an edit: %s', async (query) => {
    const { code, out } = await init(...from(query), ...HEADER);
    expect(code).toBe(0);
    const ids = STAFF.map(({ STAFF_NO }) => ({ id: `user_${STAFF_NO}` })).sort((a, b) =>
      a.id < b.id ? -1 : 1,
    );
    const file = join(shop(), 'sources', 'service.yaml');
    expect(await answersOf(file, '/v1/users?limit=40&page=3', '/v1/products?limit=2&page=30')).toMatchObject([
      { data: ids.slice(80), meta: { total: 93 } },
      { data: [{ id: 'prod_G-1174' }, { id: 'prod_G-1177' }], meta: { total: 61 } },
    ]);
    expect(out).not.toMatch(/resources\.\w+\.list(?:\.window|\.total)?: /);
  });

  it('says how to draft it again with what the operator knows, and that draft has no wrong field', async () => {
    const { out } = await init(...from(''), ...HEADER);
    expect(out).toContain(
      `portico -- infer --resource users=${desk.origin}/staff/find.do --resource products=${desk.origin}/goods/find.do --header 'X-Desk: …' --name service --out service.yaml `,
    );
    const file = join(shop(), 'service.yaml');
    const lists = from('').map((word) => (word === '--from' ? '--resource' : word));
    const known = ['--id', 'users=STAFF_NO', '--map', 'users.name=FULL_NM'];
    const one = ['--one', `users=/staff/one.do?no=${STAFF[4]?.['STAFF_NO'] ?? ''}`];
    const config = ['-c', join(shop(), 'portico.yaml')];
    const words = [
      ...config,
      'infer',
      ...lists,
      ...HEADER,
      '--name',
      'service',
      '--out',
      file,
      ...known,
      ...one,
    ];
    expect(await runCommand(words)).toMatchObject({ code: 0 });
    expect(await answersOf(file, '/v1/users/user_000123', '/v1/users/user_123')).toMatchObject([
      { data: { id: 'user_000123', name: 'Doe, Jane' } },
      { error: { code: 'not_found' } },
    ]);
  });

  it('has in that command the options of each resource of which something is to edit', async () => {
    const { out } = await init(...from(''), ...HEADER);
    const options = (name: string) => `--id '${name}=<column>' --map '${name}.<field>=<column>'`;
    const [users, products] = ['users', 'products'].map(options);
    expect(out).toContain(`--out service.yaml ${users} --one 'users=<address of one record>' ${products}\n`);
  });

  it('names in a draft that is made again the same schema', async () => {
    await init(...from('').slice(0, 2), ...HEADER);
    const out = join(shop(), 'service.yaml');
    const list = ['--resource', from('')[1] ?? '', ...HEADER, '--name', 'service', '--out', out];
    expect((await runCommand(['-c', join(shop(), 'portico.yaml'), 'infer', ...list])).code).toBe(0);
    expect(read('service.yaml').split('\n')[0]).toBe(read('sources/service.yaml').split('\n')[0]);
  });

  it('has a command of its own for a list that is not in the draft', async () => {
    const other = `products=${desk.origin}/no/such.do`;
    const { code, out } = await init(...from('').slice(0, 2), '--from', other, ...HEADER);
    expect(code).toBe(1);
    expect(out).toContain(
      `-- infer --resource ${from('')[1] ?? ''} --header 'X-Desk: …' --name service --out`,
    );
    expect(out).toContain(`-- infer --resource ${other} --header 'X-Desk: …' --name products\n`);
  });

  it('shows no credential of an address in that command', async () => {
    const { out } = await init(...from('?api_key=s3cret').slice(0, 2), ...HEADER);
    expect(out).toContain('/staff/find.do?api_key=…');
    expect(out).not.toContain('s3cret');
  });
});
