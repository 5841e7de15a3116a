import { referenceContract } from '../../../support/reference.ts';
import { parse } from 'yaml';
import { parseGateway } from '../../../support/gateway/parse-gateway.ts';
import { chooseSources, compileSourceText } from '../../../../src/source/compile-sources.ts';
import { configDigest } from '../../../../src/gateway/reload/snapshot.ts';

const gateway = parseGateway(parse('{ portico: 1, resources: { products: { source: shop } } }'));

const file = ({ format = 'xml', wrong = '1.50', key = 'one', price = 'price' }) => `
source: 1
name: shop
net: { baseUrl: 'http://127.0.0.1:1' }
auth: { kind: header, name: X-Key, value: ${key} }
decode: { format: ${format} }
outcomes:
  - { status: 200, at: reply.rc, equals: ${wrong}, is: client_bug }
  - { status: 200, is: ok }
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items }
      window: { kind: none }
      items: reply.row
      map: { id: id, name: name, description: text, price: ${price}, category: cat }
`;

function digestOf(changed: Parameters<typeof file>[0] = {}, coercions = ''): string {
  const sources = compileSourceText(
    { file: 'shop.yaml', text: file(changed) },
    { variables: {}, readFile: () => '' },
    referenceContract,
    { coercions: { file: 'coercions.js', text: coercions } },
  );
  return configDigest({ gateway, compiled: chooseSources(gateway, sources) });
}

describe('the digest of a configuration', () => {
  it('is another one where a number is written differently that replies are compared with as text', () => {
    expect(digestOf({ wrong: '1.5' })).not.toBe(digestOf({ wrong: '1.50' }));
    expect(digestOf({ wrong: '7' })).not.toBe(digestOf({ wrong: '007' }));
  });

  it('is the same where a number is written differently and compared as a number', () => {
    const format = 'json';
    expect(digestOf({ format, wrong: '1.5' })).toBe(digestOf({ format, wrong: '1.50' }));
  });

  it('is another one where a secret of a source is', () => {
    expect(digestOf({ key: 'two' })).not.toBe(digestOf());
  });

  it('is another one where the module is whose functions a source calls, and the same for one that calls none', () => {
    const price = '{ from: price, as: [{ call: price }] }';
    const [one, other] = ['export const price = String;', 'export const price = () => 5;'];
    expect(digestOf({ price }, one)).toBe(digestOf({ price }, one));
    expect(digestOf({ price }, one)).not.toBe(digestOf({ price }, other));
    expect(digestOf({}, one)).toBe(digestOf({}, other));
  });

  it('is the same for replicas on one machine, which differ in where they listen and keep their files', () => {
    const replica = (port: number, workers: number) =>
      configDigest({
        gateway: parseGateway({
          ...{ portico: 1, resources: {}, workers, state: { dir: `/var/lib/portico-${port}` } },
          ...{ listen: { port }, admin: { port: port + 1, host: `127.0.0.${port % 9}` } },
        }),
        compiled: [],
      });
    expect(replica(8081, 1)).toBe(replica(8083, 2));
  });
});
