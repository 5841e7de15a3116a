import { sendTraffic } from '../../../../src/cli/demo/traffic.ts';
import { serving, startUpstream } from '../../../support/upstream/scripted-upstream.ts';

describe('sample traffic', () => {
  it('asks for everything with good and bad keys, and leaves the sample services well again', async () => {
    const asked: string[] = [];
    const gateway = await startUpstream(
      serving(({ path, headers }) => {
        asked.push(`${path} ${String(headers['x-api-key'])}`);
        return { body: {} };
      }),
    );
    const troubles: string[] = [];
    await sendTraffic({
      base: gateway.origin,
      key: 'full',
      limitedKey: 'limited',
      samples: {
        disturb: (name, { delayMs, failEvery }) => void troubles.push(`${name} ${delayMs} ${failEvery}`),
      },
      signal: new AbortController().signal,
      seconds: 1,
      requestsPerSecond: 200,
    });
    for (const wanted of [
      '/v1/users full',
      '/v1/products full',
      '/legacy/orders full',
      '/v1/products limited',
    ])
      expect(asked).toContain(wanted);
    expect(asked.some((one) => one.endsWith('a-key-of-nobody'))).toBe(true);
    expect(troubles).toContain('catalog 150 3');
    expect(troubles.slice(-2).every((one) => one.endsWith(' 0 0'))).toBe(true);
    await gateway.close();
  });

  it('ends at once where the demo ends', async () => {
    const stop = AbortSignal.abort();
    const disturbed: string[] = [];
    await sendTraffic({
      ...{ base: 'http://127.0.0.1:9', key: 'k', limitedKey: 'k', signal: stop },
      samples: { disturb: (name) => void disturbed.push(name) },
    });
    expect(new Set(disturbed)).toEqual(new Set(['catalog', 'users']));
  });
});
