import { referenceContract } from '../../support/reference.ts';
import { UNOBSERVED } from '../../../src/source/adapter/map/reply-observer.ts';
import { loadSources } from '../../../src/config/load.ts';
import { compileSources } from '../../../src/source/compile-sources.ts';
import { replyOf } from '../../support/pipeline/source-text.ts';

const file = (decode: string) => `
source: 1
name: shop
net: { baseUrl: 'http://127.0.0.1:1' }
decode: ${decode}
outcomes:
  - { status: 200, at: reply.rc, equals: 44, is: unavailable }
  - { status: 200, at: reply.rc, equals: [007, 1.50, true], is: client_bug }
  - { status: 200, is: ok }
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items, body: { json: { equals: 5 } }, method: POST }
      window: { kind: none }
      items: reply.row
      dropWhen: [{ at: gone, equals: 1 }]
      map:
        id: id
        name: name
        description: { from: text, as: [{ nullIf: [0] }] }
        price: price
        category: { from: cat, as: [{ enum: { equals: E, nullIf: N } }] }
`;

function sourceOf(decode: string) {
  const problems: never[] = [];
  const loaded = loadSources(
    [{ file: 's.yaml', text: file(decode) }],
    { variables: {}, readFile: () => '' },
    problems,
  );
  const [compiled] = compileSources(loaded, referenceContract, problems);
  expect(problems).toEqual([]);
  return compiled!;
}

/** What a list becomes: its records, or the code of the failure. */
function read(decode: string, body: string, type: string): unknown {
  try {
    const reply = replyOf(body, { headers: { 'content-type': type } });
    return sourceOf(decode).adapter.list.read(reply, UNOBSERVED).records;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const xml = (rc: string) =>
  `<reply><rc>${rc}</rc><row><id>1</id><name>0</name><text>0</text><cat>equals</cat></row><row><id>2</id><gone>1</gone></row></reply>`;
const XML = '{ format: xml, arrays: [reply.row] }';

describe('literals of a source whose replies are text', () => {
  it.each([
    ['44', 'upstream_unavailable'],
    ['007', 'upstream_error'],
    ['1.50', 'upstream_error'],
    ['true', 'upstream_error'],
  ])('fit the text as it is written: %s', (rc, code) => {
    expect(read(XML, xml(rc), 'text/xml')).toBe(code);
  });

  it.each(['7', '1.5', '4', ''])('fit no other text: %j', (rc) => {
    expect(read(XML, xml(rc), 'text/xml')).toMatchObject([{ id: 'prod_1' }]);
  });

  it('are those of conditions on rows and of nullIf, too', () => {
    expect(read(XML, xml('0'), 'text/xml')).toMatchObject([
      { id: 'prod_1', name: '0', description: null, category: 'E' },
    ]);
  });

  it('leave what is sent, and the codes of an enum, as they are', () => {
    const { list } = sourceOf(XML).source.spec.resources.products!;
    expect(list.request.body).toEqual({ json: { equals: 5 } });
    expect(list.map['category']?.as).toEqual([{ enum: { equals: 'E', nullIf: 'N' } }]);
  });

  it('stay numbers where replies have numbers', () => {
    const json = (rc: string) => `{"reply":{"rc":${rc},"row":[]}}`;
    expect(read('{ format: json }', json('44'), 'application/json')).toBe('upstream_unavailable');
    expect(read('{ format: json }', json('"44"'), 'application/json')).toEqual([]);
  });
});
