import { fault } from '../../../src/kernel/errors/fault.ts';
import { OK, usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { HOST, request, requestOf } from '../../support/client/raw-client.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const EXPECT = 'Expect: 100-continue';

describe('a client that waits for a 100 before it sends the body', () => {
  const route = usePassthrough();

  /** The statuses of all that a connection is sent, and how it ends. */
  async function statusesOf(head: string): Promise<{ statuses: string[]; how: string }> {
    const connection = await route.connect();
    connection.send(head);
    const { how, rest } = await connection.ended();
    connection.close();
    return { statuses: rest.toString('latin1').match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [], how };
  }

  it.each([
    ['an unknown path', request('POST', '/legacy/other', [EXPECT, 'Content-Length: 5']), '404'],
    [
      'a method that the route does not take',
      request('PUT', '/legacy/orders', [EXPECT, 'Content-Length: 5']),
      '405',
    ],
    ['a body that is too long', request('POST', '/legacy/orders', [EXPECT, 'Content-Length: 1001']), '400'],
    [
      'a path that is not forwarded',
      request('POST', '/legacy/orders/%00', [EXPECT, 'Content-Length: 5']),
      '400',
    ],
    [
      'an unknown expectation',
      request('POST', '/legacy/orders', ['Expect: foo, 100-continue', 'Content-Length: 5']),
      '400',
    ],
  ])('is refused for %s before it has sent any of it', async (_name, head, status) => {
    await route.start();

    expect(await statusesOf(head)).toEqual({ statuses: [status], how: 'closed' });
    expect(route.upstream.received).toEqual([]);
  });

  it('is refused without a credential before it has sent any of it', async () => {
    await route.start({}, { admit: () => Promise.reject(fault('authentication_required')) });

    const head = request('POST', '/legacy/orders', [EXPECT, 'Content-Length: 5']);
    expect(await statusesOf(head)).toEqual({ statuses: ['401'], how: 'closed' });
  });

  it('is told to go on once the upstream takes the request', async () => {
    await route.start({}, { script: (socket, heard) => heard.endsWith('hello') && socket.write(OK) });
    const connection = endAfterTest(await route.connect());
    connection.send(request('POST', '/legacy/orders', [EXPECT, 'Content-Length: 5']));
    expect((await connection.answer()).status).toBe(100);
    connection.send('hello');
    expect((await connection.answer()).status).toBe(200);
    connection.send(request('GET', '/legacy/other'));
    expect((await connection.answer()).status).toBe(404);
  });

  it('gets no 100 over HTTP/1.0, which knows none', async () => {
    await route.start({}, { script: (socket, heard) => heard.endsWith('hello') && socket.write(OK) });
    const connection = endAfterTest(await route.connect());
    const lines = [HOST, EXPECT, 'Content-Length: 5'];
    connection.send(`${requestOf('POST /legacy/orders HTTP/1.0', ...lines)}hello`);
    expect((await connection.answer()).status).toBe(200);
  });
});
