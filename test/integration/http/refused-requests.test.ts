import { echoOperations, type PublicListener, startPublicListener } from '../../support/public-listener.ts';
import { askRaw, connectRaw, HOST, type RawAnswer, request, requestOf } from '../../support/raw-client.ts';

const CRLF = '\r\n';

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
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 6', 'Transfer-Encoding: chunked') +
      `0${CRLF}${CRLF}X`,
    400,
    'bad_request',
  ],
  [
    'transfer-encoding beside content-length',
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: chunked', 'Content-Length: 6') +
      `0${CRLF}${CRLF}X`,
    400,
    'bad_request',
  ],
  [
    'two lengths that differ',
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 1', 'Content-Length: 2') + 'ab',
    400,
    'bad_request',
  ],
  [
    'two lengths that agree',
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 1', 'Content-Length: 1') + 'a',
    400,
    'bad_request',
  ],
  [
    'a list as length',
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 1, 1') + 'a',
    400,
    'bad_request',
  ],
  [
    'a signed length',
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Content-Length: +1') + 'a',
    400,
    'bad_request',
  ],
  ['a negative length', requestOf('POST /v1/users HTTP/1.1', HOST, 'Content-Length: -1'), 400, 'bad_request'],
  [
    'an overflowing length',
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 99999999999999999999999'),
    400,
    'bad_request',
  ],
  [
    'a blank before the colon',
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding : chunked') + `0${CRLF}${CRLF}`,
    400,
    'bad_request',
  ],
  [
    'an unknown transfer coding',
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: xchunked') + `0${CRLF}${CRLF}`,
    400,
    'bad_request',
  ],
  [
    'chunked that is not last',
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: chunked, identity') + `0${CRLF}${CRLF}`,
    400,
    'bad_request',
  ],
  [
    'transfer-encoding twice',
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity') +
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
  [
    'a bare carriage return in a value',
    requestOf('GET /v1/users HTTP/1.1', HOST, 'X: a\rb'),
    400,
    'bad_request',
  ],
  ['a folded header line', requestOf('GET /v1/users HTTP/1.1', HOST, 'X: a', ' b'), 400, 'bad_request'],
  [
    'a blank before the first header name',
    requestOf('GET /v1/users HTTP/1.1', ` ${HOST}`),
    400,
    'bad_request',
  ],
  [
    'a header line without a colon',
    requestOf('GET /v1/users HTTP/1.1', HOST, 'nonsense'),
    400,
    'bad_request',
  ],
  ['a header line without a name', requestOf('GET /v1/users HTTP/1.1', HOST, ': value'), 400, 'bad_request'],
  ['NUL in a header value', requestOf('GET /v1/users HTTP/1.1', HOST, 'X: a\0b'), 400, 'bad_request'],
  ['NUL in a header name', requestOf('GET /v1/users HTTP/1.1', HOST, 'X\0Y: a'), 400, 'bad_request'],
  ['NUL in the target', requestOf('GET /v1/users\0 HTTP/1.1', HOST), 400, 'bad_request'],
  ['no Host', requestOf('GET /v1/users HTTP/1.1'), 400, 'bad_request'],
  ['two Hosts', requestOf('GET /v1/users HTTP/1.1', HOST, 'host: other.example.test'), 400, 'bad_request'],
  ['the same Host twice', requestOf('GET /v1/users HTTP/1.1', HOST, HOST), 400, 'bad_request'],
  ['two Hosts over HTTP/1.0', requestOf('GET /v1/users HTTP/1.0', HOST, HOST), 400, 'bad_request'],
  ['a Host that is none', requestOf('GET /v1/users HTTP/1.1', 'Host: a/b'), 400, 'bad_request'],
  [
    'a Host with a user',
    requestOf('GET /v1/users HTTP/1.1', 'Host: user@api.example.test'),
    400,
    'bad_request',
  ],
  [
    'one header of 17 KiB',
    requestOf('GET /v1/users HTTP/1.1', HOST, `X: ${'a'.repeat(17 * 1024)}`),
    400,
    'bad_request',
  ],
  [
    '101 header lines',
    requestOf('GET /v1/users HTTP/1.1', HOST, ...Array<string>(100).fill('X: y')),
    400,
    'bad_request',
  ],
  [
    '2,000 header lines',
    requestOf('GET /v1/users HTTP/1.1', HOST, ...Array<string>(1_999).fill('X: y')),
    400,
    'bad_request',
  ],
  ['a version of two digits', requestOf('GET /v1/users HTTP/1.10', HOST), 400, 'bad_request'],
  ['a version to come', requestOf('GET /v1/users HTTP/3.0', HOST), 400, 'bad_request'],
  ['HTTP/2.0 in an HTTP/1 request', requestOf('GET /v1/users HTTP/2.0', HOST), 400, 'bad_request'],
  ['HTTP/0.9', `GET /v1/users${CRLF}${CRLF}`, 400, 'bad_request'],
  ['garbage', `garbage${CRLF}${CRLF}`, 400, 'bad_request'],
  ['random bytes', Buffer.from([0x80, 0xff, 0x00, 0x01, 0x0d, 0x0a, 0x0d, 0x0a]), 400, 'bad_request'],
  ['the start of a TLS handshake', Buffer.from('16030100a5010000a10303', 'hex'), 400, 'bad_request'],
  ['the preface of HTTP/2', `PRI * HTTP/2.0${CRLF}${CRLF}SM${CRLF}${CRLF}`, 400, 'bad_request'],
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
    requestOf('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: chunked') + `zz${CRLF}`,
    400,
    'bad_request',
  ],
  ['CONNECT', request('CONNECT', 'inner.example.test:443'), 405, 'method_not_allowed'],
  ['CONNECT to a path', request('CONNECT', '/v1/users'), 405, 'method_not_allowed'],
  ['TRACE', request('TRACE', '/v1/users'), 405, 'method_not_allowed'],
  ['POST', requestOf('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 2') + '{}', 405, 'method_not_allowed'],
  ['QUERY', request('QUERY', '/v1/users'), 405, 'method_not_allowed'],
  ['a method in lower case', request('get', '/v1/users'), 405, 'method_not_allowed'],
  ['a method nobody knows', request('FETCH', '/v1/users'), 405, 'method_not_allowed'],
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
    listener = await startPublicListener({ operations: echoOperations() });
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
