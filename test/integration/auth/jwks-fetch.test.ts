import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchJwks } from '../../../src/policy/authentication/jwks-fetch.ts';

describe('reading a key set over HTTP', () => {
  let server: Server;
  let answer: RequestListener;
  let requests: string[];

  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url} ${request.headers.accept}`);
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const fetchKeys = (signal = new AbortController().signal) =>
    fetchJwks(`http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`, signal);

  it('asks for JSON and gives what it parses to', async () => {
    answer = (_, response) => response.end('{"keys":[]}');
    expect(await fetchKeys()).toEqual({ keys: [] });
    expect(requests).toEqual(['GET /keys application/json']);
  });

  it('follows no redirect', async () => {
    answer = (_, response) => response.writeHead(302, { location: '/elsewhere' }).end();
    await expect(fetchKeys()).rejects.toThrow();
    expect(requests).toHaveLength(1);
  });

  it.each([201, 404, 500])('takes nothing from status %i', async (status) => {
    answer = (_, response) => response.writeHead(status).end('{"keys":[]}');
    await expect(fetchKeys()).rejects.toThrow(`status ${status}`);
  });

  it('takes no HTML', async () => {
    answer = (_, response) => response.end('<html></html>');
    await expect(fetchKeys()).rejects.toThrow();
  });

  it('stops reading an answer that never ends', async () => {
    answer = (_, response) => {
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    await expect(fetchKeys()).rejects.toThrow('larger than');
  });

  it('gives up with the signal while the answer trickles', async () => {
    const controller = new AbortController();
    answer = (_, response) => {
      response.write('{');
      controller.abort(new Error('time is up'));
    };
    await expect(fetchKeys(controller.signal)).rejects.toThrow('time is up');
  });

  it('fails where nobody listens', async () => {
    const { port } = server.address() as AddressInfo;
    const other = fetchJwks(`http://127.0.0.2:${port}/keys`, AbortSignal.timeout(5_000));
    await expect(other).rejects.toThrow();
  });
});
