import fc from 'fast-check';
import { compilePath, PathError } from '../../../src/adapter/path.ts';
import { readJson } from '../../../src/kernel/json.ts';

const find = (path: string, document: unknown) => compilePath(path)(readJson(JSON.stringify(document)));

describe('a path', () => {
  const document = {
    a: { b: [{ c: 1 }, { c: 2 }] },
    'odd key': { 'x.y': 3, '"': 4, '': 5 },
    $top: 6,
    '@id': 7,
    'a-b': 8,
  };

  it.each<[string, unknown]>([
    ['a.b[0].c', 1],
    ['a.b[1].c', 2],
    ['a.b[-1].c', 2],
    ['a.b[-2].c', 1],
    ['"odd key"."x.y"', 3],
    [String.raw`"odd key"."\""`, 4],
    ['"odd key".""', 5],
    ['$top', 6],
    ['@id', 7],
    ['a-b', 8],
    ['a."b"[0]."c"', 1],
  ])('%s finds %p', (path, found) => expect(find(path, document)).toBe(found));

  it('finds the document itself when it is empty', () => expect(find('', 5)).toBe(5));

  it.each(['x', 'a.x', 'a.b[2]', 'a.b[-3]', 'a.b.c', 'a.b.length', 'a[0]', 'a.b[0].c.x', 'a.b[0][0]'])(
    '%s finds nothing',
    (path) => expect(find(path, document)).toBeUndefined(),
  );

  it.each([
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'a.constructor.name',
    '$top.toFixed',
    'a.b.at',
  ])('%s finds only what the document holds, never what JavaScript adds', (path) =>
    expect(find(path, document)).toBeUndefined(),
  );

  it('finds data under such names', () => {
    expect(compilePath('__proto__.x')(readJson('{"__proto__":{"x":1}}'))).toBe(1);
  });

  it('looks into neither texts nor numbers, however long', () => {
    expect(find('a[0]', { a: 'text' })).toBeUndefined();
    expect(compilePath('a.text')(readJson('{"a":1.5}'))).toBeUndefined();
  });

  it.each([
    '.',
    '.a',
    'a.',
    'a..b',
    'a.[0]',
    'a b',
    'a[',
    'a[x]',
    'a[1.5]',
    'a[]',
    '[0]b',
    '"a',
    'a"b"',
    '"a"b',
    'a.0',
    '1a',
    'a[1234567]',
    '{a}',
    'ü',
  ])('is not written %j', (text) => expect(() => compilePath(text)).toThrow(PathError));

  it('reaches any key by quoting it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 }), (keys) => {
        const path = keys.map((key) => `"${key.replaceAll(/["\\]/g, (c) => `\\${c}`)}"`).join('.');
        const nested = keys.reduceRight<unknown>((value, key) => ({ [key]: value }), 'found');
        expect(find(path, nested)).toBe('found');
      }),
    );
  });
});
