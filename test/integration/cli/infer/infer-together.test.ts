import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { liveEnvironment, readSource } from '../../../../src/cli/input/read-config.ts';
import { runCommand } from '../../../support/command/run-command.ts';
import { answererOf } from '../../../support/dialects/infer-draft.ts';
import { notFound, serve, TOKEN } from '../../../support/dialects/serve.ts';
import { twoLists } from '../../../support/dialects/two-lists.ts';
import { createFolder } from '../../../support/process/folder.ts';
import { endAfterTest, startForEach } from '../../../support/jest/lifetime.ts';

const HEADER = ['--header', `Authorization: Bearer ${TOKEN}`];

const folder = startForEach(() => createFolder('together'));
const service = startForEach(() => serve(twoLists));
let users: string;
let products: string;

beforeEach(() => {
  mkdirSync(join(folder.path, 'sources'));
  users = `${service.origin}/api/users`;
  products = `${service.origin}/api/products`;
});

const infer = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand(['-c', join(folder.path, 'portico.yaml'), 'infer', ...args], env);

const both = () => ['--resource', `users=${users}`, '--resource', `products=${products}`, '--name', 'shop'];
const shopFile = () => join(folder.path, 'sources', 'shop.yaml');

/** Asks what a source file describes for one page of each resource. */
async function answersOf(file: string): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const one of readSource(file, liveEnvironment({ SHOP_TOKEN: TOKEN }))) {
    const source = endAfterTest(answererOf(one));
    const { body } = await source.answer(`GET /v1/${one.resource.name}?limit=1`);
    answers.push(body);
  }
  return answers;
}

describe('portico infer for several resources', () => {
  it('takes a column that is named for no resource for each that has the field', async () => {
    const named = await infer([...both(), ...HEADER, '--map', 'price=price', '--map', 'email=email']);
    expect(named).toMatchObject({ code: 0, err: expect.not.stringContaining('names no field') });
    const unknown = await infer([
      ...both(),
      ...HEADER,
      '--map',
      'colour=price',
      '--out',
      join(folder.path, 'x.yaml'),
    ]);
    expect([unknown.code, unknown.err]).toEqual([
      64,
      expect.stringMatching(/--map colour=price names no field of (\w+)\n.*--map \1\.<field>=</),
    ]);
  });

  it('takes a column that is named for one resource, as the draft writes its place', async () => {
    const named = await infer([...both(), ...HEADER, '--map', 'products.price=price']);
    expect(named).toMatchObject({ code: 0, err: expect.not.stringContaining('names no field') });
  });

  it('writes one file for both, and says how to serve it at once and for good', async () => {
    const { code, out, err } = await infer([...both(), ...HEADER]);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    const text = readFileSync(shopFile(), 'utf8');
    expect(Object.keys(parse(text).resources)).toEqual(['users', 'products']);
    expect(text.match(/yaml-language-server/g)).toHaveLength(1);
    expect(text).toContain('a draft of the source for its products');
    expect(await answersOf(shopFile())).toEqual([
      expect.stringContaining('"total":27'),
      expect.stringContaining('"total":43'),
    ]);
    expect(err).toMatch(/^ {2}SHOP_TOKEN=… PORTICO_TRY_KEY=ptk_\w+ portico try \S+shop\.yaml$/m);
    expect(err).toContain('    users: { source: shop }\n    products: { source: shop }\n');
    expect(err).toContain('keys create --label shop --permissions users:read,products:read --print');
    expect(text + err).not.toContain(TOKEN);
  });

  it('writes one file for two lists of XML, whose rows have different names', async () => {
    const row = (name: string, n: number) => `<${name}><id>${n}</id><name>N ${n}</name></${name}>`;
    const desk = endAfterTest(
      await serve(({ path }) => ({
        headers: { 'Content-Type': 'application/xml' },
        body: `<all>${[1, 2, 3].map((n) => row(path.slice(1), n)).join('')}</all>`,
      })),
    );
    const lists = ['users=/user', 'products=/product'].map((one) => one.replace('=', `=${desk.origin}`));
    const words = lists.flatMap((one) => ['--resource', one]);
    expect(await infer([...words, '--name', 'shop', ...HEADER])).toMatchObject({ code: 0 });
    expect(parse(readFileSync(shopFile(), 'utf8'))).toMatchObject({
      decode: { format: 'xml', arrays: expect.arrayContaining(['all.user', 'all.product']) },
      resources: { users: {}, products: {} },
    });
  });

  it('keeps what it has found where the second list cannot be read', async () => {
    const missing = `${service.origin}/api/none`;
    const { code, err } = await infer([
      ...both().slice(0, 2),
      ...['--resource', `products=${missing}`, '--name', 'shop'],
      ...HEADER,
    ]);
    expect(code).toBe(1);
    expect(err).toContain('products is not in the draft');
    expect(Object.keys(parse(readFileSync(shopFile(), 'utf8')).resources)).toEqual(['users']);
  });

  it('keeps what it has found where the first list cannot be read, and says which it is', async () => {
    const missing = `${service.origin}/api/none`;
    const { code, err } = await infer([
      ...['--resource', `users=${missing}?key=secret-5`],
      ...both().slice(2),
      ...HEADER,
    ]);
    expect(code).toBe(1);
    expect(err).toContain(`users is not in the draft (${missing}): `);
    expect(err).not.toContain('secret-5');
    expect(Object.keys(parse(readFileSync(shopFile(), 'utf8')).resources)).toEqual(['products']);
  });

  it('names each list where none can be read', async () => {
    const missing = (name: string) => ['--resource', `${name}=${service.origin}/api/no-${name}`];
    const { code, err } = await infer([
      ...missing('users'),
      ...missing('products'),
      '--name',
      'shop',
      ...HEADER,
    ]);
    expect(code).toBe(1);
    expect(err).toContain(`users is not in the draft (${service.origin}/api/no-users): `);
    expect(err).toContain(`products is not in the draft (${service.origin}/api/no-products): `);
  });

  it.each([
    ['lists at two hosts', ['users=http://a.invalid/x', 'products=http://b.invalid/x'], 'net.baseUrl'],
    ['a resource twice', ['users=http://a.invalid/x', 'users=http://a.invalid/y'], 'named twice'],
    ['a list without address', ['users=http://a.invalid/x', 'products'], 'needs its own address'],
  ])('refuses %s without a call', async (_name, resources, message) => {
    const { code, err } = await infer(resources.flatMap((one) => ['--resource', one]));
    expect({ code, err }).toEqual({ code: 64, err: expect.stringContaining(message) });
  });
});

