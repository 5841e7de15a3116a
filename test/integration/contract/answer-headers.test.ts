import { createHash } from 'node:crypto';
import { parseList } from 'structured-headers';
import { systemClock } from '../../../src/kernel/clock.ts';
import { KEY, USERS_KEY, startStack } from '../../support/gateway/stack.ts';
import { decision } from './decisions.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

/** The clock stands still, but for what a test lets go by. */
const startedAt = Date.now();
let aheadMs = 0;
const stack = startForAll(() =>
  startStack({
    clock: { ...systemClock, now: () => startedAt + aheadMs },
    configure({ limits }) {
      limits.tiers['roomy'] = {
        windows: [
          { points: 500, seconds: 1 },
          { points: 9_000, seconds: 60 },
        ],
        onStoreFailure: 'open',
        dryRun: false,
      };
    },
  }),
);

const paths = [
  '/v1/users',
  '/v1/users/user_3',
  '/v1/products',
  '/v1/users?sort=name',
  '/v1/products?min_price=1',
];

describe(decision('Caching headers'), () => {
  it.each(paths)('%s has a strong ETag of its body, and answers 304 to who has it', async (path) => {
    const first = await stack.get(path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toBe(
      `"${createHash('sha256')
        .update(await first.text())
        .digest('base64url')
        .slice(0, 27)}"`,
    );
    const again = await stack.get(path, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    expect(again.headers.get('etag')).toBe(etag);
    expect(again.headers.get('content-type')).toBeNull();
  });

  it.each([
    ['*', 304],
    ['"other", ETAG', 304],
    ['W/ETAG', 304],
    ['"other" , W/"another",ETAG', 304],
    ['"other"', 200],
    ['', 200],
    ['nonsense', 200],
    ['"unfinished', 200],
  ])('If-None-Match: %s is answered %d', async (value, status) => {
    const etag = (await stack.get('/v1/users')).headers.get('etag') ?? '';
    const headers = { 'if-none-match': value.replace('ETAG', etag) };
    expect((await stack.get('/v1/users', { headers })).status).toBe(status);
  });

  it.each(paths)('%s may be kept by its caller for as long as it is fresh', async (path) => {
    const { headers } = await stack.get(path);
    // A snapshot lives for 30 s, and is looked at again in the last third of its life.
    const scanned = /sort|price/.test(path);
    expect(headers.get('cache-control')).toBe(`private, max-age=${scanned ? 20 : 10}`);
    expect(headers.get('vary')).toBe('Authorization, X-API-Key, Accept-Encoding');
  });

  it('says in Cache-Status and Age where the answer came from', async () => {
    const first = await stack.get('/v1/users?limit=17');
    expect(first.headers.get('cache-status')).toBe('portico; fwd=miss');
    expect(first.headers.get('age')).toBe('0');
    aheadMs += 7_000;
    const second = await stack.get('/v1/users?limit=17', { headers: { 'x-api-key': USERS_KEY } });
    expect(second.headers.get('cache-status')).toBe('portico; hit');
    expect(second.headers.get('age')).toBe('7');
    expect(await second.text()).toBe(await first.text());
    aheadMs += 4_000;
    const third = await stack.get('/v1/users?limit=17');
    expect(third.headers.get('cache-status')).toBe('portico; fwd=miss');
    expect(third.headers.get('age')).toBe('0');
  });

  it('has the age of the rows where the answer comes from an earlier scan', async () => {
    const first = await stack.get('/v1/users?sort=email&limit=3');
    aheadMs += 12_000;
    const later = await stack.get('/v1/users?sort=-email&limit=3');
    expect(Number(later.headers.get('age'))).toBe(Number(first.headers.get('age')) + 12);
  });

  it.each(['/v1/users?page=0', '/v1/users/user_1', '/v1/nothing'])(
    '%s is an error: no-store',
    async (path) => {
      const { headers } = await stack.get(path);
      expect(headers.get('cache-control')).toBe('no-store');
      expect([headers.get('etag'), headers.get('age'), headers.get('cache-status')]).toEqual([
        null,
        null,
        null,
      ]);
    },
  );

  it('never lets a cached answer past a missing permission or credential', async () => {
    await stack.get('/v1/products');
    expect((await stack.get('/v1/products', { headers: { 'x-api-key': USERS_KEY } })).status).toBe(403);
    expect((await stack.ask('/v1/products')).status).toBe(401);
    expect((await stack.ask('/v1/products', { headers: { 'if-none-match': '*' } })).status).toBe(401);
  });
});

describe(decision('Rate limit headers'), () => {
  const list = (header: string | null) =>
    parseList(header ?? '').map(([name, parameters]) => [
      name,
      Object.fromEntries(parameters as Map<string, unknown>),
    ]);

  it.each([...paths, '/legacy/orders', '/v1/users?page=0', '/v1/users/user_1'])(
    '%s tells every window of the tier as structured fields',
    async (path) => {
      const { headers } = await stack.get(path);
      expect(list(headers.get('ratelimit-policy'))).toEqual([
        ['1s', { q: 500, w: 1 }],
        ['60s', { q: 9_000, w: 60 }],
      ]);
      const state = list(headers.get('ratelimit')) as [string, { r: number; t: number }][];
      expect(state.map(([name]) => name)).toEqual(['1s', '60s']);
      for (const [, { r, t }] of state) {
        expect(r).toBeGreaterThanOrEqual(0);
        expect([r, t].every(Number.isInteger)).toBe(true);
      }
      expect(state[0]?.[1].t).toBe(1);
      expect(state[1]?.[1].t).toBeLessThanOrEqual(60);
    },
  );

  it('count down, one by one', async () => {
    const left = async () => {
      const { headers } = await stack.get('/v1/users', { headers: { authorization: `Bearer ${KEY}` } });
      return (list(headers.get('ratelimit'))[1]?.[1] as { r: number }).r;
    };
    const first = await left();
    expect([await left(), await left()]).toEqual([first - 1, first - 2]);
  });

  it.each(['/v1/nothing', '/v1/openapi.json'])(
    '%s passed no limiter, and says nothing of one',
    async (path) => {
      const { headers } = await stack.get(path);
      expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
    },
  );
});
