import { type Answer, checkAnswer } from '../../support/client/openapi-check.ts';

const user = { id: 'user_1', name: null, email: null, created_at: '2020-01-01T00:00:00Z' };
const page = (item: object) => JSON.stringify({ data: [item], meta: { total: 1, page: 1, limit: 50 } });
const requestId = `req_${'a'.repeat(22)}`;

function answer(status: number, body: string, headers: Record<string, string | null> = {}): Answer {
  const usual: Record<string, string | null> = {
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    etag: '"x"',
    'cache-control': status < 400 ? 'private, max-age=10' : 'no-store',
    age: '0',
    vary: 'Authorization, X-API-Key',
    'cache-status': 'portico; hit',
    'ratelimit-policy': '"1s";q=1;w=1',
    ratelimit: '"1s";r=1;t=1',
    ...headers,
  };
  return { status, header: (name) => usual[name.toLowerCase()] ?? null, body };
}

const error = (code: string, more: object = {}) =>
  JSON.stringify({ error: { code, message: 'm', request_id: requestId, ...more } });

describe('the check against the OpenAPI document', () => {
  it.each([
    ['a page', '/v1/users', answer(200, page(user))],
    ['a 304', '/v1/users?page=1', answer(304, '')],
    ['an error', '/v1/users/', answer(404, error('not_found'))],
    [
      'a refusal',
      '/v1/users',
      answer(401, error('authentication_required'), { 'www-authenticate': 'Bearer' }),
    ],
    ['what passes untranslated', '/legacy/orders', answer(500, 'anything', { 'content-type': 'text/plain' })],
  ])('lets %s pass', (_, path, given) => {
    expect(() => checkAnswer('GET', path, given)).not.toThrow();
  });

  it.each<[string, string, Answer, RegExp]>([
    ['a field too many', '/v1/users', answer(200, page({ ...user, pwd: 'x' })), /additional properties/],
    ['a field too few', '/v1/users', answer(200, page({ id: 'user_1' })), /required/],
    ['another type', '/v1/users', answer(200, page({ ...user, name: 1 })), /name must be/],
    ['another prefix', '/v1/users', answer(200, page({ ...user, id: 'prod_1' })), /pattern/],
    ['a price as text', '/v1/products', answer(200, page({ ...user, price: '1' })), /price must be/],
    ['a missing header', '/v1/users', answer(200, page(user), { ratelimit: null }), /RateLimit/],
    ['an age that is none', '/v1/users', answer(200, page(user), { age: '-1' }), /Age/],
    [
      'another media type',
      '/v1/users',
      answer(200, page(user), { 'content-type': 'application/json' }),
      /media/,
    ],
    ['another length', '/v1/users', answer(200, page(user), { 'content-length': '3' }), /Length/],
    ['a status of its own', '/v1/users', answer(201, page(user)), /no response 201/],
    ['no request id', '/v1/users', answer(200, page(user), { 'x-request-id': null }), /X-Request-Id/],
    ['a server name', '/v1/users', answer(200, page(user), { server: 'x' }), /server/],
    ['a body of a 304', '/v1/users', answer(304, '{}'), /body/],
    ['an unknown code', '/v1/users', answer(404, error('lost')), /code must be/],
    ['a code under another status', '/v1/users', answer(404, error('upstream_error')), /does not tell/],
    ['more than the error', '/v1/users', answer(404, error('not_found', { stack: '' })), /additional/],
    ['another id', '/v1/users', answer(404, error('not_found', { request_id: 'req_b' })), /another one/],
    ['an error to be kept', '/x', answer(404, error('not_found'), { 'cache-control': 'public' }), /no-store/],
    ['429 without Retry-After', '/v1/users', answer(429, error('rate_limit_exceeded')), /Retry-After/],
    ['405 without Allow', '/v1/users', answer(405, error('method_not_allowed')), /Allow/],
    ['HTML', '/v1/nothing', answer(404, '<h1>Not found</h1>'), /in other words/],
  ])('refuses %s', (_, path, given, problem) => {
    expect(() => checkAnswer('GET', path, given)).toThrow(problem);
  });

  it('takes any server-side fault as 500 only where the operator chose so', () => {
    const given = answer(500, error('upstream_timeout'));
    expect(() => checkAnswer('GET', '/v1/users', given)).toThrow(/does not tell/);
    expect(() => checkAnswer('GET', '/v1/users', given, { serverErrorsAs500: true })).not.toThrow();
  });
});
