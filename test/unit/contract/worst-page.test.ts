import { compileContract } from '../../../src/contract/compile-contract.ts';
import { type ContractDocument, contractSchema } from '../../../src/contract/contract-schema.ts';

type Part = Partial<ContractDocument['resources'][string]>;
const LINES = { sku: { kind: 'text' }, price: { kind: 'decimal' }, at: { kind: 'datetime' } } as const;

function compile(resource: Part, pages: ContractDocument['pages'] = {}) {
  const things = { singular: 'thing', id: { prefix: 'th' }, fields: { name: { kind: 'text' } }, ...resource };
  const spec = contractSchema.parse({ contract: 1, title: 'Shop', pages, resources: { things } });
  const problems: { readonly at: string; readonly message: string; readonly hint: string | undefined }[] = [];
  const contract = compileContract(
    spec,
    (path, message, hint) => void problems.push({ at: path.join('.'), message, hint }),
  );
  return { problems, digest: contract.resources.get('things')?.digest };
}

/** What a page of 100 records has with lists of so many texts and of so many objects. */
const fields = (tags: number, lines: number) =>
  ({
    name: { kind: 'text' },
    tags: { kind: 'list', of: { kind: 'text' }, max: tags },
    lines: { kind: 'list', of: LINES, max: lines },
  }) as const;

describe('the largest page of a contract', () => {
  it('may have 16 MiB, with the lists that a contract has if it says nothing of them', () =>
    expect(compile({ fields: fields(1000, 1000) }).problems).toEqual([]));

  it.each<[string, Part, ContractDocument['pages'], string]>([
    ['by a list of objects', { fields: fields(10, 1700) }, {}, 'resources.things.fields.lines.max'],
    ['by a list of values', { fields: fields(6000, 10) }, {}, 'resources.things.fields.tags.max'],
    ['by two lists together', { fields: fields(2600, 900) }, {}, 'resources.things.fields.lines.max'],
    ['by a list in an object', { fields: { a: fields(6000, 1) } }, {}, 'resources.things.fields.a.tags.max'],
    ['by the pages of all', { fields: fields(1000, 500) }, { max: 250 }, 'resources.things.fields.lines.max'],
    [
      'by pages of its own',
      { fields: fields(1000, 500), pages: { max: 250 } },
      {},
      'resources.things.fields.lines.max',
    ],
    ['without a list', {}, { bytes: 5_000 }, 'resources.things.pages'],
  ])('is refused beyond that %s, with what makes it fit', (_why, resource, pages, place) => {
    const [problem, ...others] = compile(resource, pages).problems;
    expect([problem?.at, others]).toEqual([place, []]);
    expect(problem?.message).toMatch(
      /^a page of \d+ records with full lists has [\d.]+ MiB, but an answer at most [\d.]+ MiB/,
    );
    const [, elements, list] = /^max: (\d+) for ([\w.]+)/.exec(problem?.hint ?? '') ?? [];
    const size = Number(/pages: \{ max: (\d+) \}/.exec(problem?.hint ?? '')?.[1]);
    const bytes = Number(/pages: \{ bytes: (\d+) \}/.exec(problem?.hint ?? '')?.[1]);
    const { pages: _, ...rest } = resource;
    const withSize = (max: number) => compile(rest, { default: 1, ...pages, max }).problems.length;
    expect([withSize(size), withSize(size + 1)]).toEqual([0, 1]);
    const withBytes = (most: number) => compile(resource, { ...pages, bytes: most }).problems.length;
    expect([withBytes(bytes), withBytes(bytes - 1)]).toEqual([0, 1]);
    if (list === undefined) return;
    const withElements = (max: number) =>
      compile(
        JSON.parse(JSON.stringify(resource), (key, value: object) =>
          key === list.split('.').at(-1) ? { ...value, max } : value,
        ) as Part,
        pages,
      ).problems.length;
    expect([withElements(Number(elements)), withElements(Number(elements) + 1)]).toEqual([0, 1]);
  });

  it('is a single record where that has more, or where there is no list', () => {
    const single = {
      all: {
        kind: 'list',
        of: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, { kind: 'text' }])),
        max: 10_000,
      },
    } as Part['single'];
    for (const list of [true, false])
      expect(compile({ single, list }).problems).toEqual([
        {
          at: 'resources.things.single.all.max',
          message: expect.stringMatching(/^a record with full lists has 2\d\.\d MiB/) as string,
          hint: expect.stringMatching(/^max: \d{4} for all; or pages: \{ bytes: \d{8} \}/) as string,
        },
      ]);
  });

  it('changes no answer by its limit', () =>
    expect(compile({}, { bytes: 20_000_000 }).digest).toBe(compile({}).digest));
});
