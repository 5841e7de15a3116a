import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import {
  anyPorts,
  sampleCredentials,
  samplePorts,
  serveSamples,
  startSamples,
} from '../../../../src/cli/demo/serve.ts';
import { ask } from './ask.ts';

describe('startSamples', () => {
  it('starts all services with the sample credentials', async () => {
    const { urls, close } = await startSamples({ ports: anyPorts });
    const login = btoa(`${sampleCredentials.users.user}:${sampleCredentials.users.password}`);
    const answers = await Promise.all([
      ask(`${urls.users}/crm/v3/contacts.do`, { headers: { authorization: `Basic ${login}` } }),
      ask(`${urls.catalog}/catalogue/items`, {
        headers: { 'X-Catalogue-Key': sampleCredentials.catalog.key },
      }),
      ask(`${urls.orders}/legacy/orders`, { headers: { 'X-Orders-Token': sampleCredentials.orders.token } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[0].bytes.toString()).toContain('"rc":0');
    await close();
    await expect(ask(`${urls.users}/`)).rejects.toThrow('fetch failed');
  });

  it('starts one service alone, with credentials of its own', async () => {
    const credentials = { ...sampleCredentials, catalog: { key: 'other' } };
    const { urls, close } = await startSamples({ which: 'catalog', ports: anyPorts, credentials });
    expect(Object.keys(urls)).toEqual(['catalog']);
    const answer = await ask(`${urls.catalog}/catalogue/items`, { headers: { 'X-Catalogue-Key': 'other' } });
    expect(answer.status).toBe(200);
    await close();
  });

  it('gives the same data for the same seed', async () => {
    const bodies = [];
    for (const seed of [4, 4, 5]) {
      const { urls, close } = await startSamples({ which: 'catalog', ports: anyPorts, seed });
      const headers = { 'X-Catalogue-Key': sampleCredentials.catalog.key };
      bodies.push((await ask(`${urls.catalog}/catalogue/items`, { headers })).bytes.toString('latin1'));
      await close();
    }
    expect(bodies[0]).toBe(bodies[1]);
    expect(bodies[0]).not.toBe(bodies[2]);
  });

  it('leaves nothing running when a port is taken', async () => {
    const [taken, free] = [createServer(), createServer()];
    for (const server of [taken, free]) await once(server.listen(0, '127.0.0.1'), 'listening');
    const port = (taken.address() as AddressInfo).port;
    const released = (free.address() as AddressInfo).port;
    await new Promise((resolve) => free.close(resolve));
    const ports = { ...anyPorts, users: released, catalog: port };
    await expect(startSamples({ ports })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(ask(`http://127.0.0.1:${released}/`)).rejects.toThrow('fetch failed');
    await new Promise((resolve) => taken.close(resolve));
  });

  it('has ports of its own to fall back on', () => {
    expect(samplePorts).toEqual({ users: 7101, catalog: 7102, orders: 7103, people: 7104 });
  });
});

describe('serveSamples', () => {
  it('tells each address and resolves once the services are closed after the signal', async () => {
    const stop = new AbortController();
    const lines: string[] = [];
    const printed = Promise.withResolvers<undefined>();
    const served = serveSamples({
      ports: anyPorts,
      signal: stop.signal,
      log(line) {
        if (lines.push(line) === 4) printed.resolve(undefined);
      },
    });
    await printed.promise;
    expect(lines.map((line) => line.replace(/\d+$/, 'N'))).toEqual([
      'sample users service on http://127.0.0.1:N',
      'sample catalog service on http://127.0.0.1:N',
      'sample orders service on http://127.0.0.1:N',
      'sample people service on http://127.0.0.1:N',
    ]);
    stop.abort();
    await served;
    const url = lines[0]?.split(' ').at(-1) ?? '';
    await expect(ask(url)).rejects.toThrow('fetch failed');
  });

  it('resolves at once when the signal has aborted before', async () => {
    await serveSamples({
      which: 'orders',
      ports: anyPorts,
      signal: AbortSignal.abort(),
      log: () => undefined,
    });
  });
});
