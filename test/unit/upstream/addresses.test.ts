import fc from 'fast-check';
import { createAddressReader } from '../../../src/upstream/transport/address.ts';

/** An address as the parser of URLs reads it. */
function parsed(text: string) {
  const { protocol, hostname, port, host, pathname, search } = new URL(text);
  const isTls = protocol === 'https:';
  const origin = {
    isTls,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isTls ? 443 : 80)),
  };
  return { origin: { ...origin, host }, path: pathname + search };
}

const hosts = [
  'a.example',
  'A.Example',
  'a.example:80',
  'a.example:8080',
  '[::1]:81',
  '0x7f.1',
  'user@a.example',
];
const pieces = [
  '/',
  '/.',
  '/..',
  '/...',
  '%2e',
  '%2E',
  '%20',
  '%zz',
  'users',
  '7',
  '?',
  '&',
  '=',
  ';',
  ':',
  '@',
  '~',
  '-',
];
const odd = ['\\', '#', ' ', '"', "'", '<', '^', '`', '{', '|', '[', 'ü', '\u{1F600}', '\t', '\n'];

describe('the address of a request', () => {
  it('is read as the parser of URLs reads it, plain or not', () => {
    const read = createAddressReader();
    const address = fc
      .tuple(
        fc.constantFrom('http', 'https'),
        fc.constantFrom(...hosts),
        fc.constantFrom('', '/', '?'),
        fc.array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...pieces) }, fc.constantFrom(...odd))),
      )
      .map(([scheme, host, first, rest]) => `${scheme}://${host}${first}${rest.join('')}`)
      .filter((text) => URL.canParse(text));
    fc.assert(
      fc.property(address, (text) => expect(read(text)).toEqual(parsed(text))),
      { numRuns: 2_000 },
    );
  });

  it('is refused where it is none', () => {
    for (const text of ['', '/users', 'http://', 'http://a.example:99999/x', 'http://256.1.1.1/x'])
      expect(() => createAddressReader()(text)).toThrow('Invalid URL');
  });
});
