import fc from 'fast-check';
import { type Json, JsonError, NumberText, readJson } from '../../../src/kernel/json/json.ts';
import { readPlainJson } from '../../../src/kernel/json/plain-json.ts';

const read = (text: string) => readPlainJson(Buffer.from(text), text);

/** A value whose objects are compared by their entries alone. */
function entries(value: Json): unknown {
  if (Array.isArray(value)) return (value as readonly Json[]).map(entries);
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return value;
  return Object.entries(value).map(([key, item]) => [key, entries(item)]);
}

/** What `readJson` makes of a text. */
function slowly(text: string): unknown {
  try {
    return entries(readJson(text));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return 'refused';
  }
}

/** Documents of all kinds, and texts that are nearly documents. */
const pieces = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\"',
    '\\u0061',
    'a',
    'é',
    '😀',
    '"a"',
    '"a":',
    '"a":1',
    ' ',
    '\n',
  ],
  ...[
    '0',
    '-',
    '-0',
    '1',
    '12',
    '123456789012345',
    '1234567890123456',
    '.',
    '.5',
    '1.5',
    'e',
    '1e3',
    'E-1',
    'null',
  ],
);
const texts = fc.oneof(
  fc.json({ maxDepth: 6 }),
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value, undefined, ' ')),
  fc.array(pieces, { maxLength: 14 }).map((list) => list.join('')),
  fc.array(pieces, { maxLength: 6 }).map((list) => `{"a":[${list.join(',')}],"b":{${list.join(',')}}}`),
);

describe('reading plain JSON', () => {
  it('reads nothing otherwise than readJson does, and no text that readJson refuses', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const plain = read(text);
        if (plain !== undefined) expect(entries(plain)).toEqual(slowly(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads what services mostly send', () => {
    const text =
      '{"total":120,"rows":[{"no":7,"name":"Zoë \\"Z\\" \\u00e9: {1.5}","tags":[],"to":null,"ok":true}]}';
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ...['19.90', '-0', '1e2', '1E400', '9007199254740993', '[1234567890123456]', '{"a":-0.0}'],
    ...['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"b":{"a":1,"a":1}}', '{"__proto__":1,"__proto__":2}'],
    ...['', '{', '[1,]', '01', '"a', '\u00a01', '{"a":1}}'],
    '['.repeat(65) + ']'.repeat(65),
  ])('leaves %s to readJson', (text) => expect(read(text)).toBeUndefined());

  it('keeps keys such as __proto__ as the data they are', () => {
    const value = read('{"__proto__":{"admin":true},"constructor":1}') as Record<string, Json>;
    expect(Object.entries(value)).toEqual([
      ['__proto__', { admin: true }],
      ['constructor', 1],
    ]);
    expect(value['admin']).toBeUndefined();
  });

  it('reads a key with an escape as it is, whatever key stood at its place in the document before', () => {
    const keys = ['a\\', 'a"', 'a\\', 'a/', 'a\n', 'a'];
    const found = keys.map((key) => {
      const text = JSON.stringify({ first: 1, [key]: 2 });
      return Object.keys((read(text) ?? readJson(text)) as object)[1];
    });
    expect(found).toEqual(keys);
  });

  it('reads a document behind a byte order mark', () => {
    expect(readPlainJson(Buffer.from('\ufeff{"a":1}'), '{"a":1}')).toEqual({ a: 1 });
  });
});
