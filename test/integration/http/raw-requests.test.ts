import {
  type PublicListener,
  operation,
  replyOf,
  startPublicListener,
} from '../../support/public-listener.ts';
import { askRaw, connectRaw, type RawAnswer, request } from '../../support/raw-client.ts';

const HOST = 'Host: api.example.test';
const CRLF = '\r\n';

/** A request of exactly these lines. */
function lines(...all: string[]): string {
  return [...all, '', ''].join(CRLF);
}

function errorOf(answer: RawAnswer): { code: string; request_id: string } {
  const body = JSON.parse(answer.body.toString()) as {
    error: { code: string; message: string; request_id: string };
  };
  expect(Object.keys(body)).toEqual(['error']);
  expect(Object.keys(body.error)).toEqual(['code', 'message', 'request_id']);
  return body.error;
}

/** The bytes of a request, and what the listener must say to them. */
const refused: [name: string, bytes: string | Buffer, status: number, code: string][] = [
  [
    'content-length beside transfer-encoding',
    lines('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 6', 'Transfer-Encoding: chunked') +
      `0${CRLF}${CRLF}X`,
    400,
    'bad_request',
  ],
  [
    'transfer-encoding beside content-length',
    lines('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: chunked', 'Content-Length: 6') +
      `0${CRLF}${CRLF}X`,
    400,
    'bad_request',
  ],
  [
    'two lengths that differ',
    lines('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 1', 'Content-Length: 2') + 'ab',
    400,
    'bad_request',
  ],
  [
    'two lengths that agree',
    lines('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 1', 'Content-Length: 1') + 'a',
    400,
    'bad_request',
  ],
  [
    'a list as length',
    lines('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 1, 1') + 'a',
    400,
    'bad_request',
  ],
  ['a signed length', lines('POST /v1/users HTTP/1.1', HOST, 'Content-Length: +1') + 'a', 400, 'bad_request'],
  ['a negative length', lines('POST /v1/users HTTP/1.1', HOST, 'Content-Length: -1'), 400, 'bad_request'],
  [
    'an overflowing length',
    lines('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 99999999999999999999999'),
    400,
    'bad_request',
  ],
  [
    'a blank before the colon',
    lines('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding : chunked') + `0${CRLF}${CRLF}`,
    400,
    'bad_request',
  ],
  [
    'an unknown transfer coding',
    lines('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: xchunked') + `0${CRLF}${CRLF}`,
    400,
    'bad_request',
  ],
  [
    'chunked that is not last',
    lines('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: chunked, identity') + `0${CRLF}${CRLF}`,
    400,
    'bad_request',
  ],
  [
    'transfer-encoding twice',
    lines('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity') +
      `0${CRLF}${CRLF}`,
    400,
    'bad_request',
  ],
  ['bare line feeds', `GET /v1/users HTTP/1.1\n${HOST}\n\n`, 400, 'bad_request'],
  [
    'a bare line feed between header lines',
    `GET /v1/users HTTP/1.1${CRLF}${HOST}\nX: y${CRLF}${CRLF}`,
    400,
    'bad_request',
  ],
  ['a bare carriage return in a value', lines('GET /v1/users HTTP/1.1', HOST, 'X: a\rb'), 400, 'bad_request'],
  ['a folded header line', lines('GET /v1/users HTTP/1.1', HOST, 'X: a', ' b'), 400, 'bad_request'],
  ['a blank before the first header name', lines('GET /v1/users HTTP/1.1', ` ${HOST}`), 400, 'bad_request'],
  ['a header line without a colon', lines('GET /v1/users HTTP/1.1', HOST, 'nonsense'), 400, 'bad_request'],
  ['a header line without a name', lines('GET /v1/users HTTP/1.1', HOST, ': value'), 400, 'bad_request'],
  ['NUL in a header value', lines('GET /v1/users HTTP/1.1', HOST, 'X: a\0b'), 400, 'bad_request'],
  ['NUL in a header name', lines('GET /v1/users HTTP/1.1', HOST, 'X\0Y: a'), 400, 'bad_request'],
  ['NUL in the target', lines('GET /v1/users\0 HTTP/1.1', HOST), 400, 'bad_request'],
  ['no Host', lines('GET /v1/users HTTP/1.1'), 400, 'bad_request'],
  ['two Hosts', lines('GET /v1/users HTTP/1.1', HOST, 'host: other.example.test'), 400, 'bad_request'],
  ['the same Host twice', lines('GET /v1/users HTTP/1.1', HOST, HOST), 400, 'bad_request'],
  ['two Hosts over HTTP/1.0', lines('GET /v1/users HTTP/1.0', HOST, HOST), 400, 'bad_request'],
  ['a Host that is none', lines('GET /v1/users HTTP/1.1', 'Host: a/b'), 400, 'bad_request'],
  ['a Host with a user', lines('GET /v1/users HTTP/1.1', 'Host: user@api.example.test'), 400, 'bad_request'],
  [
    'one header of 17 KiB',
    lines('GET /v1/users HTTP/1.1', HOST, `X: ${'a'.repeat(17 * 1024)}`),
    400,
    'bad_request',
  ],
  [
    '101 header lines',
    lines('GET /v1/users HTTP/1.1', HOST, ...Array<string>(100).fill('X: y')),
    400,
    'bad_request',
  ],
  [
    '2,000 header lines',
    lines('GET /v1/users HTTP/1.1', HOST, ...Array<string>(1_999).fill('X: y')),
    400,
    'bad_request',
  ],
  ['a version of two digits', lines('GET /v1/users HTTP/1.10', HOST), 400, 'bad_request'],
  ['a version to come', lines('GET /v1/users HTTP/3.0', HOST), 400, 'bad_request'],
  ['HTTP/2.0 in an HTTP/1 request', lines('GET /v1/users HTTP/2.0', HOST), 400, 'bad_request'],
  ['HTTP/0.9', `GET /v1/users${CRLF}${CRLF}`, 400, 'bad_request'],
  ['garbage', `garbage${CRLF}${CRLF}`, 400, 'bad_request'],
  ['random bytes', Buffer.from([0x80, 0xff, 0x00, 0x01, 0x0d, 0x0a, 0x0d, 0x0a]), 400, 'bad_request'],
  ['the start of a TLS handshake', Buffer.from('16030100a5010000a10303', 'hex'), 400, 'bad_request'],
  ['the preface of HTTP/2', `PRI * HTTP/2.0${CRLF}${CRLF}SM${CRLF}${CRLF}`, 400, 'bad_request'],
  ['a method in lower case', request('get', '/v1/users'), 400, 'bad_request'],
  ['a method nobody knows', request('FETCH', '/v1/users'), 400, 'bad_request'],
  ['a target of 9 KiB', request('GET', `/v1/users?x=${'a'.repeat(9 * 1024)}`), 400, 'bad_request'],
  ['a target that is no path', request('GET', 'v1/users'), 400, 'bad_request'],
  ['an asterisk for a GET', request('GET', '*'), 400, 'bad_request'],
  ['another scheme', request('GET', 'ftp://api.example.test/v1/users'), 400, 'bad_request'],
  ['an absolute target without a host', request('GET', 'http:///v1/users'), 400, 'bad_request'],
  ['an absolute target with half an address', request('GET', 'http://[::1/v1/users'), 400, 'bad_request'],
  ['a fragment in the target', request('GET', '/v1/users#x'), 400, 'bad_request'],
  ['raw UTF-8 in the target', Buffer.from(request('GET', '/v1/users/ü')), 400, 'bad_request'],
  ['an unknown expectation', request('GET', '/v1/users', ['Expect: foo']), 400, 'bad_request'],
  [
    'a broken chunk',
    lines('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: chunked') + `zz${CRLF}`,
    400,
    'bad_request',
  ],
  ['CONNECT', request('CONNECT', 'inner.example.test:443'), 405, 'method_not_allowed'],
  ['CONNECT to a path', request('CONNECT', '/v1/users'), 405, 'method_not_allowed'],
  ['TRACE', request('TRACE', '/v1/users'), 405, 'method_not_allowed'],
  ['POST', lines('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 2') + '{}', 405, 'method_not_allowed'],
  ['QUERY', request('QUERY', '/v1/users'), 405, 'method_not_allowed'],
  ['an unknown path', request('GET', '/'), 404, 'not_found'],
  ['a path in another case', request('GET', '/V1/users'), 404, 'not_found'],
  ['a path in other words', request('GET', '/v1/%75sers'), 404, 'not_found'],
  ['a path below an id', request('GET', '/v1/users/a/b'), 404, 'not_found'],
  ['an empty id', request('GET', '/v1/users//'), 404, 'not_found'],
  ['two slashes at the start', request('GET', '//v1/users'), 404, 'not_found'],
  ['OPTIONS on an unknown path', request('OPTIONS', '/v2/users'), 404, 'not_found'],
  ['POST on an unknown path', request('POST', '/v2/users'), 404, 'not_found'],
];

