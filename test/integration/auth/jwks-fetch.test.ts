import { type Answer, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { createJwksClient } from '../../../src/pipeline/stages/authentication/jwks-fetch.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

describe('reading a key set over HTTP', () => {
  const client = createJwksClient(undefined);
  const issuer = startForEach(startUpstream);
  afterAll(() => client.close());

  const answer = (reply: Answer) => issuer.become(serving(() => reply));
  const fetchKeys = (signal = new AbortController().signal) =>
    client.fetchJwks(`${issuer.origin}/keys`, signal);

  it('asks for JSON and returns the parsed key set', async () => {
    answer({ body: { keys: [] } });
    expect(await fetchKeys()).toEqual({ keys: [] });
    expect(issuer.requests).toMatchObject([
      { method: 'GET', target: '/keys', headers: { accept: 'application/json' } },
    ]);
  });

  it('follows no redirect', async () => {
    answer({ status: 302, headers: { Location: '/elsewhere' } });
    await expect(fetchKeys()).rejects.toThrow();
    expect(issuer.requests).toHaveLength(1);
  });

  it.each([201, 404, 500])('rejects an answer of status %i', async (status) => {
    answer({ status, body: { keys: [] } });
    await expect(fetchKeys()).rejects.toThrow(`status ${status}`);
  });

  it('rejects an answer in HTML', async () => {
    answer({ headers: { 'Content-Type': 'text/html' }, body: '<html></html>' });
    await expect(fetchKeys()).rejects.toThrow();
  });

  it('stops reading an answer beyond the size limit', async () => {
    answer((response) => {
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    await expect(fetchKeys()).rejects.toThrow('larger than');
  });

  it('rejects when the signal aborts while the answer trickles', async () => {
    const controller = new AbortController();
    answer((response) => {
      response.write('{');
      controller.abort(new Error('time is up'));
    });
    await expect(fetchKeys(controller.signal)).rejects.toThrow('time is up');
  });

  it('rejects when the connection is refused', async () => {
    const other = client.fetchJwks(`http://127.0.0.2:${issuer.port}/keys`, AbortSignal.timeout(5_000));
    await expect(other).rejects.toThrow();
  });
});
