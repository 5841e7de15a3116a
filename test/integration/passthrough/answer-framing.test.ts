import { onHead, type Script } from '../../support/upstream/scripted-upstream.ts';
import { usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const ORDERLY = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext';

/** Says these lines to the very first request, and an orderly answer to every other. */
const firstSaying =
  (...lines: readonly string[]): Script =>
  (socket, heard, connection) => {
    const isFirst = connection === 0 && heard.indexOf('\r\n\r\n') === heard.length - 4;
    socket.write(isFirst ? lines.join('\r\n') : ORDERLY);
  };

describe('a pass-through route to an upstream with invalid framing', () => {
  const route = usePassthrough();
  const get = request('GET', '/legacy/orders');

  it.each([
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked', '', '2\r\nok\r\n0\r\n\r\n']],
    ['one length twice', ['Content-Length: 2', 'Content-Length: 2', '', 'ok']],
    ['a list of lengths', ['Content-Length: 2, 2', '', 'ok']],
    ['a signed length', ['Content-Length: +2', '', 'ok']],
    ['a length that is none', ['Content-Length: two', '', 'ok']],
    ['a coding below the chunks', ['Transfer-Encoding: gzip, chunked', '', '2\r\nok\r\n0\r\n\r\n']],
    ['another coding than chunks', ['Transfer-Encoding: gzip', 'Connection: close', '', 'ok']],
    ['chunks below a coding', ['Transfer-Encoding: chunked, gzip', '', '2\r\nok\r\n0\r\n\r\n']],
    ['a space before a colon', ['Content-Length : 2', '', 'ok']],
    ['a NUL in a value', ['X-Odd: a\0b', 'Content-Length: 2', '', 'ok']],
    ['a line without a colon', ['odd', 'Content-Length: 2', '', 'ok']],
  ])('is 502 upstream_error with %s', async (_name, lines) => {
    await route.start({}, { script: firstSaying('HTTP/1.1 200 OK', ...lines) });

    const answer = await route.ask(get);

    expect(answer.status).toBe(502);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'upstream_error' } });
    await route.upstream.disconnected();
  });

  it.each<[string, number, string, readonly string[]]>([
    ['204 with a body', 204, '', ['HTTP/1.1 204 No', 'Content-Length: 5', '', 'stray']],
    [
      '204 with chunks',
      204,
      '',
      ['HTTP/1.1 204 No', 'Transfer-Encoding: chunked', '', '5\r\nstray\r\n0\r\n\r\n'],
    ],
    ['304 with a body', 304, '', ['HTTP/1.1 304 Not', 'ETag: "a"', 'Content-Length: 5', '', 'stray']],
    [
      'more than its length',
      200,
      'ok',
      ['HTTP/1.1 200 OK', 'Content-Length: 2', '', 'okHTTP/1.1 200 OK\r\n'],
    ],
    ['a length of none', 200, '', ['HTTP/1.1 200 OK', 'Content-Length: 0', '', '']],
    [
      'trailers',
      200,
      'ok',
      [
        'HTTP/1.1 200 OK',
        'Trailer: X-End',
        'Transfer-Encoding: Chunked',
        '',
        '2\r\nok\r\n0\r\nX-End: stray\r\n\r\n',
      ],
    ],
    [
      'many answers before its own',
      200,
      'ok',
      [
        ...'HTTP/1.1 103 Early\r\nLink: <stray>\r\n\r\n'.repeat(200).split('\r\n').slice(0, -1),
        'HTTP/1.1 200 OK',
        'Content-Length: 2',
        '',
        'ok',
      ],
    ],
  ])('passes on %s as one answer, and the next one separately', async (_name, status, body, lines) => {
    await route.start({}, { script: firstSaying(...lines) });
    const connection = endAfterTest(await route.connect());
    connection.send(get);

    const answer = await connection.answer();
    expect([answer.status, answer.body.toString()]).toEqual([status, body]);
    expect(JSON.stringify(answer.headers)).not.toMatch(/stray|trailer/);
    if (status === 204) expect(answer.headers).not.toHaveProperty('content-length');
    connection.send(get);
    expect((await connection.answer()).body.toString()).toBe('next');
  });

  it('answers HEAD with the length and nothing else, whatever comes after the head', async () => {
    await route.start({}, { script: firstSaying('HTTP/1.1 200 OK', 'Content-Length: 5', '', 'stray') });
    const connection = endAfterTest(await route.connect());
    connection.send(request('HEAD', '/legacy/orders'));

    const head = await connection.answer({ bodiless: true });
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': '5' } });
    connection.send(get);
    expect((await connection.answer()).body.toString()).toBe('next');
  });

  it('passes a body that ends with the connection on as a whole', async () => {
    await route.start({}, { script: onHead((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nto the end')) });

    expect((await route.ask(get)).body.toString()).toBe('to the end');
  });

  it.each([
    ['a length', 'Content-Length: 10\r\n\r\nhalf', 'half'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', '4\r\nhalf\r\n'],
    ['no end but that of the connection', '\r\nhalf', '4\r\nhalf\r\n'],
  ])('passes a reset within %s on as a reset, with nothing added', async (_name, lines, sent) => {
    let reset: () => void = () => undefined;
    const script = onHead((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${lines}`);
      reset = () => void socket.resetAndDestroy();
    });
    await route.start({}, { script });
    const connection = await route.connect();
    connection.send(get);
    await connection.receives('half');
    reset();

    const { how, rest } = await connection.ended();
    expect(how).toBe('reset');
    expect(rest.toString().slice(rest.indexOf('\r\n\r\n') + 4)).toBe(sent);
  });
});