describe('the public listener, byte by byte', () => {
  let listener: PublicListener;
  beforeAll(async () => {
    const echo = operation((call) => Promise.resolve(replyOf(JSON.stringify(call.request))));
    listener = await startPublicListener({
      operations: [echo, { ...echo, operation: 'users.get', path: '/v1/users/:id' }],
    });
  });
  afterAll(() => listener.stop());

  it.each(refused)('refuses %s in the words of the contract', async (_name, bytes, status, code) => {
    const answer = await askRaw(listener.port, bytes);

    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    const error = errorOf(answer);
    expect(error.code).toBe(code);
    expect(error.request_id).toMatch(/^req_[A-Za-z0-9_-]{22}$/);
    expect(answer.headers['x-request-id']).toBe(error.request_id);
    if (status === 405) expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
    await listener.line((line) => line.requestId === error.request_id && line.status === status);
  });

  it.each([
    ['a trailing slash', request('GET', '/v1/users/'), { rawQuery: '' }],
    [
      'absolute form',
      request('GET', 'http://elsewhere.example.test/v1/users?page=2'),
      { rawQuery: 'page=2' },
    ],
    [
      'a query with odd characters',
      request('GET', '/v1/users?a=[]{}|\\^`<>"'),
      { rawQuery: 'a=[]{}|\\^`<>"' },
    ],
    ['malformed percent-encoding in an id', request('GET', '/v1/users/%ff%'), { rawId: '%ff%' }],
    ['an encoded slash in an id', request('GET', '/v1/users/..%2fadmin'), { rawId: '..%2fadmin' }],
    ['a slash after an id', request('GET', '/v1/users/user_1/'), { rawId: 'user_1' }],
    ['HTTP/1.0 without a Host', lines('GET /v1/users HTTP/1.0'), {}],
    ['100 header lines', lines('GET /v1/users HTTP/1.1', HOST, ...Array<string>(99).fill('X: y')), {}],
    ['an empty line ahead', CRLF + request('GET', '/v1/users'), {}],
    ['an upgrade, by ignoring it', request('GET', '/v1/users', ['Connection: Upgrade', 'Upgrade: h2c']), {}],
    [
      'a body on a GET, by ignoring it',
      lines('GET /v1/users HTTP/1.1', HOST, 'Content-Length: 2') + '{}',
      {},
    ],
    [
      'every value of the credential headers',
      request('GET', '/v1/users', ['Authorization: a', 'X-API-Key: k', 'authorization: b']),
      { authorization: ['a', 'b'], apiKey: ['k'] },
    ],
  ])('serves %s', async (_name, bytes, facts) => {
    const answer = await askRaw(listener.port, bytes);

    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body.toString())).toMatchObject(facts);
  });

  it('answers OPTIONS with 204 and Allow, also for the server as a whole', async () => {
    for (const target of ['/v1/users', '/v1/users/user_1', '/v1/openapi.json', '*']) {
      const answer = await askRaw(listener.port, request('OPTIONS', target));
      expect(answer.status).toBe(204);
      expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
      expect(answer.headers['x-request-id']).toMatch(/^req_/);
    }
  });

  it('answers a hundred pipelined requests in their order', async () => {
    const connection = await connectRaw(listener.port);
    connection.send(Array.from({ length: 100 }, (_, i) => request('GET', `/v1/users?n=${i}`)).join(''));
    for (let i = 0; i < 100; i += 1) {
      const answer = await connection.answer();
      expect(JSON.parse(answer.body.toString())).toMatchObject({ rawQuery: `n=${i}` });
    }
    connection.close();
  });

  it('answers what was readable before it gives up on a pipelined connection', async () => {
    const connection = await connectRaw(listener.port);
    connection.send(
      `${request('GET', '/v1/users?n=1')}garbage${CRLF}${CRLF}${request('GET', '/v1/users?n=3')}`,
    );

    expect(JSON.parse((await connection.answer()).body.toString())).toMatchObject({ rawQuery: 'n=1' });
    expect(await connection.ended()).toEqual({ how: 'closed', rest: Buffer.alloc(0) });
  });

  it('says nothing more on a connection whose request was answered before its body broke', async () => {
    const connection = await connectRaw(listener.port);
    connection.send(lines('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: chunked'));
    expect((await connection.answer()).status).toBe(405);
    connection.send(`zz${CRLF}`);

    expect((await connection.ended()).rest).toEqual(Buffer.alloc(0));
  });

  it('keeps the connection for the next request after a small body that nobody read', async () => {
    const connection = await connectRaw(listener.port);
    connection.send(
      lines('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 4') + 'GET ' + request('GET', '/v1/users'),
    );

    expect((await connection.answer()).status).toBe(405);
    expect((await connection.answer()).status).toBe(200);
    connection.close();
  });

  it('closes after a large body that nobody read', async () => {
    const connection = await connectRaw(listener.port);
    connection.send(lines('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 100000000') + 'x'.repeat(1_000));

    const answer = await connection.answer();
    expect(answer.status).toBe(405);
    expect(answer.headers.connection).toBe('close');
    await connection.ended();
  });

  it('answers request heads that never end within five seconds, and silence with silence', async () => {
    const dripping = await connectRaw(listener.port);
    dripping.send(`GET /v1/users HTTP/1.1${CRLF}X: `);
    const silent = await connectRaw(listener.port);
    const startedAt = performance.now();

    const answer = await dripping.answer();
    expect(answer.status).toBe(400);
    expect(errorOf(answer).code).toBe('bad_request');
    expect(await silent.ended()).toMatchObject({ rest: Buffer.alloc(0) });
    expect(performance.now() - startedAt).toBeLessThan(5_500);
    dripping.close();
  });
});