describe('portico infer --into', () => {
  it('adds a resource to a file with its address and credential, and keeps its comments', async () => {
    await infer(['--resource', `users=${users}`, '--name', 'shop', ...HEADER]);
    const before = readFileSync(shopFile(), 'utf8').replace(/^name: shop$/m, '# by hand\nname: shop # mine');
    writeFileSync(shopFile(), before);
    const { code, err } = await infer(['--resource', 'products=/api/products', '--into', shopFile()], {
      SHOP_TOKEN: TOKEN,
    });
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('43 records in all') });
    const after = readFileSync(shopFile(), 'utf8');
    expect(before.split('\n').filter((line) => !after.includes(line))).toEqual([]);
    expect(await answersOf(shopFile())).toHaveLength(2);
  });

  it('refuses a resource that the file has, and leaves it as it is', async () => {
    await infer([...both(), ...HEADER]);
    const before = readFileSync(shopFile(), 'utf8');
    const args = ['--resource', 'products=/api/products', '--into', shopFile()];
    const { code, err } = await infer(args, { SHOP_TOKEN: TOKEN });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('has products already') });
    expect(readFileSync(shopFile(), 'utf8')).toBe(before);
  });
});

describe('a draft that cannot be written', () => {
  it.each([
    [
      'the file exists',
      (): void => writeFileSync(shopFile(), ''),
      /exists, and is not replaced\n.*another --name, or .*--into/,
    ],
    [
      'the file that is named exists',
      (): void => writeFileSync(shopFile(), ''),
      /exists, and is not replaced\n.*another --out, or .*--into/,
      () => ['--out', shopFile()],
    ],
    [
      'its name is taken',
      (): void => writeFileSync(join(folder.path, 'sources', 'other.yaml'), 'source: 1\nname: shop\n'),
      /the name "shop" is taken by .*\n.*another --name, or .*--into/,
      () => ['--out', shopFile()],
    ],
    ['its folder is missing', (): void => undefined, /mkdir -p/, () => ['--out', 'no-such-folder/shop.yaml']],
  ] as const)(
    'is refused before any call where %s',
    async (_name, prepare, message, more = (): string[] => []) => {
      prepare();
      const { code, err } = await infer([...both(), ...HEADER, ...more()]);
      expect({ code, err }).toEqual({ code: 64, err: expect.stringMatching(message) });
      expect(service.requests).toEqual([]);
    },
  );

  it('goes to standard output where the file comes into being meanwhile', async () => {
    const racing = endAfterTest(
      await serve((request) => {
        if (request.number === 5) writeFileSync(shopFile(), 'of somebody else');
        return request.path === '/api/users' ? twoLists(request) : notFound;
      }),
    );
    const list = ['--resource', `users=${racing.origin}/api/users`, '--name', 'shop'];
    const { code, out, err } = await infer([...list, ...HEADER]);
    expect(code).toBe(1);
    expect(err).toContain('cannot be written (EEXIST): the draft stands above');
    expect(Object.keys(parse(out).resources)).toEqual(['users']);
  });
});
