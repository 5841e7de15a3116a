import fc from 'fast-check';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createAddressReader } from '../../../../src/source/client/transport/request-head.ts';
import { createTransport } from '../../../../src/source/client/transport/transport.ts';
import { makeCertificate } from '../../../support/redis/certificate.ts';
import { silent, startUpstream } from '../../../support/upstream/scripted-upstream.ts';
import { closeAll, openUpstream } from './open-upstream.ts';

describe('a connection', () => {
  it('whose TLS handshake does not end in time is upstream_unavailable, and no timeout', async () => {
    const mute = await startUpstream(silent);
    const net = { timeout: '60s', connectTimeout: '60ms' };
    const error = await openUpstream(`https://127.0.0.1:${mute.port}`, net).failure();
    expect([error.code, error.detail]).toEqual([
      'upstream_unavailable',
      expect.stringContaining('ETIMEDOUT'),
    ]);
    await closeAll(mute);
  });

  it('over TLS is checked by the name in the address and used again, whatever Host says', async () => {
    const certificate = await makeCertificate();
    const key = await readFile(certificate.key, 'utf8');
    const names: unknown[] = [];
    const server = createServer({ cert: certificate.ca, key }, (_request, response) => response.end('{}'));
    server.on('secureConnection', (socket: TLSSocket) => names.push(socket.servername));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const net = { bytesMax: 1_000, connectTimeout: 60_000, headers: {}, tls: { ca: certificate.ca } };
    const transport = createTransport(net);
    const { port } = server.address() as AddressInfo;
    const send = (host: string, headers: Readonly<Record<string, string>>) =>
      transport.send({
        ...{ method: 'GET', url: `https://${host}:${port}/x`, headers },
        ...{ body: undefined, signal: new AbortController().signal },
      } as const);
    for (const headers of [{}, { Host: 'other.test' }, {}])
      expect((await send('127.0.0.1', headers)).status).toBe(200);
    // RFC 6066, section 3: addresses are not sent as server names.
    expect(names).toEqual([false]);
    await expect(send('localhost', { Host: '127.0.0.1' })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    transport.close();
    server.close();
    server.closeAllConnections();
    await certificate.remove();
  });
});

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
