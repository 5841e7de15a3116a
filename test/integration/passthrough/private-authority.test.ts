import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createJwksClient } from '../../../src/pipeline/stages/authentication/jwks-fetch.ts';
import { usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { makeCertificate } from '../../support/redis/certificate.ts';
import { request } from '../../support/client/raw-client.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

describe('a service behind a private authority', () => {
  const route = usePassthrough();
  const certificate = startForAll(makeCertificate);
  const service = startForAll(async () => {
    const key = await readFile(certificate.key, 'utf8');
    const server = createServer({ cert: certificate.ca, key }, (_req, res) => res.end('{"keys":[]}'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, close: () => server.close().closeAllConnections() };
  });

  it('is reached by a pass-through route that names the authority, and by no other', async () => {
    for (const [tls, status] of [
      [{ ca: certificate.ca }, 200],
      [undefined, 502],
    ] as const) {
      await route.start({ upstream: service.url, tls });
      expect((await route.ask(request('GET', '/legacy/orders'))).status).toBe(status);
    }
  });

  it('gives its key set to a gateway that names the authority, and to no other', async () => {
    const signal = new AbortController().signal;
    const [named, unnamed] = [createJwksClient(certificate.ca), createJwksClient(undefined)];
    expect(await named.fetchJwks(`${service.url}/keys`, signal)).toEqual({ keys: [] });
    await expect(unnamed.fetchJwks(`${service.url}/keys`, signal)).rejects.toThrow(
      /cannot be fetched: DEPTH_ZERO/,
    );
    named.close();
    unnamed.close();
  });
});
