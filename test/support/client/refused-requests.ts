import { HOST, request, requestOf } from './raw-client.ts';

const CRLF = '\r\n';
const END = `0${CRLF}${CRLF}`;

/** The bytes of a request that must not get past the public listener, and what it says to them. */
export type RefusedRequest = [name: string, bytes: string | Buffer, status: number, code: string];

const get = (...lines: string[]) => requestOf('GET /v1/users HTTP/1.1', HOST, ...lines);
const post = (...lines: string[]) => requestOf('POST /v1/users HTTP/1.1', HOST, ...lines);
const chunked = (coding: string) => post(`Transfer-Encoding: ${coding}`);

/** Requests that cannot be read (RFC 9110, RFC 9112). */
const unreadable: readonly [string, string | Buffer][] = [
  [
    'content-length beside transfer-encoding',
    `${post('Content-Length: 6', 'Transfer-Encoding: chunked')}${END}X`,
  ],
  [
    'transfer-encoding beside content-length',
    `${post('Transfer-Encoding: chunked', 'Content-Length: 6')}${END}X`,
  ],
  ['two lengths that differ', `${post('Content-Length: 1', 'Content-Length: 2')}ab`],
  ['two lengths that agree', `${post('Content-Length: 1', 'Content-Length: 1')}a`],
  ['a list as length', `${post('Content-Length: 1, 1')}a`],
  ['a signed length', `${post('Content-Length: +1')}a`],
  ['a negative length', post('Content-Length: -1')],
  ['an overflowing length', post('Content-Length: 99999999999999999999999')],
  ['a blank before the colon', post('Transfer-Encoding : chunked') + END],
  ['an unknown transfer coding', chunked('xchunked') + END],
  ['chunked that is not last', chunked('chunked, identity') + END],
  ['transfer-encoding twice', post('Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + END],
  ['bare line feeds', `GET /v1/users HTTP/1.1\n${HOST}\n\n`],
  ['a bare line feed between header lines', `GET /v1/users HTTP/1.1${CRLF}${HOST}\nX: y${CRLF}${CRLF}`],
  ['a bare carriage return in a value', get('X: a\rb')],
  ['a folded header line', get('X: a', ' b')],
  ['a blank before the first header name', requestOf('GET /v1/users HTTP/1.1', ` ${HOST}`)],
  ['a header line without a colon', get('nonsense')],
  ['a header line without a name', get(': value')],
  ['NUL in a header value', get('X: a\0b')],
  ['NUL in a header name', get('X\0Y: a')],
  ['NUL in the target', requestOf('GET /v1/users\0 HTTP/1.1', HOST)],
  ['no Host', requestOf('GET /v1/users HTTP/1.1')],
  ['two Hosts', get('host: other.example.test')],
  ['the same Host twice', get(HOST)],
  ['two Hosts over HTTP/1.0', requestOf('GET /v1/users HTTP/1.0', HOST, HOST)],
  ['a Host that is none', requestOf('GET /v1/users HTTP/1.1', 'Host: a/b')],
  ['a Host with a user', requestOf('GET /v1/users HTTP/1.1', 'Host: user@api.example.test')],
  ['one header of 17 KiB', get(`X: ${'a'.repeat(17 * 1024)}`)],
  ['101 header lines', get(...Array<string>(100).fill('X: y'))],
  ['2,000 header lines', get(...Array<string>(1_999).fill('X: y'))],
  ['a version of two digits', requestOf('GET /v1/users HTTP/1.10', HOST)],
  ['a version to come', requestOf('GET /v1/users HTTP/3.0', HOST)],
  ['HTTP/2.0 in an HTTP/1 request', requestOf('GET /v1/users HTTP/2.0', HOST)],
  ['HTTP/0.9', `GET /v1/users${CRLF}${CRLF}`],
  ['garbage', `garbage${CRLF}${CRLF}`],
  ['random bytes', Buffer.from([0x80, 0xff, 0x00, 0x01, 0x0d, 0x0a, 0x0d, 0x0a])],
  ['the start of a TLS handshake', Buffer.from('16030100a5010000a10303', 'hex')],
  ['the preface of HTTP/2', `PRI * HTTP/2.0${CRLF}${CRLF}SM${CRLF}${CRLF}`],
  ['a target of 9 KiB', request('GET', `/v1/users?x=${'a'.repeat(9 * 1024)}`)],
  ['a target that is no path', request('GET', 'v1/users')],
  ['an asterisk for a GET', request('GET', '*')],
  ['another scheme', request('GET', 'ftp://api.example.test/v1/users')],
  ['an absolute target without a host', request('GET', 'http:///v1/users')],
  ['an absolute target with half an address', request('GET', 'http://[::1/v1/users')],
  ['a fragment in the target', request('GET', '/v1/users#x')],
  ['raw UTF-8 in the target', Buffer.from(request('GET', '/v1/users/ü'))],
  ['an unknown expectation', get('Expect: foo')],
  ['a broken chunk', `${chunked('chunked')}zz${CRLF}`],
];

/** Requests by methods that no route takes. */
const otherMethods: readonly [string, string][] = [
  ['CONNECT', request('CONNECT', 'inner.example.test:443')],
  ['CONNECT to a path', request('CONNECT', '/v1/users')],
  ['TRACE', request('TRACE', '/v1/users')],
  ['POST', `${post('Content-Length: 2')}{}`],
  ['QUERY', request('QUERY', '/v1/users')],
  ['a method in lower case', request('get', '/v1/users')],
  ['an unknown method', request('FETCH', '/v1/users')],
];

/** Requests to paths that no route has. */
const otherPaths: readonly [string, string][] = [
  ['an unknown path', request('GET', '/')],
  ['a path in another case', request('GET', '/V1/users')],
  ['a path in other words', request('GET', '/v1/%75sers')],
  ['a path below an id', request('GET', '/v1/users/a/b')],
  ['an empty id', request('GET', '/v1/users//')],
  ['two slashes at the start', request('GET', '//v1/users')],
  ['OPTIONS on an unknown path', request('OPTIONS', '/v2/users')],
  ['POST on an unknown path', request('POST', '/v2/users')],
];

/** Every request that the public listener must refuse. */
export const refusedRequests: readonly RefusedRequest[] = [
  ...unreadable.map(([name, bytes]): RefusedRequest => [name, bytes, 400, 'bad_request']),
  ...otherMethods.map(([name, bytes]): RefusedRequest => [name, bytes, 405, 'method_not_allowed']),
  ...otherPaths.map(([name, bytes]): RefusedRequest => [name, bytes, 404, 'not_found']),
];
