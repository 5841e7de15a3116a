import { NumberText, type Json } from '../../../../../src/kernel/json/json.ts';
import type { Column } from '../../../../../src/workbench/infer/map/columns.ts';
import { inferId } from '../../../../../src/workbench/infer/map/infer-id.ts';

const column = (path: string, values: readonly Json[]): Column => ({
  path,
  words: [path.split('.').at(-1) ?? ''],
  values,
});
const prices = column('price', [1, 2, 3]);

/** The id of a draft whose column was chosen. */
const idOf = (
  values: readonly Json[],
  {
    level = 'sure',
    unique = [] as readonly Column[],
    others = [prices] as readonly Column[],
    known = undefined as 'text' | undefined,
  } = {},
) => {
  const id = column('id', values);
  const chosen = { columns: [id], others: unique, level } as unknown as Parameters<typeof inferId>[1];
  return inferId([id, ...others], chosen, known);
};

describe('the kind of an id', () => {
  it.each<[string, readonly Json[], 'number' | 'text']>([
    ['numbers', [1, 2, 3], 'number'],
    ['numbers that a float would round', [new NumberText('12345678901234567890'), 1, 2], 'number'],
    ['digits in texts, where other columns have numbers', ['1', '2', '3'], 'text'],
    ['texts', ['a1', 'b2', 'c3'], 'text'],
    ['negative numbers', [-1, -2, -3], 'text'],
    ['digits with zeros in front, which a number would lose', ['000123', '000130', '100000'], 'text'],
  ])('of %s', (_what, values, kind) => expect(idOf(values)).toMatchObject({ kind, path: 'id' }));

  it('is a number where everything is written as texts, as in CSV', () => {
    const others = [column('price', ['1', '2', '3'])];
    expect(idOf(['1', '2', '3'], { others })).toMatchObject({
      kind: 'number',
      remark: { level: 'sure', text: expect.stringContaining('written as texts') },
    });
  });

  it('is a number, in spite of zeros in front, where another is wider', () => {
    const others = [column('price', ['1', '2', '3'])];
    expect(idOf(['00712', '00713', '10000'], { others })).toMatchObject({ kind: 'text' });
    expect(idOf(['00712', '00713', '100000'], { others })).toMatchObject({ kind: 'number' });
  });

  it('is text where a dialect knows that it is', () => {
    expect(idOf([1, 2, 3], { known: 'text' })).toMatchObject({ kind: 'text' });
  });
});

describe('the form of an id', () => {
  const uuid = (n: number) => `0000000${n}-aaaa-bbbb-cccc-000000000000`;

  it.each([
    ['UUIDs', [1, 2, 3].map(uuid), '[0-9a-f]{8}-'],
    ['UUIDs in capitals', [1, 2, 3].map((n) => uuid(n).toUpperCase()), '[0-9A-F]{8}-'],
    ['ids of MongoDB', [1, 2, 3].map((n) => `${n}`.padStart(24, 'a')), '[0-9a-f]{24}'],
    ['ULIDs', [1, 2, 3].map((n) => `01ARZ3NDEKTSV4RRFFQ69G5FA${n}`), '[0-9A-HJKMNP-TV-Z]{26}'],
  ])('is declared of %s', (_what, ids, form) => {
    expect(idOf(ids)?.form).toContain(form);
    expect(idOf(ids)?.remark.text).toContain('all of this form');
  });

  it('is not declared of two ids: that may be chance', () =>
    expect(idOf([uuid(1), uuid(2)])?.form).toBeUndefined());

  it('is not declared of texts that are generated in no known form', () => {
    expect(idOf(['sku-1', 'sku-2', 'sku-3'])?.form).toBeUndefined();
  });
});

describe('a column that cannot be the id', () => {
  it.each<[string, readonly Json[]]>([
    ['one with an empty value', [1, '', 3]],
    ['one that repeats itself', [1, 1, 1, 2]],
  ])('is not taken: %s', (_what, values) => expect(idOf(values)).toBeUndefined());

  it('may repeat one value in ten, because a row may come twice in a walk', () => {
    expect(idOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 9])).toMatchObject({ kind: 'number' });
  });

  it('is for the operator if its name says nothing, and shows no value', () => {
    const { remark } = idOf(['Ada 1', 'Bob 2', 'Eve 3'], { level: 'likely' }) ?? {};
    expect(remark).toMatchObject({
      level: 'edit',
      text: expect.stringContaining('its form is Aaa 9, where 9 is any digit'),
    });
    expect(remark?.text).not.toContain('Ada');
  });

  it('is told with the other columns that are unique', () => {
    const { remark } = idOf(['a1', 'b2', 'c3'], { level: 'likely', unique: [column('label', [])] }) ?? {};
    expect(remark?.text).toMatch(/is unique \(.*\); label is unique, too$/);
  });
});

describe('an id at the end of an address', () => {
  const self = column(
    '_links.self.href',
    [1, 2].map((n) => `https://shop.example.com/items/${n}`),
  );

  it('is found without another column, with its digits', () => {
    expect(inferId([self], undefined, undefined)).toMatchObject({
      ...{ kind: 'number', path: '_links.self.href', pattern: String.raw`/(\d+)/?$` },
    });
  });

  it('is a text, if it is not of digits', () => {
    const named = column('url', ['/items/a', '/items/b/']);
    expect(inferId([named], undefined, undefined)).toMatchObject({ kind: 'text', pattern: '/([^/?#]+)/?$' });
  });

  it.each<[string, Column]>([
    ['an address that all rows share', column('href', ['/items/1', '/items/1'])],
    ['a text that is no address', column('url', ['a/1', 'b/2'])],
    ['an address of another name', column('picture', ['/p/1', '/p/2'])],
  ])('is not found in %s', (_what, one) => expect(inferId([one], undefined, undefined)).toBeUndefined());
});
