import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { systemClock } from '../../../src/kernel/clock.ts';
import { generateUsers } from '../../../src/cli/demo/data/generate-users.ts';
import { askRaw, type RawAnswer, request } from '../../support/client/raw-client.ts';
import { KEY, startStack } from '../../support/gateway/stack.ts';
import { decision } from './decisions.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';

const BOTH = 'Accept-Encoding: gzip, deflate, br';
const users = generateUsers({ seed: 5, count: 40 });

let aheadMs = 0;
const stack = startForAll(() =>
  startStack({
    users,
    clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
  }),
);

const ask = (path: string, headers: readonly string[] = [], method = 'GET', { port } = stack) =>
  askRaw(port, request(method, path, [`X-API-Key: ${KEY}`, ...headers]));

/** Asks until the answer is in a coding. */
async function askCoded(path: string, headers: readonly string[] = [BOTH]): Promise<RawAnswer> {
  for (;;) {
    const answer = await ask(path, headers);
    if (answer.headers['content-encoding'] !== undefined) return answer;
  }
}

/** Changes what the source says of its first user. */
function rename(fname: string): void {
  Object.assign(users[0]?.legacy ?? {}, { fname });
}

describe(decision('Caching headers'), () => {
  it('the first answers are uncompressed, later ones in the coding that the caller prefers', async () => {
    const made = await ask('/v1/users', [BOTH]);
    const kept = await ask('/v1/users', [BOTH]);
    for (const { headers } of [made, kept]) expect(headers['content-encoding']).toBeUndefined();
    expect([made.headers['cache-status'], kept.headers['cache-status']]).toEqual([
      'portico; fwd=miss',
      'portico; hit',
    ]);
    const codings = [
      ['br', BOTH, brotliDecompressSync],
      ['gzip', 'Accept-Encoding: gzip', gunzipSync],
      ['gzip', 'Accept-Encoding: br;q=0.4, *;q=0.5', gunzipSync],
    ] as const;
    for (const [coding, accept, decode] of codings) {
      const coded = await askCoded('/v1/users', [accept]);
      expect(coded.headers['content-encoding']).toBe(coding);
      expect(decode(coded.body).equals(made.body)).toBe(true);
      expect(coded.headers['content-length']).toBe(String(coded.body.length));
      expect(coded.body.length).toBeLessThan(made.body.length / 2);
      expect(coded.headers.etag).toBe(`${made.headers.etag?.slice(0, -1)}-${coding}"`);
      expect(coded.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  it('the OpenAPI description is compressed too, once, and the metrics count what was', async () => {
    const path = '/v1/openapi.json';
    const plain = await ask(path);
    const coded = await askCoded(path);
    expect([coded.headers['content-encoding'], coded.headers.vary]).toEqual(['br', 'Accept-Encoding']);
    expect(brotliDecompressSync(coded.body).equals(plain.body)).toBe(true);
    expect((await ask(path, [BOTH, `If-None-Match: ${coded.headers.etag ?? ''}`])).status).toBe(304);
    const metrics = await stack.metrics();
    for (const name of [
      'compressions_total{coding="br",result="made"}',
      'compression_bytes_total{coding="br",side="after"}',
    ])
      expect(metrics).toContain(`portico_${name} `);
  });

  it.each([
    ['nothing', []],
    ['an empty list', ['Accept-Encoding:']],
    ['identity', ['Accept-Encoding: identity']],
    ['what there is not', ['Accept-Encoding: deflate, zstd']],
    ['nothing at all', ['Accept-Encoding: *;q=0']],
    ['no identity', ['Accept-Encoding: identity;q=0']],
  ])('a caller that accepts %s gets the body uncompressed', async (_name, headers) => {
    await askCoded('/v1/users');
    const answer = await ask('/v1/users', headers);
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
    expect(JSON.parse(answer.body.toString())).toHaveProperty('meta.total', 40);
  });

  it('304 for a caller that has the body in any coding, with the ETag that it sent', async () => {
    const plain = (await ask('/v1/users')).headers.etag ?? '';
    const coded = (await askCoded('/v1/users')).headers.etag ?? '';
    expect(coded).not.toBe(plain);
    const held = async (tags: string, accept: readonly string[]) => {
      const { status, headers } = await ask('/v1/users', [`If-None-Match: ${tags}`, ...accept]);
      expect(headers.vary).toBe('Authorization, X-API-Key, Accept-Encoding');
      expect(status === 304 && headers['content-encoding']).not.toBe('br');
      return [status, headers.etag];
    };
    expect(await held(coded, [BOTH])).toEqual([304, coded]);
    expect(await held(`W/${coded}`, [BOTH])).toEqual([304, coded]);
    expect(await held(plain, [BOTH])).toEqual([304, plain]);
    expect(await held(plain, [])).toEqual([304, plain]);
    expect(await held(`"other", ${plain}, ${coded}`, [BOTH])).toEqual([304, coded]);
    expect(await held('*', [BOTH])).toEqual([304, coded]);
    expect(await held('*', [])).toEqual([304, plain]);
    // It would be answered with bytes that this caller does not take.
    expect(await held(coded, [])).toEqual([200, plain]);
    expect(await held(coded, ['Accept-Encoding: gzip'])).toEqual([200, expect.any(String)]);
  });

  it.each([
    ['', 200],
    ['?page=0', 400],
  ])('/v1/users%s is %d to HEAD with the headers of GET', async (query, status) => {
    if (status === 200) await askCoded('/v1/users');
    const [get, head] = [
      await ask(`/v1/users${query}`, [BOTH]),
      await ask(`/v1/users${query}`, [BOTH], 'HEAD'),
    ];
    const same = ({ headers }: RawAnswer) => {
      const { date: _date, 'x-request-id': _id, ratelimit: _limit, age: _age, ...rest } = headers;
      return rest;
    };
    expect([get.status, head.status]).toEqual([status, status]);
    if (status === 200) expect(same(head)).toEqual(same(get));
    expect(head.body).toHaveLength(0);
    expect(head.headers['content-encoding']).toBe(status === 200 ? 'br' : undefined);
  });

  it('small bodies stay uncompressed, with the same Vary', async () => {
    for (let i = 0; i < 3; i += 1) {
      const { headers } = await ask('/v1/users?limit=1', [BOTH]);
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers.vary).toBe('Authorization, X-API-Key, Accept-Encoding');
    }
  });

  it.each([
    ['a purge', () => fetch(`${stack.adminUrl}/api/cache/purge?tag=users`, { method: 'POST' })],
    ['the end of its freshness', () => void (aheadMs += 3_600_000)],
  ])('no compressed form of an older body outlives %s', async (_name, end) => {
    rename('Before');
    await end();
    await askCoded('/v1/users?limit=39');
    rename('After');
    await end();
    const plain = await ask('/v1/users?limit=39', [BOTH]);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const coded = await askCoded('/v1/users?limit=39');
    expect(brotliDecompressSync(coded.body).equals(plain.body)).toBe(true);
    expect(plain.body.toString()).toContain('After');
  });

  it('two hundred concurrent callers get correct answers, whichever compressed forms exist by then', async () => {
    const plain = await ask('/v1/users?limit=38');
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask('/v1/users?limit=38', [BOTH])));
    for (const { status, headers, body } of answers) {
      expect(status).toBe(200);
      const decoded = headers['content-encoding'] === 'br' ? brotliDecompressSync(body) : body;
      expect(decoded.equals(plain.body)).toBe(true);
    }
  });
});

describe('cache.compression: off', () => {
  it('serves bodies uncompressed, without Vary: Accept-Encoding', async () => {
    const off = endAfterTest(await startStack({ configure: ({ cache }) => (cache.compression = 'off') }));
    const tags = new Set<string | undefined>();
    for (let i = 0; i < 3; i += 1) {
      const { headers, body } = await ask('/v1/users', [BOTH], 'GET', off);
      expect(JSON.parse(body.toString())).toHaveProperty('data');
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers.vary).toBe('Authorization, X-API-Key');
      tags.add(headers.etag);
    }
    expect(tags.size).toBe(1);
  });
});
