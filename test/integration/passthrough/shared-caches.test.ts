import { answering } from '../../support/upstream/scripted-upstream.ts';
import { usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';

const telling = (...lines: string[]) => answering('HTTP/1.1 200 OK', ...lines, 'Content-Length: 2', '', 'ok');

const FOR_SHARED_CACHES = [
  ...[
    'CDN-Cache-Control',
    'Cloudflare-CDN-Cache-Control',
    'Vercel-CDN-Cache-Control',
    'Netlify-CDN-Cache-Control',
  ],
  ...['Akamai-Cache-Control', 'Surrogate-Control', 'X-Surrogate-Control', 'Edge-Control', 'X-Cache-TTL'],
];

describe('a pass-through route that needs a permission', () => {
  const route = usePassthrough();
  const answerTo = () => route.ask(request('GET', '/legacy/orders'));

  it.each([
    ['public, max-age=600', 'private, max-age=600'],
    ['max-age=600', 'private, max-age=600'],
    ['s-maxage=600, max-age=60', 'private, max-age=60'],
    ['PUBLIC', 'private'],
    ['private="Set-Cookie", max-age=60', 'private, max-age=60'],
    ['private, no-cache="a, public"', 'private, no-cache="a, public"'],
    ['no-store', 'private, no-store'],
    ['S-MaxAge = 600', 'private'],
    ['x="unended, public', 'private, no-store'],
    ['', 'private'],
  ])('keeps an answer with Cache-Control: %s from caches that callers share', async (told, returned) => {
    await route.start({}, { script: telling(`Cache-Control: ${told}`) });

    expect((await answerTo()).headers['cache-control']).toBe(returned);
  });

  it('lets nobody keep an answer whose Cache-Control is too long to be read', async () => {
    await route.start({}, { script: telling(`Cache-Control: max-age=60, x=${'y'.repeat(2_000)}`) });

    expect((await answerTo()).headers['cache-control']).toBe('private, no-store');
  });

  it('reads all lines of a repeated Cache-Control as one', async () => {
    await route.start({}, { script: telling('Cache-Control: max-age=60', 'cache-control: public') });

    expect((await answerTo()).headers['cache-control']).toBe('private, max-age=60');
  });

  it('returns no header that speaks to shared caches alone', async () => {
    await route.start({}, { script: telling(...FOR_SHARED_CACHES.map((name) => `${name}: max-age=600`)) });

    const { headers } = await answerTo();
    expect(Object.values(headers)).not.toContain('max-age=600');
    expect(headers['cache-control']).toBe('private');
  });

  it('says private of an answer that only has Expires', async () => {
    await route.start({}, { script: telling('Expires: Thu, 01 Jan 2099 00:00:00 GMT') });

    expect((await answerTo()).headers['cache-control']).toBe('private');
  });

  it.each([{ permission: null }, { sharedCaching: true }])(
    'returns what the upstream says where the route has %j',
    async (changes) => {
      const lines = FOR_SHARED_CACHES.map((name) => `${name}: max-age=600`);
      await route.start(changes, { script: telling('Cache-Control: public, max-age=60', ...lines) });

      const { headers } = await answerTo();
      expect(headers['cache-control']).toBe('public, max-age=60');
      expect(Object.values(headers).filter((value) => value === 'max-age=600')).toHaveLength(
        FOR_SHARED_CACHES.length,
      );
    },
  );
});
