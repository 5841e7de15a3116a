import { CHECKED } from '../../../../../src/source/adapter/spec/spec-location.ts';
import fc from 'fast-check';
import { compileIdCodec } from '../../../../../src/source/adapter/map/native-id.ts';
import { resources } from '../../../../support/reference.ts';
import { readJson } from '../../../../../src/kernel/json/json.ts';
import { anyCharacter } from '../../../../support/any-character.ts';

const compile = (spec: Parameters<typeof compileIdCodec>[0]) => compileIdCodec(spec, 'user', CHECKED);
const numbers = compile({ kind: 'number' });
const texts = compile({ kind: 'text' });
const read = (json: string) => numbers.toPublic(readJson(json));

describe('ids that are numbers', () => {
  it.each([
    ['42', 'user_42'],
    ['0', 'user_0'],
    ['"42"', 'user_42'],
    ['"00000042"', 'user_42'],
    ['"0000"', 'user_0'],
    ['" 42 "', 'user_42'],
    ['9007199254740993', 'user_9007199254740993'],
    ['"18446744073709551616"', 'user_18446744073709551616'],
  ])('%s is %s', (json, id) => expect(read(json)).toBe(id));

  it.each([
    '-1',
    '1.0',
    '1e3',
    '-0',
    '""',
    '" "',
    '"4 2"',
    '"42a"',
    '"0x1"',
    '"１"',
    'null',
    'true',
    '[42]',
    '{}',
    `"${'9'.repeat(101)}"`,
  ])('%s is no usable id', (json) => expect(read(json)).toBeUndefined());

  it('are turned back without leading zeros, and only from their one spelling', () => {
    expect(numbers.toNative('user_42')).toBe('42');
    expect(numbers.toNative('user_0')).toBe('0');
    for (const id of ['user_042', 'user_00', 'user_', 'user_4.2', 'user_a', 'user_-1', 'user_~31'])
      expect(numbers.toNative(id)).toBeUndefined();
  });

  it('round trip, of any size', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 99n }), (number) => {
        expect(numbers.toNative(numbers.toPublic(String(number))!)).toBe(String(number));
      }),
    );
  });
});

describe('ids that are texts', () => {
  it.each([
    ['00u1a2b3', 'user_00u1a2b3'],
    ['0042', 'user_0042'],
    ['auth0|5457', 'user_auth0~7c5457'],
    ['a/b', 'user_a~2fb'],
    ['a~b', 'user_a~7eb'],
    ['uid=ada,ou=x', 'user_uid~3dada~2cou~3dx'],
    ['ü', 'user_~c3~bc'],
    ['😀', 'user_~f0~9f~98~80'],
    ['a b', 'user_a~20b'],
    ['%2F', 'user_~252F'],
    ['...', 'user_...'],
  ])('%j is %s', (native, id) => {
    expect(texts.toPublic(native)).toBe(id);
    expect(texts.toNative(id)).toBe(native);
  });

  it.each(['', '.', '..', '\ud800', 'a\udc00b', 'x'.repeat(124), 'ü'.repeat(21)])(
    '%j is no usable id',
    (native) => expect(texts.toPublic(native)).toBeUndefined(),
  );

  it.each([
    'user_',
    'user_.',
    'user_..',
    'user_~2e',
    'user_~2E',
    'user_~7C',
    'user_~zz',
    'user_~',
    'user_~ff',
    'user_~c3',
    'user_~41',
    'user_~2e~2e',
    'user_%2F',
  ])('%s is the id of nothing', (id) => expect(texts.toNative(id)).toBeUndefined());

  const native = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 }),
    fc.stringMatching(/^[~.%a-f0-9/]{1,10}$/),
  );

  it('round trip, whatever text they are, as an id of the contract', () => {
    fc.assert(
      fc.property(native, (text) => {
        const id = texts.toPublic(text);
        if (id === undefined) {
          const isOdd = ['.', '..'].includes(text) || /\p{Cc}/u.test(text);
          expect(isOdd || Buffer.byteLength(text) * 3 + 5 > 128).toBe(true);
          return;
        }
        expect(id).toMatch(resources.users.idPattern);
        expect(texts.toNative(id)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('have different ids where they differ', () => {
    fc.assert(
      fc.property(native, native, (a, b) => {
        const [left, right] = [texts.toPublic(a), texts.toPublic(b)];
        if (left !== undefined) expect(left === right).toBe(a === b);
      }),
      { numRuns: 1_000 },
    );
  });

  it('have one spelling: whatever id is understood is the one that is given out', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^user_[~.a-f0-9A-F_-]{1,8}$/), (id) => {
        const text = texts.toNative(id);
        if (text !== undefined) expect(texts.toPublic(text)).toBe(id);
      }),
      { numRuns: 1_000 },
    );
  });

  it('read numbers as they are written', () => {
    expect(texts.toPublic(readJson('9007199254740993'))).toBe('user_9007199254740993');
    expect(texts.toPublic(readJson('7'))).toBe('user_7');
    for (const json of ['null', 'true', '[]', '{}', '["a"]'])
      expect(texts.toPublic(readJson(json))).toBeUndefined();
  });
});

describe('ids of one form', () => {
  const form = '[0-9a-f]{4}';

  it('leave out a native id that fits only in part or not at all', () => {
    const codec = compile({ kind: 'text', form });
    expect(codec.toPublic('00af')).toBe('user_00af');
    for (const native of ['00AF', '00af0', 'x00af', '']) expect(codec.toPublic(native)).toBeUndefined();
  });

  it('are the only ones the source is asked for', () => {
    const codec = compile({ kind: 'text', form });
    expect(codec.toNative('user_00af')).toBe('00af');
    for (const id of ['user_00AF', 'user_00a', 'user_me', 'user_'])
      expect(codec.toNative(id)).toBeUndefined();
  });

  it('have their form checked after the pattern has extracted them', () => {
    const codec = compile({ kind: 'text', form, pattern: '/users/([^/]+)$' });
    expect(codec.toPublic('https://x.example/users/00af')).toBe('user_00af');
    expect(codec.toPublic('https://x.example/users/00AF')).toBeUndefined();
  });

  it.each([
    ['int32', '2147483647', '2147483648'],
    ['uint32', '4294967295', '4294967296'],
    ['int53', '9007199254740991', '9007199254740992'],
    ['int64', '9223372036854775807', '9223372036854775808'],
    ['uint64', '18446744073709551615', '18446744073709551616'],
  ])('%s hold %s, and not %s', (size, largest, beyond) => {
    const codec = compile({ kind: 'number', form: size });
    expect([codec.toNative(`user_${largest}`), codec.toNative(`user_${beyond}`)]).toEqual([
      largest,
      undefined,
    ]);
    expect([codec.toPublic(readJson(largest)), codec.toPublic(readJson(beyond))]).toEqual([
      `user_${largest}`,
      undefined,
    ]);
    expect(codec.toPublic('000000000000000000000000000007')).toBe('user_7');
    expect(codec.toNative('user_99999999999999999999999')).toBeUndefined();
  });
});
