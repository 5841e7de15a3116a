import fc from 'fast-check';
import { compilePath, PathError } from '../../../../../src/source/adapter/spec/path.ts';
import { type Json, readJson } from '../../../../../src/kernel/json/json.ts';
import { anyCharacter } from '../../../../support/any-character.ts';

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

  it.each([
    '[?a]',
    '[?a=="x"',
    '[?a=="x]',
    '[?a==x]',
    '[?a=1]',
    '[?==1]',
    '[? a==1]',
    '[?a==1.5]',
    '[?a.b==1]',
    'a | | b',
    'a |  b c',
  ])('is not written %j', (text) => expect(() => compilePath(text)).toThrow(PathError));

  it('reaches any key by quoting it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: anyCharacter }), { minLength: 1, maxLength: 4 }), (keys) => {
        const path = keys.map((key) => `"${key.replaceAll(/["\\]/g, (c) => `\\${c}`)}"`).join('.');
        const nested = keys.reduceRight<unknown>((value, key) => ({ [key]: value }), 'found');
        expect(find(path, nested)).toBe('found');
      }),
    );
  });
});

describe('a path with a choice', () => {
  const emails = { emails: [{ type: 'home', value: 'a@x' }, 7, null, { type: 'work', value: 'b@x', n: 2 }] };

  it.each<[string, unknown]>([
    ['emails[?type=="work"].value', 'b@x'],
    ['emails[?type=="home"].value', 'a@x'],
    ['emails[?n==2].value', 'b@x'],
    ['emails[?"type"=="work"]."value"', 'b@x'],
    ['emails[?type=="none"].value', undefined],
    ['emails[?n=="2"].value', undefined],
    ['emails[?toString==null].value', undefined],
    ['emails[?type==true].value', undefined],
    ['[?type=="work"]', undefined],
    ['emails[0][?type=="home"]', undefined],
  ])('%s finds %p', (path, found) => expect(find(path, emails)).toBe(found));

  it('takes the first item with the value, whatever stands around it', () => {
    const item = fc.record({ k: fc.constantFrom('a', 'b', '"', '\\', '|', ' | '), v: fc.nat() });
    fc.assert(
      fc.property(fc.array(item), item, (list, { k }) => {
        const literal = k.replaceAll(/["\\]/g, (c) => `\\${c}`);
        expect(find(`list[?k=="${literal}"].v`, { list })).toBe(list.find((one) => one.k === k)?.v);
      }),
    );
  });
});

describe('a path with alternatives', () => {
  it.each<[string, unknown, unknown]>([
    ['a | b', { a: 1, b: 2 }, 1],
    ['a | b', { b: 2 }, 2],
    ['a | b', { a: null, b: 2 }, 2],
    ['a | b', { a: null }, null],
    ['a | b', { b: null }, null],
    ['a | b', {}, undefined],
    ['a | b | c', { c: 0 }, 0],
    ['a | b', { a: '', b: 2 }, ''],
    ['a | ', 5, 5],
    ['a | ', { a: 1 }, 1],
    ['a | b', { a: false, b: 2 }, false],
    ['_embedded.x[0] | "a | b"', { 'a | b': 3 }, 3],
    ['"a | b" | c', { c: 4 }, 4],
  ])('%s in %j finds %p', (path, document, found) => expect(find(path, document)).toBe(found));
});

describe('a key that every object inherits', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'finds %s only where the document has it',
    (key) => {
      const find = compilePath(`a.${key}`);
      expect(find(JSON.parse('{"a":{"b":1}}') as Json)).toBeUndefined();
      expect(find(JSON.parse(`{"a":{"${key}":"own"}}`) as Json)).toBe('own');
      const select = compilePath(`[?${key}=="own"].b`);
      expect(select(JSON.parse(`[{"b":1},{"${key}":"own","b":2}]`) as Json)).toBe(2);
    },
  );
});
