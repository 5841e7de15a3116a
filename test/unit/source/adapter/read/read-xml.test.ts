import fc from 'fast-check';
import { compileXmlReader } from '../../../../../src/source/adapter/read/read-xml.ts';
import { refusal } from '../../../../support/pipeline/parse-as.ts';

/** What a document reads as, as plain JSON. */
function read(xml: string, ...arrays: string[]): unknown {
  return JSON.parse(JSON.stringify(compileXmlReader(arrays)(xml)));
}
const refused = (xml: string) => refusal(() => compileXmlReader([])(xml));

describe('the rows of an XML document', () => {
  const rows = (...inner: string[]) => `<reply><rows>${inner.join('\n  ')}</rows></reply>`;

  it.each<[string, string, unknown]>([
    ['many', rows('<row>a</row>', '<row>b</row>'), ['a', 'b']],
    ['one', rows('<row>a</row>'), ['a']],
    ['one that is empty', rows('<row/>'), ['']],
  ])('are a list where there are %s and the source file says so', (_name, xml, wanted) => {
    expect(read(xml, 'reply.rows.row')).toEqual({ reply: { rows: { row: wanted } } });
  });

  it('are absent if there are none: an empty element is an empty text', () => {
    expect(read(rows(), 'reply.rows.row')).toEqual({ reply: { rows: '' } });
  });

  it('are no list where there is one and the source file does not say so', () => {
    expect(read(rows('<row>a</row>'))).toEqual({ reply: { rows: { row: 'a' } } });
    expect(read(rows('<row>a</row>', '<row>b</row>'))).toEqual({ reply: { rows: { row: ['a', 'b'] } } });
  });

  it('are a list at their own path only', () => {
    expect(read('<r><a><row>1</row></a><b><row>1</row></b></r>', 'r.a.row')).toEqual({
      r: { a: { row: ['1'] }, b: { row: '1' } },
    });
  });

  it('stay as many as they are, in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), (values) => {
        const xml = rows(...values.map((value) => `<row><n>${value}</n></row>`));
        const list = values.map((value) => ({ n: String(value) }));
        expect(read(xml, 'reply.rows.row')).toEqual({
          reply: { rows: list.length === 0 ? '' : { row: list } },
        });
      }),
    );
  });
});

describe('a value of an XML document', () => {
  it.each(['00712', '1.10', '1e3', 'true', 'null', '0x10', '-0', '9007199254740993', '+4930'])(
    '%s stays the text it is',
    (text) => expect(read(`<a>${text}</a>`)).toEqual({ a: text }),
  );

  it('is any text, written with entities, references or CDATA', () => {
    const valid = fc.string({ unit: 'grapheme' }).filter((text) => text === text.trim());
    const forms = [
      (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      (text: string) => Array.from(text, (c) => `&#${c.codePointAt(0)!};`).join(''),
      (text: string) => Array.from(text, (c) => `&#x${c.codePointAt(0)!.toString(16)};`).join(''),
      (text: string) => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`,
    ];
    fc.assert(
      fc.property(valid, fc.constantFrom(...forms), (text, write) => {
        expect(read(`<a>${write(text)}</a>`)).toEqual({ a: text });
      }),
      { examples: [['a<b>&amp;]]>"\'', forms[3]!]] },
    );
  });

  it('may be an attribute, or text beside elements', () => {
    expect(read('<a id="7" xml:lang="de"> x <b/> y </a>')).toEqual({
      a: { '@id': '7', '@lang': 'de', b: '', '#text': 'x  y' },
    });
    expect(read('<a id="7">x</a>')).toEqual({ a: { '@id': '7', '#text': 'x' } });
  });

  it('has its name without the namespace, whichever prefix the source chose today', () => {
    const soap = (p: string) =>
      `<?xml version="1.0"?><${p}:Envelope xmlns:${p}="urn:x" xmlns="urn:y"><${p}:Body><R ${p}:k="1">v</R></${p}:Body></${p}:Envelope>`;
    const wanted = { Envelope: { Body: { R: { '@k': '1', '#text': 'v' } } } };
    expect(read(soap('soap'))).toEqual(wanted);
    expect(read(soap('S'))).toEqual(wanted);
  });

  it('is data under any name', () => {
    const made = compileXmlReader([])('<__proto__><constructor>x</constructor></__proto__>');
    expect(Object.getPrototypeOf(made)).toBeNull();
    expect(JSON.stringify(made)).toBe('{"__proto__":{"constructor":"x"}}');
  });
});

describe('an XML document', () => {
  it.each<[string, string]>([
    ['empty', ''],
    ['cut short', '<a><b>canary'],
    ['HTML', '<html><br><p>canary</html>'],
    ['JSON', '{"a":"canary"}'],
    ['two documents', '<a>canary</a><b/>'],
    ['a name that does not close', '<a>canary</b>'],
    ['an attribute given twice', '<a k="canary" k="2"/>'],
    ['an entity nobody declared', '<a>&canary;</a>'],
    ['a control character', '<a>canary\u0001</a>'],
    ['a reference to none', '<a>canary&#0;</a>'],
    ['an entity bomb', '<!DOCTYPE a [<!ENTITY x "canary"><!ENTITY y "&x;&x;">]><a>&y;</a>'],
    ['a file of the machine', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/canary">]><a>&x;</a>'],
    ['a document type in small letters', '<!doctype html><html>canary</html>'],
    ['65 deep', `${'<a>'.repeat(65)}canary${'</a>'.repeat(65)}`],
    ['100,000 deep', `${'<a>'.repeat(100_000)}canary${'</a>'.repeat(100_000)}`],
  ])('that is %s is refused, and not quoted', (_name, xml) => {
    const error = refused(xml);
    expect(error.code).toBe('upstream_invalid_response');
    expect(`${error.detail} ${String(error.cause)} ${error.message}`).not.toContain('canary');
  });

  it('may be 64 deep', () =>
    expect(JSON.stringify(read(`${'<a>'.repeat(64)}x${'</a>'.repeat(64)}`))).toContain('"x"'));
});
