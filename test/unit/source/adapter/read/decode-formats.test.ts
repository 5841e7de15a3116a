import fc from 'fast-check';
import { compileDecoder } from '../../../../../src/source/adapter/read/decode.ts';
import { type DecodeSpec, sourceSchema } from '../../../../../src/config/schema/source.ts';
import { refusal } from '../../../../support/pipeline/parse-as.ts';
import { replyOf } from '../../../../support/pipeline/source-text.ts';
import { anyCharacter } from '../../../../support/any-character.ts';

function decode(body: string | Buffer, type: string, spec: Partial<DecodeSpec>): unknown {
  const reader = compileDecoder({ ...sourceSchema.shape.decode.parse(undefined), ...spec });
  return JSON.parse(JSON.stringify(reader(replyOf(body, { headers: { 'content-type': type } }))));
}
const codeOf = (...args: Parameters<typeof decode>) => refusal(() => decode(...args)).code;

describe('a format', () => {
  it.each<[DecodeSpec['format'], string, string, unknown]>([
    ['json', 'application/json', '{"a":1}', { a: 1 }],
    ['xml', 'application/xml', '<a>1</a>', { a: '1' }],
    ['xml', 'text/xml; charset=utf-8', '<a>1</a>', { a: '1' }],
    ['xml', 'application/soap+xml', '<a>1</a>', { a: '1' }],
    ['csv', 'text/csv', 'a\n1', [{ a: '1' }]],
    ['ndjson', 'application/x-ndjson', '{"a":1}\n', [{ a: 1 }]],
    ['ndjson', 'application/jsonl', '{"a":1}', [{ a: 1 }]],
  ])('%s is read under %s', (format, type, body, wanted) =>
    expect(decode(body, type, { format })).toEqual(wanted),
  );

  it.each<[DecodeSpec['format'], string]>([
    ['json', 'text/xml'],
    ['xml', 'application/json'],
    ['xml', 'text/html'],
    ['csv', 'text/plain'],
    ['ndjson', 'application/json'],
  ])('%s is not read under %s, unless the source file says so', (format, type) => {
    const body = { json: '1', xml: '<a/>', csv: 'a\n', ndjson: '1' }[format];
    expect(codeOf(body, type, { format })).toBe('upstream_invalid_response');
    expect(() => decode(body, type, { format, contentTypes: [type] })).not.toThrow();
  });
});

describe('lines of JSON', () => {
  const lines = (body: string) => decode(body, 'application/x-ndjson', { format: 'ndjson' });

  it('are a list, one value a line, whatever ends the lines', () => {
    const value = fc.oneof(fc.string({ unit: anyCharacter }), fc.integer(), fc.boolean(), fc.constant(null));
    const list = fc.array(fc.oneof(value, fc.dictionary(fc.string(), value, { noNullPrototype: true })));
    fc.assert(
      fc.property(list, fc.constantFrom('\n', '\r\n', '\n\n'), (values, end) => {
        expect(lines(values.map((one) => JSON.stringify(one) + end).join(''))).toEqual(values);
      }),
    );
  });

  it('are none where there is nothing', () => expect(lines('')).toEqual([]));

  it.each(['{"a":1}\n{"a":', '{"a":1}{"a":2}', '[1,\n2]', '{"a":1}\n<html>\n', 'canary'])(
    'that are broken are refused, and not quoted: %j',
    (body) => {
      const error = refusal(() => lines(body));
      expect(error.code).toBe('upstream_invalid_response');
      expect(`${error.detail} ${String(error.cause)}`).not.toContain('canary');
    },
  );
});

describe('a prefix against hijacking', () => {
  const guarded = (body: string) => decode(body, 'application/json', { stripPrefix: ")]}'" });

  it('is removed once if it is present', () => {
    expect(guarded(')]}\'\n{"a":1}')).toEqual({ a: 1 });
    expect(guarded('{"a":1}')).toEqual({ a: 1 });
    expect(refusal(() => guarded(")]}')]}'{}")).code).toBe('upstream_invalid_response');
  });
});

describe('an XML document in another character set', () => {
  const latin1 = (declaration: string) => Buffer.from(`${declaration}<a>Küche</a>`, 'latin1');

  it('is read as it declares, unless the response or the source file knows better', () => {
    const declared = latin1('<?xml version="1.0" encoding="ISO-8859-1"?>');
    expect(decode(declared, 'text/xml', { format: 'xml' })).toEqual({ a: 'Küche' });
    expect(codeOf(declared, 'text/xml; charset=utf-8', { format: 'xml' })).toBe('upstream_invalid_response');
    const wrong = latin1('<?xml version="1.0" encoding="UTF-8"?>');
    expect(decode(wrong, 'text/xml', { format: 'xml', charset: 'iso-8859-1' })).toEqual({ a: 'Küche' });
    expect(decode(wrong, 'text/xml; charset=iso-8859-1', { format: 'xml' })).toEqual({ a: 'Küche' });
  });

  it('is refused if nothing declares which', () => {
    for (const declaration of ['', '<?xml version="1.0"?>', '<?xml version="1.0" encoding="klingon"?>'])
      expect(codeOf(latin1(declaration), 'text/xml', { format: 'xml' })).toBe('upstream_invalid_response');
  });
});
