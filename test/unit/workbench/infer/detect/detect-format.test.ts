import { InferError } from '../../../../../src/workbench/infer/notes/note.ts';
import {
  type BodyFormat,
  detectFormat,
  documentIn,
  withArrays,
} from '../../../../../src/workbench/infer/detect/detect-format.ts';
import type { UpstreamReply } from '../../../../../src/kernel/upstream-call.ts';

/** A reply with a body and, if it has one, a type. */
function replyOf(body: string | Buffer, type = '', status = 200): UpstreamReply {
  const headers: Readonly<Record<string, string>> = type === '' ? {} : { 'content-type': type };
  return { status, body: Buffer.from(body), header: (name: string) => headers[name] };
}

/** The format of a reply. @throws InferError if it has none */
function formatOf(reply: UpstreamReply): BodyFormat {
  const format = detectFormat(reply);
  if (format instanceof InferError) throw format;
  return format;
}

describe('the format of a reply', () => {
  it.each<[string, string, string, unknown, unknown]>([
    ['JSON of its usual type', '{"a":1}', 'application/json', {}, { a: 1 }],
    ['JSON behind a guard', ")]}',\n[1]", 'application/json', { stripPrefix: ")]}',\n" }, [1]],
    ['JSON behind a loop', 'for(;;);[1]', 'application/json', { stripPrefix: 'for(;;);' }, [1]],
    [
      'lines of JSON',
      '{"a":1}\n{"a":2}\n',
      'application/x-ndjson',
      { format: 'ndjson' },
      [{ a: 1 }, { a: 2 }],
    ],
    [
      'CSV with semicolons',
      'id;name\n1;Ada, B.\n',
      'text/csv',
      { format: 'csv', delimiter: ';' },
      [{ id: '1', name: 'Ada, B.' }],
    ],
    [
      'CSV with tabs',
      'id\tname\n1\tAda\n',
      'text/csv',
      { format: 'csv', delimiter: '\t' },
      [{ id: '1', name: 'Ada' }],
    ],
  ])('is %s', (_what, body, type, decode, document) => {
    const format = formatOf(replyOf(body, type));
    expect(format.decode).toEqual(decode);
    expect(JSON.parse(JSON.stringify(format.document))).toEqual(document);
    expect(format.notes).toEqual([]);
  });

  it('is XML whatever its type says, with a note on an unusual one', () => {
    const { decode, notes } = formatOf(replyOf('<a><b>1</b></a>', 'text/html'));
    expect(decode.format).toBe('xml');
    expect(decode.contentTypes?.[0]).toBe('text/html');
    expect(notes).toMatchObject([{ at: ['decode', 'contentTypes'], level: 'likely' }]);
  });

  it('reads later replies as it read the first', () => {
    const { read } = formatOf(replyOf('id;name\n1;Ada\n', 'text/csv'));
    expect(read(replyOf('id;name\n2;Bob\n', 'text/csv'))).toMatchObject([{ id: '2' }]);
    expect(read(replyOf('<html>', 'text/html'))).toBeUndefined();
  });

  it('reads one element of XML as a list where it is told to', () => {
    const format = withArrays(formatOf(replyOf('<a><b>1</b></a>', 'application/xml')), ['a.b']);
    expect(format.decode.arrays).toEqual(['a.b']);
    expect(JSON.stringify(format.read(replyOf('<a><b>1</b></a>', 'application/xml')))).toContain('["1"]');
  });
});

describe('the character set of a reply', () => {
  it('is UTF-8 without a word about it', () => {
    expect(formatOf(replyOf('{"a":"ü"}', 'application/json')).decode).toEqual({});
  });

  it('is the stated one, if the bytes are', () => {
    const body = Buffer.from('{"a":"ü"}', 'latin1');
    const { decode, document } = formatOf(replyOf(body, 'application/json; charset=iso-8859-1'));
    expect(decode.charset).toBeUndefined();
    expect(document).toMatchObject({ a: 'ü' });
  });

  it('is windows-1252 if the bytes are not UTF-8 and nothing is stated: the operator has to look', () => {
    const { decode, notes } = formatOf(replyOf(Buffer.from('{"a":"ü"}', 'latin1'), 'application/json'));
    expect(decode.charset).toBe('windows-1252');
    expect(notes).toMatchObject([{ at: ['decode', 'charset'], level: 'edit' }]);
  });

  it('is UTF-8 if the bytes are, although another one is stated', () => {
    const { decode, notes } = formatOf(replyOf('{"a":"ü"}', 'application/json; charset=us-ascii-x'));
    expect(decode.charset ?? 'utf-8').toBe('utf-8');
    expect(notes.every(({ level }) => level === 'likely')).toBe(true);
  });

  it('is that of two bytes for each character', () => {
    const { decode, document } = formatOf(replyOf(Buffer.from('{"a":"ü"}', 'utf16le'), 'application/json'));
    expect(decode.charset).toBe('utf-16le');
    expect(document).toMatchObject({ a: 'ü' });
  });
});

describe('a reply that is no data', () => {
  it.each([
    ['an empty body', '', 'has no body'],
    ['a web page', '<!DOCTYPE html><html><p>Sign in', 'is a web page'],
    ['a sentence', 'Please sign in.', 'neither JSON, XML, CSV nor lines of JSON'],
  ])('is refused with what to do: %s', (_what, body, message) => {
    const reply = replyOf(body, 'text/plain', 403);
    expect(() => formatOf(reply)).toThrow(InferError);
    expect(() => formatOf(reply)).toThrow(message);
    expect(() => formatOf(reply)).toThrow('HTTP 403');
    expect(documentIn(reply)).toBeUndefined();
  });
});
