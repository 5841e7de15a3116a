import fc from 'fast-check';
import { type Json, JsonError, NumberText, readJson } from '../../../src/kernel/json/json.ts';
import { anyCharacter } from '../../support/any-character.ts';

/** What `JSON.parse` would have made of it. */
function lossy(value: Json): unknown {
  if (value instanceof NumberText) return Number(value.text);
  if (Array.isArray(value)) return (value as readonly Json[]).map(lossy);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, lossy(item)]));
}

/** Every number text of a document, by reading it alone. */
const readNumber = (text: string) => readJson(text);

describe('reading JSON', () => {
  it('reads what JSON.parse reads, in any layout', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t', '\n \r'), (text, indent) => {
        const document: unknown = JSON.parse(text);
        expect(lossy(readJson(JSON.stringify(document, undefined, indent)))).toEqual(document);
      }),
    );
  });

  it('reads any text and any key as they are, escapes included', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (key, text) => {
        const read = readJson(JSON.stringify({ [key]: text })) as Record<string, Json>;
        expect(Object.entries(read)).toEqual([[key, text]]);
      }),
    );
    expect(readJson(String.raw`"\u00fc\ud83d\ude00\/\b\f\n\r\t\"\\"`)).toBe('ü😀/\b\f\n\r\t"\\');
  });

  it.each([
    '9007199254740993',
    '-9007199254740993',
    '1000000000000000',
    '19.90',
    '1e400',
    '-0',
    '0.0',
    '1E+2',
  ])('keeps %s as the text it is, because a float would not hold it to the digit', (text) =>
    expect(readNumber(text)).toEqual(new NumberText(text)),
  );

  it.each(['0', '7', '-12', '999999999999999'])('reads %s as a number', (text) =>
    expect(readNumber(text)).toBe(Number(text)),
  );

  it('takes keys such as __proto__ and constructor for plain data', () => {
    const read = readJson('{"__proto__":{"admin":true},"constructor":1,"toString":2}') as Record<
      string,
      Json
    >;
    expect(Object.getPrototypeOf(read)).toBeNull();
    expect(Object.keys(read)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(read['admin']).toBeUndefined();
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it.each(['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"__proto__":1,"__proto__":2}'])(
    'refuses the duplicate key in %s',
    (text) => expect(() => readJson(text)).toThrow(/duplicate key/),
  );

  it('reads 64 nested containers and refuses the 65th', () => {
    const nested = (depth: number, inner: string) => '['.repeat(depth) + inner + ']'.repeat(depth);
    expect(() => readJson(nested(64, ''))).not.toThrow();
    expect(() => readJson(nested(64, '1'))).not.toThrow();
    expect(() => readJson(nested(65, ''))).toThrow(/nested deeper than 64/);
    expect(() => readJson('{"a":'.repeat(65) + '1' + '}'.repeat(65))).toThrow(/nested deeper than 64/);
  });

  it.each([
    ...['', ' ', '{', '[', '"', '"a', '{"a"', '{"a":', '{"a":1', '[1', '[1,', '"\\', '"\\"', 'tru', '-'],
    ...[
      '[1,]',
      '[,1]',
      '[,]',
      '{,}',
      '{"a":1,}',
      '[1 2]',
      '{"a" 1}',
      '{a:1}',
      "{'a':1}",
      '{1:1}',
      '[}',
      '{]',
    ],
    ...['01', '-01', '+1', '.5', '1.', '1e', '1e+', '0x10', 'NaN', 'Infinity', '--1', '1_000', '１'],
    ...[
      'nul',
      'True',
      'undefined',
      'nullx',
      '1 1',
      '{} {}',
      '[]]',
      '"a"b',
      '// x\n1',
      '/* */1',
      '\u00a01',
      '\ufeff1',
    ],
    ...['"\u0000"', '"\n"', '"\u001f"', '"\\x"', '"\\u12"', '"\\u12G4"', '{"\t":1}'],
  ])('refuses %j', (text) => expect(() => readJson(text)).toThrow(JsonError));

  it('names the position of the mistake, never the text', () => {
    expect(() => readJson('{"a": 1, "pass": hunter2}')).toThrow('unexpected character at offset 17');
    expect(() => readJson('["hunter2\n"]')).toThrow(/^control character in a text at offset 9$/);
  });
});
