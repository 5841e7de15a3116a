import fc from 'fast-check';
import { replyOf } from '../../../../support/pipeline/source-text.ts';

/** Values as they may stand in a reply: what services send, and what is odd about JSON. */
const VALUES = [
  ...[
    '""',
    '" "',
    '"Zoë"',
    '" Ömer\u00a0"',
    '"O’Neill"',
    '"\u3000あ"',
    '"e\u0301"',
    '"\ufeffx"',
    '"😀"',
    '"\u007f"',
  ],
  ...[
    '"a\\"b"',
    '"\\u00e9"',
    '"\\ud83d"',
    '"\\ud83d\\ude00"',
    '"\\u0000"',
    '"a\\tb"',
    '"\\/"',
    '"\u0085"',
    '"\u2028"',
  ],
  ...[
    '0',
    '-0',
    '-0.0',
    '-7',
    '7.50',
    '0.10',
    '-1.5',
    '1e2',
    '1E-400',
    '12345678901234567',
    '123456789012345',
  ],
  ...[
    `9${'0'.repeat(400)}`,
    `0.${'1'.repeat(1_100)}`,
    '9007199254740993',
    'null',
    'true',
    'false',
    '[]',
    '{}',
  ],
  ...['"007"', '"12"', '"-5"', '" 8 "', '"19.90"', '"1999"', '"x/y z"', '"."', '["a","b"]', '{"mail":"x"}'],
  ...['"2020-05-01 12:30:45"', '"2020-02-30 00:00:00"', '"2020-05-01 24:00:00"', '"0000-01-01 00:00:00"'],
  ...[
    '"2020-05-01T12:30:45Z"',
    '"2020-05-01t12:30:45z"',
    '"2020-05-01T12:30:45+02:00"',
    '"2020-13-01 00:00:00"',
  ],
  ...['"2020-05-01 12:30:61"', '"2o20-05-01 12:30:45"', '"2020-05-01 12:30:45 "', '"2o20-05-01T12:30:45Z"'],
];
/** What no document may hold, and what is nested too deep for one. */
const BROKEN = [
  ...[
    '00',
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    '1e',
    '"\\x"',
    '"\\u12g4"',
    '"a\tb"',
    '"a\nb"',
    '"unended',
    '"\\',
    '\u00a01',
  ],
  ...[
    'nul',
    'tru',
    'falze',
    'undefined',
    'NaN',
    '[1,]',
    '{"a":1,}',
    '{"a":1,"a":2}',
    '{"b":{"a":1,"\\u0061":2}}',
    '',
  ],
  ...[`${'['.repeat(62)}${']'.repeat(62)}`, `${'[{"a":'.repeat(40)}1${'}]'.repeat(40)}`],
];
const values = fc.oneof(
  { weight: 60, arbitrary: fc.nat(2_000).map(String) },
  {
    weight: 60,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => JSON.stringify(text)),
  },
  { weight: 80, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
);
const keys = fc.constantFrom(
  'no',
  'first',
  'last',
  'mail',
  'created',
  'price',
  'data',
  '__proto__',
  'constructor',
  'n\\u006f',
  'x',
);
const space = fc.constantFrom('', '', '', '', ' ', '\n  ', '\t');
const member = fc
  .tuple(space, keys, space, space, values)
  .map(([a, key, b, c, value]) => `${a}"${key}"${b}:${c}${value}`);
const oddObject = fc.array(member, { maxLength: 6 }).map((members) => `{${members.join(',')}}`);
/** A row of the usual kind, with numbered ids that mostly ascend. */
const row = fc
  .tuple(values, values, values, values, values, fc.boolean())
  .map(([first, last, mail, created, price, isShort]) => (no: number) => {
    const rest = isShort ? '' : `,"created":${created},"data":{"mail":${mail},"z":[{"k":1},{"k":2}]}`;
    return `{"no":${no},"first":${first},"last":${last},"mail":${mail},"price":${price}${rest}}`;
  });
const rowsText = fc
  .array(
    fc.oneof(
      { weight: 60, arbitrary: row },
      { weight: 1, arbitrary: oddObject.map((text) => () => text) },
      { weight: 1, arbitrary: values.map((text) => () => text) },
    ),
    { maxLength: 8 },
  )
  .chain((list) =>
    fc
      .constantFrom(1, 1, 1, -1, 0)
      .map((step) => `[${list.map((one, index) => one(100 + index * step)).join(',')}]`),
  );
const document = fc
  .tuple(
    rowsText,
    values,
    values,
    fc.constantFrom('', '', '"error":"no",', '"echo":0,'),
    fc.constantFrom(false, false, false, true),
  )
  .map(([rows, total, estimate, more, isBare]) =>
    isBare ? rows : `{${more}"data":{"total":${total},"rows":${rows},"estimate":${estimate}},"page":1}`,
  );
/** Changes of bytes: one is replaced, taken out, put in, or everything behind it is cut off. */
const change = fc.tuple(
  fc.nat(10_000),
  fc.constantFrom('replace', 'remove', 'insert', 'cut'),
  fc.constantFrom(0x22, 0x2c, 0x5c, 0x7d, 0x5d, 0x00, 0x1f, 0x7f, 0x80, 0xc3, 0xff, 0x20, 0x30, 0x2d, 0x3a),
);

function changed(bytes: Buffer, [place, kind, byte]: [number, string, number]): Buffer {
  const at = place % (bytes.length + 1);
  const behind = kind === 'insert' ? at : at + 1;
  const between = kind === 'replace' || kind === 'insert' ? [byte] : [];
  return Buffer.concat([
    bytes.subarray(0, at),
    Buffer.from(between),
    kind === 'cut' ? Buffer.alloc(0) : bytes.subarray(behind),
  ]);
}

/** A media type, a status, and how the text is encoded: mostly as the media type says. */
const envelopes = fc.constantFrom<readonly [string, number, BufferEncoding]>(
  ...Array.from({ length: 6 }, () => ['application/json', 200, 'utf8'] as const),
  ['application/json; charset=utf-8', 200, 'utf8'],
  ['application/json; charset=ISO-8859-1', 200, 'latin1'],
  ['application/json; charset=utf-16le', 200, 'utf16le'],
  ['application/json', 200, 'latin1'],
  ['application/json', 500, 'utf8'],
  ['application/json; charset=none', 200, 'utf8'],
  ['text/html', 200, 'utf8'],
);
/** Replies of a document, about half of them changed somewhere. */
const repliesOf = (texts: fc.Arbitrary<string>) =>
  fc
    .tuple(texts, fc.boolean(), fc.option(change, { freq: 1 }), envelopes)
    .map(([text, isMarked, one, [contentType, status, encoding]]) => {
      const bytes = Buffer.from(`${isMarked ? '\ufeff' : ''}${text}`, encoding);
      return replyOf(one === null ? bytes : changed(bytes, one), {
        status,
        headers: { 'content-type': contentType },
      });
    });

/** Replies to a list, most of them with rows. */
export const replies = repliesOf(document);

/** Replies with a single record, most of them of the usual kind: alone, or below `data`. */
export const recordReplies = repliesOf(
  fc
    .tuple(
      fc.oneof(
        { weight: 20, arbitrary: row.map((one) => one(7)) },
        { weight: 1, arbitrary: oddObject },
        { weight: 1, arbitrary: values },
      ),
      fc.constantFrom('', '', '"error":"no",'),
      fc.boolean(),
    )
    .map(([record, more, isBelow]) => (isBelow ? `{${more}"data":${record}}` : record)),
);
