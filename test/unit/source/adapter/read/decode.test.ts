import fc from 'fast-check';
import { compileDecoder } from '../../../../../src/source/adapter/read/decode.ts';
import { type DecodeSpec, sourceSchema } from '../../../../../src/config/schema/source.ts';
import type { UpstreamReply } from '../../../../../src/kernel/upstream-call.ts';
import { refusal } from '../../../../support/pipeline/parse-as.ts';
import { replyOf } from '../../../../support/pipeline/source-text.ts';
import { finishes } from '../../../../support/time/finishes.ts';

const json: Partial<DecodeSpec> = { contentTypes: ['application/json'] };

/** Reads one body, with the defaults of a source file filled in. */
function decodeBody(reply: UpstreamReply, spec: Partial<DecodeSpec>) {
  return compileDecoder({ ...sourceSchema.shape.decode.parse(undefined), ...spec })(reply);
}
const typed = (body: Buffer | string, type: string) => replyOf(body, { headers: { 'content-type': type } });
const bytes = (...list: number[]) => Buffer.from(list);

describe('a body', () => {
  it.each<[string, Buffer, unknown]>([
    ['application/json', Buffer.from('"Küche"'), 'Küche'],
    ['application/json; charset=utf-8', Buffer.from('"Küche"'), 'Küche'],
    ['application/json;charset="UTF-8"', Buffer.from('"Küche"'), 'Küche'],
    ['Application/JSON ; Charset=ISO-8859-1', Buffer.from('"Küche"', 'latin1'), 'Küche'],
    ['application/json; x=y; charset=windows-1252', bytes(0x22, 0x80, 0x22), '€'],
    ['application/json; charset=utf-16le', Buffer.from('"ü"', 'utf16le'), 'ü'],
    ['application/json', Buffer.concat([bytes(0xef, 0xbb, 0xbf), Buffer.from('"ü"')]), 'ü'],
  ])('of type %s is read as it was written', (type, body, text) => {
    expect(decodeBody(typed(body, type), json)).toBe(text);
  });

  it('is read with the character set of the source file, whatever the response says', () => {
    const spec = { ...json, charset: 'iso-8859-1' };
    expect(decodeBody(typed(Buffer.from('"ü"', 'latin1'), 'application/json; charset=utf-8'), spec)).toBe(
      'ü',
    );
  });

  it.each<[string, Buffer, string]>([
    ['latin1 that says nothing', Buffer.from('"Küche"', 'latin1'), 'application/json'],
    ['latin1 that says utf-8', Buffer.from('"ü"', 'latin1'), 'application/json; charset=utf-8'],
    ['half a character', bytes(0x22, 0xc3, 0x22), 'application/json'],
    ['an overlong slash', bytes(0x22, 0xc0, 0xaf, 0x22), 'application/json'],
    ['a surrogate in UTF-8', bytes(0x22, 0xed, 0xa0, 0x80, 0x22), 'application/json'],
    ['an odd number of UTF-16 bytes', bytes(0x22, 0x00, 0x22), 'application/json; charset=utf-16le'],
    ['an unknown character set', Buffer.from('"a"'), 'application/json; charset=klingon'],
    ['HTML', Buffer.from('<html>'), 'text/html'],
    ['HTML that says it is JSON', Buffer.from('<html>'), 'application/json'],
    ['JSON that says it is text', Buffer.from('{}'), 'text/plain'],
    ['problem+json', Buffer.from('{}'), 'application/problem+json'],
    ['no type at all', Buffer.from('{}'), ''],
    ['nothing', Buffer.alloc(0), 'application/json'],
    ['half a document', Buffer.from('{"a":1'), 'application/json'],
    ['NaN', Buffer.from('{"a":NaN}'), 'application/json'],
    ['two documents', Buffer.from('{}{}'), 'application/json'],
    ['a prefix against hijacking', Buffer.from(")]}'\n{}"), 'application/json'],
  ])('that is %s is refused', (_name, body, type) => {
    expect(refusal(() => decodeBody(typed(body, type), json)).code).toBe('upstream_invalid_response');
  });

  it('never holds a replacement character that the source did not send', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (inner) => {
        const body = Buffer.concat([Buffer.from('"'), inner, Buffer.from('"')]);
        let text: unknown;
        try {
          text = decodeBody(typed(body, 'application/json'), json);
        } catch {
          return;
        }
        expect(Buffer.from(JSON.stringify(text)).includes(Buffer.from('\ufffd'))).toBe(
          body.includes(Buffer.from('\ufffd')) || body.includes('\\ufffd') || body.includes('\\uFFFD'),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('is not quoted in the error', () => {
    const error = refusal(() => decodeBody(typed('{"password":"canary" canary', 'application/json'), json));
    expect(`${error.detail} ${String(error.cause)}`).not.toContain('canary');
    const headers = [
      'text/canary',
      'canary',
      `text/${'canary'.repeat(5_000)}`,
      'application/json; charset=canary',
    ];
    for (const header of headers)
      expect(refusal(() => decodeBody(typed('{}', header), json)).detail).not.toContain('canary');
  });
});

describe('a Content-Type', () => {
  it.each([
    [undefined, ''],
    ['application/json', 'application/json'],
    ['TEXT/HTML;CHARSET=UTF-8', 'text/html'],
    ['application/csv; boundary=x; charset="latin1"', 'application/csv'],
    ['text/plain; charset=', 'text/plain'],
    [';;;', ''],
  ])('%p is the media type %p', (header, mediaType) => {
    const reply = { ...replyOf('1'), header: () => header };
    expect(decodeBody(reply, { contentTypes: [mediaType] })).toBe(1);
    const { detail } = refusal(() =>
      decodeBody(reply, json.contentTypes![0] === mediaType ? { contentTypes: ['x/y'] } : json),
    );
    expect(detail).toContain(`content type ${JSON.stringify(mediaType)} `);
  });

  it.each([
    ['a/b', 'utf-8'],
    ['a/b;CHARSET=UTF-8', 'utf-8'],
    ['a/b; boundary=x; charset="latin1"', 'latin1'],
    ['a/b; charset=', 'utf-8'],
    ['a/b; charset=windows-1252; boundary=x', 'latin1'],
  ] as const)('%p says that the body is written in %p', (header, charset) => {
    const body = Buffer.from('"ü"', charset);
    expect(decodeBody(typed(body, header), { contentTypes: ['a/b'] })).toBe('ü');
  });

  it('is read in linear time', () => {
    for (const header of [`a/b;${' charset='.repeat(100_000)}`, `a/b; charset=${'x'.repeat(1_000_000)}`]) {
      const read = () => decodeBody(typed('1', header), { contentTypes: ['a/b'] });
      expect(refusal(() => finishes(read)).detail!.length).toBeLessThan(200);
    }
  });
});
