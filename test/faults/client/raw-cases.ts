import { HOST, requestOf } from '../../support/client/raw-client.ts';

/** Bytes on one connection, the statuses of the answers that come back, and how many requests the upstream sees. */
export type RawCase = {
  readonly name: string;
  readonly bytes: string;
  readonly statuses: readonly number[];
  readonly forwarded: number;
};

const CRLF = '\r\n';
const SMUGGLED = requestOf('GET /legacy/orders/4711 HTTP/1.1', HOST);

/** A request to the route that is passed through, of exactly these lines behind the credential. */
function orders(line: string, ...lines: readonly string[]): string {
  return requestOf(`${line} HTTP/1.1`, HOST, 'X-API-Key: KEY', ...lines);
}

const post = (...lines: readonly string[]) => orders('POST /legacy/orders', ...lines);
const chunk = (text: string, extension = '') =>
  `${text.length.toString(16)}${extension}${CRLF}${text}${CRLF}`;
const END = `0${CRLF}${CRLF}`;

const accepted = (name: string, bytes: string, ...statuses: number[]): RawCase => ({
  name,
  bytes,
  statuses,
  forwarded: statuses.filter((status) => status === 200 || status === 201).length,
});
const refused = (name: string, bytes: string, status = 400): RawCase => ({
  name,
  bytes,
  statuses: [status],
  forwarded: 0,
});

const chunked = (...lines: readonly string[]) => post('Transfer-Encoding: chunked', ...lines);

/** How the body of a request ends (RFC 9112, section 6). */
export const framingCases: readonly RawCase[] = [
  accepted('a body of a known length', `${post('Content-Length: 5')}hello`, 201),
  accepted('a length with zeros before it', `${post('Content-Length: 0005')}hello`, 201),
  accepted('a length of nothing', post('Content-Length: 0'), 201),
  accepted('no length at all', post(), 201),
  accepted('a request in a body', post(`Content-Length: ${SMUGGLED.length}`) + SMUGGLED, 201),
  accepted('chunks', chunked() + chunk('hello') + chunk(' world') + END, 201),
  accepted('a request in a chunk', chunked() + chunk(SMUGGLED) + END, 201),
  accepted('a coding in capitals', post('TRANSFER-ENCODING: CHUNKED') + chunk('a') + END, 201),
  accepted('a size in capitals with zeros', `${chunked()}000A${CRLF}0123456789${CRLF}${END}`, 201),
  accepted('a chunk with an extension', chunked() + chunk('hello', ';a=b') + END, 201),
  accepted('trailers', `${chunked()}${chunk('a')}0${CRLF}X-Trailer: b${CRLF}${CRLF}`, 201),
  refused('a length beside chunks', post('Content-Length: 6', 'Transfer-Encoding: chunked') + END + 'X'),
  refused('chunks beside a length', chunked('Content-Length: 6') + END + 'X'),
  refused(
    'a length beside chunks, spelled oddly',
    post('content-LengtH: 6', 'TransFer-Encoding: chunked') + END,
  ),
  refused('two lengths', post('Content-Length: 5', 'Content-Length: 6') + 'hello!'),
  refused('the same length twice', post('Content-Length: 5', 'Content-Length: 5') + 'hello'),
  refused('a list of lengths', post('Content-Length: 5, 5') + 'hello'),
  refused('a signed length', post('Content-Length: +5') + 'hello'),
  refused('a negative length', post('Content-Length: -5')),
  refused('a length in hexadecimal', post('Content-Length: 0x5') + 'hello'),
  refused('a length with a fraction', post('Content-Length: 5.0') + 'hello'),
  refused('a length with an exponent', post('Content-Length: 5e0') + 'hello'),
  refused('a length of two words', post('Content-Length: 5 5') + 'hello'),
  refused('no number as length', post('Content-Length:') + 'hello'),
  refused('a length beyond 64 bits', post('Content-Length: 18446744073709551617') + 'h'),
  refused('a blank before the colon', post('Content-Length : 5') + 'hello'),
  refused('a tab before the colon', post('Transfer-Encoding\t: chunked') + END),
  refused('an unknown coding', post('Transfer-Encoding: xchunked') + END),
  refused('chunked, then another', post('Transfer-Encoding: chunked, identity') + END),
  refused('another, then chunked', post('Transfer-Encoding: gzip, chunked') + END),
  refused('chunked twice', post('Transfer-Encoding: chunked, chunked') + END),
  refused('two lines of codings', post('Transfer-Encoding: chunked', 'Transfer-Encoding: x') + END),
  refused('a coding in quotes', post('Transfer-Encoding: "chunked"') + END),
  refused('a coding behind a vertical tab', post('Transfer-Encoding: \vchunked') + END),
  refused('a coding before a NUL', post('Transfer-Encoding: chunked\0') + END),
  refused('a coding on a folded line', post('Transfer-Encoding:', ' chunked') + END),
  refused('a coding behind a bare carriage return', post('X: a\rTransfer-Encoding: chunked') + END),
  refused('a coding behind a bare line feed', post('X: a\nTransfer-Encoding: chunked') + END),
  refused('no size of a chunk', `${chunked()}${CRLF}hello${CRLF}${END}`),
  refused('a size that is none', `${chunked()}zz${CRLF}${END}`),
  refused('a negative size', `${chunked()}-5${CRLF}hello${CRLF}${END}`),
  refused('a size with a prefix', `${chunked()}0x5${CRLF}hello${CRLF}${END}`),
  refused('a size beyond 64 bits', `${chunked()}10000000000000005${CRLF}hello${CRLF}${END}`),
  refused('more than the size says', `${chunked()}3${CRLF}hello${CRLF}${END}`),
  refused('a bare line feed behind the size', `${chunked()}5\nhello${CRLF}${END}`),
  refused('a bare line feed in an extension', `${chunked()}5;a\nb${CRLF}hello${CRLF}${END}`),
  refused('a bare line feed behind a chunk', `${chunked()}5${CRLF}hello\n${END}`),
  refused('a body larger than the route takes', post('Content-Length: 99999999')),
];

