import fc from 'fast-check';
import { AxiosHeaders } from 'axios';
import { withHeaders, withHost } from '../../../../../src/source/client/transport/request-head.ts';
import {
  answering,
  type ScriptedUpstream,
  startUpstream,
} from '../../../../support/upstream/scripted-upstream.ts';
import { answer, closeAll, openUpstream } from '../open-upstream.ts';

let server: ScriptedUpstream | undefined;
afterEach(() => closeAll(server));

async function start(...lines: string[]) {
  server = await startUpstream(answering(...lines));
  return server;
}

describe('an exchange', () => {
  it('brings status, headers and bytes as they are', async () => {
    const { origin } = await start(...answer('{"a":"\u00fc"}', 'X-Total: 7', 'X-Odd:  padded '));
    const reply = await openUpstream(origin).get();
    expect(reply.status).toBe(200);
    expect([reply.header('x-total'), reply.header('x-odd'), reply.header('x-none')]).toEqual([
      '7',
      'padded',
      undefined,
    ]);
    expect(reply.body.toString()).toBe('{"a":"\u00fc"}');
  });

  it.each([204, 301, 304, 400, 401, 404, 418, 500, 503])(
    'with status %i is a reply like any other',
    async (status) => {
      const { origin } = await start(`HTTP/1.1 ${status} Odd`, 'Content-Length: 0', '', '');
      expect((await openUpstream(origin).get()).status).toBe(status);
    },
  );

  it('asks for the base address and the target, neither changed', async () => {
    const { origin, received: heard } = await start(...answer('1'));
    await openUpstream(`${origin}/base`).get('/a%2Fb/c?x=%20y&z%5B%5D=1');
    expect(heard[0]).toMatch(/^GET \/base\/a%2Fb\/c\?x=%20y&z%5B%5D=1 HTTP\/1\.1\r\n/);
  });

  it('asks for JSON, uncompressed, with the constant headers of the source', async () => {
    const { origin, received: heard } = await start(...answer('1'));
    await openUpstream(origin, {
      headers: { 'X-Client': 'portico', Accept: 'application/vnd.odd+json' },
    }).get();
    expect(heard[0]).toMatch(/\r\naccept-encoding: identity\r\n/i);
    expect(heard[0]).toMatch(/\r\naccept: application\/vnd\.odd\+json\r\n/i);
    expect(heard[0]).toMatch(/\r\nx-client: portico\r\n/i);
  });

  it.each<[object, RegExp]>([
    [
      { kind: 'basic', user: 'ada:x', password: 'pässword' },
      new RegExp(`\r\nauthorization: Basic ${Buffer.from('ada:x:pässword').toString('base64')}\r\n`, 'i'),
    ],
    [{ kind: 'header', name: 'X-Key', value: 's3cret' }, /\r\nx-key: s3cret\r\n/i],
    [{ kind: 'query', name: 'api key', value: 'a&b=c' }, /^GET \/x\?y=1&api%20key=a%26b%3Dc HTTP/],
    [{ kind: 'none' }, /^GET \/x\?y=1 HTTP/],
  ])('carries the credential %j', async (auth, expected) => {
    const { origin, received: heard } = await start(...answer('1'));
    await openUpstream(origin, {}, auth).get('/x?y=1');
    expect(heard[0]).toMatch(expected);
  });

  it('does not follow a redirect, wherever it leads', async () => {
    const elsewhere = await startUpstream(answering(...answer('1')));
    try {
      for (const location of [`${elsewhere.origin}/x`, '/other', 'file:///etc/passwd', '//127.0.0.2/x']) {
        const from = await startUpstream(
          answering('HTTP/1.1 302 Found', `Location: ${location}`, 'Content-Length: 0', '', ''),
        );
        expect((await openUpstream(from.origin).get()).status).toBe(302);
        expect(from.received.join().match(/GET/g)).toHaveLength(1);
        await closeAll(from);
      }
      expect(elsewhere.received).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it('takes no proxy from the environment', async () => {
    const proxy = await startUpstream(answering(...answer('"the proxy"')));
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'];
    try {
      for (const name of names) process.env[name] = proxy.origin;
      const { origin } = await start(...answer('"the source"'));
      expect((await openUpstream(origin).get()).body.toString()).toBe('"the source"');
      expect(proxy.received).toEqual([]);
    } finally {
      for (const name of names) Reflect.deleteProperty(process.env, name);
      await proxy.close();
    }
  });

  it('is counted and timed by the class of its status', async () => {
    const { origin } = await start(...answer('1'));
    const { get, usage, outcomes } = openUpstream(origin);
    await get();
    await get();
    expect(outcomes).toEqual(['2xx', '2xx']);
    expect(usage.upstreamCalls).toBe(2);
    expect(usage.upstreamMs).toBeGreaterThan(0);
  });
});

const headerNames = fc.constantFrom('Accept', 'accept', 'X-Key', 'x-key', 'X-KEY', 'Host', 'User-Agent');
const headerValues = fc.oneof(
  fc.constantFrom('', ' ', ' padded\t', 'a b', 'line\r\nX-Evil: 1', 'nul\0', 'tab\tinside', 'ü', '\u{1f600}'),
  fc.string(),
);
const headers = fc.dictionary(headerNames, headerValues, { maxKeys: 6 });

/** Headers as axios merges and cleans them. */
function byAxios(groups: readonly Record<string, string>[]): [string, unknown][] {
  const merged = new AxiosHeaders();
  for (const group of groups) merged.set(group);
  return Object.entries(merged.toJSON());
}

const pairs = (lines: readonly string[]) =>
  Array.from({ length: lines.length / 2 }, (_, index) => [lines[2 * index], lines[2 * index + 1]]);

describe('the header lines of a request to a source', () => {
  it('are those that axios makes of the same headers, value by value', () => {
    fc.assert(
      fc.property(headers, headers, (first, second) => {
        expect(pairs(withHeaders(withHeaders([], first), second))).toEqual(byAxios([first, second]));
      }),
      { numRuns: 2_000 },
    );
  });

  it('have no control character, whatever a source wrote into a value that is sent back', () => {
    fc.assert(
      fc.property(headerValues, (value) => {
        // eslint-disable-next-line no-control-regex -- those are what must not be there
        expect(withHeaders([], { 'X-Cursor': value }).join()).not.toMatch(/[\0-\x08\x0a-\x1f\x7f]/);
      }),
    );
  });

  it('begin with the host of the address, or with the one that the source file names', () => {
    expect(withHost(['A', '1'], 'shop:81')).toEqual(['Host', 'shop:81', 'A', '1']);
    const named = withHost(['A', '1', 'hOST', 'other', 'B', '2'], 'shop');
    expect(named).toEqual(['Host', 'other', 'A', '1', 'B', '2']);
  });
});
