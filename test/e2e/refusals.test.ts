import { checkAnswer, checkedFetch } from '../support/client/openapi-check.ts';
import { startDemo } from '../support/gateway/gateway-process.ts';
import { askRaw, request } from '../support/client/raw-client.ts';
import { startForAll } from '../support/jest/lifetime.ts';

const LIMITED = 'a-key-that-may-not-read-products';

const demo = startForAll(() => startDemo({ PORTICO_DEMO_LIMITED_KEY: LIMITED }));
afterAll(() => demo.process.kill());

type Case = [what: string, status: number, code: string, path: string, init?: RequestInit];

const cases: Case[] = [
  ['a page of zero', 400, 'invalid_parameter', '/v1/users?page=0'],
  ['a page that is no number', 400, 'invalid_parameter', '/v1/products?page=two'],
  ['a page beyond all pages', 400, 'invalid_parameter', '/v1/users?page=1000000001'],
  ['a limit above 100', 400, 'invalid_parameter', '/v1/users?limit=101'],
  ['an empty limit', 400, 'invalid_parameter', '/v1/products?limit='],
  ['a repeated parameter', 400, 'invalid_parameter', '/v1/users?limit=5&limit=5'],
  ['an unknown order', 400, 'invalid_parameter', '/v1/users?sort=password'],
  ['an empty category', 400, 'invalid_parameter', '/v1/products?category='],
  ['a price with an exponent', 400, 'invalid_parameter', '/v1/products?min_price=1e3'],
  ['bounds the wrong way round', 400, 'invalid_parameter', '/v1/products?min_price=2&max_price=1'],
  ['malformed encoding in the query', 400, 'bad_request', '/v1/users?sort=%e0%a4%a'],
  ['malformed encoding in the id', 400, 'bad_request', '/v1/users/%ff'],
  ['a target of 9 KiB', 400, 'bad_request', `/v1/users?x=${'y'.repeat(9 * 1024)}`],
  ['no credential', 401, 'authentication_required', '/v1/users', { headers: {} }],
  ['a wrong key', 401, 'authentication_required', '/v1/users', { headers: { 'x-api-key': 'wrong-key' } }],
  [
    'a missing permission',
    403,
    'insufficient_permissions',
    '/v1/products',
    { headers: { 'x-api-key': LIMITED } },
  ],
  ['an unknown path', 404, 'not_found', '/v1/people'],
  ['a path in capitals', 404, 'not_found', '/V1/Users'],
  ['an id of nobody', 404, 'not_found', '/v1/users/user_9007199254740992'],
  ['an id of another kind', 404, 'not_found', '/v1/users/prod_1'],
  ['another method', 405, 'method_not_allowed', '/v1/users', { method: 'POST', body: '{}' }],
];

describe('the running demo refuses', () => {
  it.each(cases)('%s: %d %s', async (_, status, code, path, init = {}) => {
    const headers = init.headers ?? { authorization: `Bearer ${demo.key}` };
    const response = await checkedFetch(demo.url + path, { ...init, headers });
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
  });

  it("a caller over its tier's limit, with 429", async () => {
    const headers = { 'x-api-key': LIMITED };
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => checkedFetch(`${demo.url}/v1/users?limit=1`, { headers })),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 429]));
    const refused = answers.find(({ status }) => status === 429);
    expect(await refused?.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    // A second, and what is left of the tenth in which the point was counted.
    expect(refused?.headers.get('retry-after')).toMatch(/^[12]$/);
  });

  const get = (...lines: string[]) => ['GET /v1/users HTTP/1.1', ...lines, '', ''].join('\r\n');
  const host = 'Host: demo.example.test';

  it.each<[string, string | Buffer, number]>([
    ['no Host', get(), 400],
    ['two Hosts', get(host, host), 400],
    ['a header of 20 KiB', get(host, `X: ${'y'.repeat(20 * 1024)}`), 400],
    ['a hundred and one header lines', get(host, ...Array<string>(100).fill('X: y')), 400],
    ['a header without a colon', get(host, 'nonsense'), 400],
    ['a folded header', get(host, 'X: a', ' b'), 400],
    ['NUL in a header', get(host, 'X: a\0b'), 400],
    ['contradictory framing', get(host, 'Content-Length: 1', 'Transfer-Encoding: chunked'), 400],
    ['a negative length', get(host, 'Content-Length: -1'), 400],
    ['a space in the target', `GET /v1/us ers HTTP/1.1\r\n${host}\r\n\r\n`, 400],
    ['raw UTF-8 in the target', Buffer.from(request('GET', '/v1/users/ü')), 400],
    ['HTTP/2 without a handshake', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a TLS handshake', Buffer.from('16030100a5010000a10303', 'hex'), 400],
    ['garbage', 'garbage\r\n\r\n', 400],
    ['a proxy request', request('CONNECT', 'inner.example.test:443'), 405],
    ['TRACE', request('TRACE', '/v1/users'), 405],
  ])('%s, in the words of the contract', async (_, bytes, status) => {
    const answer = await askRaw(demo.port, bytes);
    checkAnswer('GET', '/', {
      status: answer.status,
      header: (name) => answer.headers[name.toLowerCase()] ?? null,
      body: answer.body.toString(),
    });
    expect(answer.status).toBe(status);
  });

  it('no valid request afterwards', async () => {
    const headers = { authorization: `Bearer ${demo.key}` };
    expect((await checkedFetch(`${demo.url}/v1/users/user_3`, { headers })).status).toBe(200);
    expect((await checkedFetch(`${demo.url}/v1/openapi.json`)).status).toBe(200);
  });
});