/** What is asked of a route that takes no body, or by other methods than it has. */
export const bodyCases: readonly RawCase[] = [
  refused('a GET with a length', `${orders('GET /legacy/orders', 'Content-Length: 5')}hello`),
  refused(
    'a GET with chunks',
    orders('GET /legacy/orders', 'Transfer-Encoding: chunked') + chunk(SMUGGLED) + END,
  ),
  refused(
    'a DELETE with chunks',
    orders('DELETE /legacy/orders', 'Transfer-Encoding: chunked') + chunk(SMUGGLED) + END,
    405,
  ),
  refused('a PUT with a length', `${orders('PUT /legacy/orders', 'Content-Length: 5')}hello`, 405),
  refused('a TRACE', orders('TRACE /legacy/orders'), 405),
  refused('a CONNECT', orders('CONNECT /legacy/orders'), 405),
  refused('a PATCH', orders('PATCH /legacy/orders'), 405),
  accepted(
    'OPTIONS with chunks',
    orders('OPTIONS /legacy/orders', 'Transfer-Encoding: chunked') + chunk(SMUGGLED) + END,
    204,
  ),
];

/** Several requests on one connection. */
export const pipelineCases: readonly RawCase[] = [
  accepted('a hundred GETs', orders('GET /legacy/orders/1').repeat(100), ...Array<number>(100).fill(200)),
  accepted(
    'bodies and GETs by turns',
    `${post('Content-Length: 5')}hello${orders('GET /legacy/orders')}`.repeat(5),
    ...Array<number[]>(5).fill([201, 200]).flat(),
  ),
  {
    name: 'a good one before garbage',
    bytes: `${orders('GET /legacy/orders')}garbage${CRLF}${CRLF}`,
    statuses: [200],
    forwarded: 1,
  },
  {
    name: 'a good one behind garbage',
    bytes: `garbage${CRLF}${CRLF}${orders('GET /legacy/orders')}`,
    statuses: [400],
    forwarded: 0,
  },
];

/** Ways in which other protocols, or other versions, begin. */
export const protocolCases: readonly RawCase[] = [
  accepted('an expectation of 100', `${post('Content-Length: 5', 'Expect: 100-continue')}hello`, 100, 201),
  refused('another expectation', post('Content-Length: 5', 'Expect: 200-ok')),
  accepted(
    'an upgrade to HTTP/2',
    orders(
      'GET /legacy/orders',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAAP__',
    ),
    200,
  ),
  accepted(
    'an upgrade to a web socket',
    orders(
      'GET /legacy/orders',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ),
    200,
  ),
  accepted('HTTP/1.0', requestOf('GET /legacy/orders HTTP/1.0', 'X-API-Key: KEY'), 200),
  accepted('HTTP/1.0 with a host', requestOf('GET /legacy/orders HTTP/1.0', HOST, 'X-API-Key: KEY'), 200),
  accepted(
    'an absolute target',
    requestOf('GET http://api.example.test/legacy/orders HTTP/1.1', HOST, 'X-API-Key: KEY'),
    200,
  ),
  accepted('an empty line before the request', `${CRLF}${orders('GET /legacy/orders')}`, 200),
  refused('the preface of HTTP/2', `PRI * HTTP/2.0${CRLF}${CRLF}SM${CRLF}${CRLF}`),
  refused('the start of a TLS handshake', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'),
  refused('the command of a proxy', `PROXY TCP4 10.0.0.1 10.0.0.2 1 2${CRLF}${orders('GET /legacy/orders')}`),
  refused('a command for Redis', `*1${CRLF}$4${CRLF}PING${CRLF}`),
];
